"""What every forge offers: a branch pushed, a pull request opened for it once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from pipeline.git import Repository


class ForgeFault(Exception):
    """A pull request cannot be opened; the message says what to do.

    `usage` tells that the set-up is wrong and nothing was changed (exit 2).
    """

    def __init__(self, message: str, *, usage: bool = False) -> None:
        super().__init__(message)
        self.usage = usage


@dataclass(frozen=True, kw_only=True, slots=True)
class Change:
    """A committed change that is to become a pull request.

    `branch` and `base` are short branch names, `sha` the full hash of the branch's tip, `title` one
    line, `body` Markdown. `criteria` holds the issue's acceptance criteria by label.
    """

    repository: Repository
    issue: str
    branch: str
    base: str
    sha: str
    title: str
    body: str
    criteria: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class PullRequest:
    """An open pull request: its web address, or the path of its page where it has none.

    `reused` tells that it was there before.
    """

    url: str = ""
    page: str = ""
    reused: bool = False


class Forge(Protocol):
    """A place for pull requests."""

    name: str

    def check(self, repository: Repository) -> None:
        """Find out, before any agent works, whether a pull request could be opened at all.

        Raises:
            ForgeFault: no remote, no token, an address that is none, no right; nothing was changed.
        """

    def open(self, change: Change) -> PullRequest:
        """Push the branch and open a pull request, or find the one that is open for it.

        Raises:
            ForgeFault: the push or the forge was refused, or did not answer in time.
        """
