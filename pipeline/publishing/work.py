"""What is to be published, and the one way in which that is refused."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pipeline.forges.base import ForgeFault
from pipeline.git import GitFault
from pipeline.protocol.layout import in_target

if TYPE_CHECKING:
    from collections.abc import Iterator


class CannotPublish(Exception):
    """The work cannot be published; the message says in one line why, and what to do.

    `usage` tells that the set-up is wrong and nothing was changed (exit 2); without it something
    was refused on the way, and the same call goes on once that is fixed (exit 1).
    """

    def __init__(self, message: str, *, usage: bool = False) -> None:
        super().__init__(message)
        self.usage = usage


@dataclass(frozen=True, kw_only=True, slots=True)
class Work:
    """One issue's work.

    `target` (`.` for the root) is relative to the repository, `files` to the target. `message` is
    a commit message by the rule of `pipeline.publishing.message`, `body` the pull request's text in
    Markdown, `criteria` the acceptance criteria by label. An empty `base` is settled by what is
    checked out, an empty `branch` derived from issue and title. `remote` is asked for a base that
    is no branch here.
    """

    issue: str
    title: str
    target: str = "."
    files: tuple[str, ...] = ()
    message: str = ""
    body: str = ""
    criteria: tuple[tuple[str, str], ...] = ()
    base: str = ""
    branch: str = ""
    remote: str = "origin"

    def paths(self) -> tuple[str, ...]:
        """Return the files relative to the repository, each once."""
        return tuple(dict.fromkeys(in_target(self.target, file) for file in self.files))


@contextmanager
def reported(*, usage: bool = False) -> Iterator[None]:
    """Turn what git and the forge refuse into `CannotPublish`."""
    try:
        yield
    except GitFault as fault:
        raise CannotPublish(str(fault), usage=usage) from None
    except ForgeFault as fault:
        raise CannotPublish(str(fault), usage=fault.usage) from None
