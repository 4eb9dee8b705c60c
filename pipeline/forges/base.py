"""What every forge offers: a branch pushed, a pull request opened for it once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol
from urllib.parse import urlsplit

from pipeline.terminal.display import named, visible
from pipeline.terminal.fault import unusable

if TYPE_CHECKING:
    from pipeline.git import Repository


@dataclass(frozen=True, kw_only=True, slots=True)
class Change:
    """A committed change that is to become a pull request.

    `branch` and `base` are short branch names, `base_ref` is the base's full name, `sha` the full
    hash of the branch's tip, `title` one line, `body` Markdown. `criteria` holds the issue's
    acceptance criteria by label.
    """

    repository: Repository
    issue: str
    branch: str
    base: str
    base_ref: str
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
    """A place for pull requests; `remote` is the git remote that is pushed to, empty for none."""

    name: str
    remote: str

    def check(self, repository: Repository) -> None:
        """Find out, before any agent works, whether a pull request could be opened at all.

        Raises:
            Fault: no remote, no token, an address that is none, no right; nothing was changed.
        """

    def open(self, change: Change) -> PullRequest:
        """Push the branch and open a pull request, or find the one that is open for it.

        Raises:
            Fault: the push or the forge was refused, or did not answer in time.
        """


def address_of(repository: Repository, remote: str, *options: str) -> str:
    """Return where a remote is fetched from, or with `--push` where it is pushed to.

    Raises:
        Fault: the remote does not exist.
    """
    done = repository.attempt("remote", "get-url", *options, "--", remote)
    if done.returncode or not done.stdout.strip():
        raise unusable(
            f"there is no remote {named(remote)}: add it (git remote add {visible(remote)} URL)"
        )
    return done.stdout.removesuffix("\n")


def web_host(url: str) -> str:
    """Return host and port of a web address, in lower case; empty for another address."""
    try:
        parts = urlsplit(url)
        is_web = parts.scheme in {"http", "https"} and parts.hostname and parts.port != 0
    except ValueError:
        return ""
    return parts.netloc.rpartition("@")[2].lower() if is_web else ""
