"""The interface of every forge, and what GitLab and Gitea share."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from pipeline.git import GitFault
from pipeline.terminal.display import named, visible
from pipeline.terminal.fault import Fault, unusable

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from urllib.parse import SplitResult

    from pipeline.git import Repository

_ADDRESS = r"https?://[^\s<>\"{}|\\^`\[\]]*/"
MOST_OF_REMARK = 6_000  # characters
_MOST = 20_000  # characters of an option: git's line takes 65,516 bytes


@dataclass(frozen=True, kw_only=True, slots=True)
class Change:
    """A committed change that is to become a pull request."""

    repository: Repository
    issue: str
    branch: str  #: its short name
    base: str  #: its short name
    base_ref: str  #: the base's full name
    sha: str  #: the full hash of the branch's tip
    title: str  #: one line
    body: str  #: Markdown
    criteria: tuple[tuple[str, str], ...] = ()  #: the issue's acceptance criteria, with labels
    artifacts: str = ""  #: Markdown at the end, for who does not have the work tree
    draft: bool = False
    labels: Sequence[str] = ()
    reviewers: Sequence[str] = ()  #: people, and teams as ORGANIZATION/TEAM

    @property
    def description(self) -> str:
        """The whole text, which a forge may cut."""
        return "\n\n".join(filter(None, (self.body, self.artifacts)))


@dataclass(frozen=True, kw_only=True, slots=True)
class PullRequest:
    """An open pull request."""

    url: str = ""  #: its web address
    page: str = ""  #: the path of its page, where it has no address
    reused: bool = False  #: it was already open
    notes: tuple[str, ...] = ()  #: what it lacks of what the user wanted


@dataclass(frozen=True, kw_only=True, slots=True)
class Remark:
    """What a reviewer or a check wants of a pull request: somebody else's text."""

    id: str  #: the forge's own
    who: str
    text: str
    file: str = ""  #: from the root of the repository, empty for none
    line: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class Feedback:
    """What a pull request says now."""

    state: str  #: `open`, `closed` or `merged`
    remarks: tuple[Remark, ...] = ()  #: not resolved, and not by the owner of the token
    notes: tuple[str, ...] = ()  #: what is not among them, and why


def notes_on(*, left_out: int, running: int, cut_at: int) -> tuple[str, ...]:
    """Return what is not among the remarks: comments, checks, and what is after the end of lists.

    `cut_at` is how many of a list are read, 0 if no list has more.
    """
    counted = {
        "comments of people who may not change the repository, left out": left_out,
        "checks that are still running": running,
    }
    notes = tuple(f"{what}: {count}" for what, count in counted.items() if count)
    cut = f"there is more than {cut_at} of a kind: the others are not read"
    return (*notes, cut) if cut_at else notes


class Forge(ABC):
    """A place for pull requests."""

    name: str
    remote: str  #: the git remote that is pushed to, empty for none
    takes: Collection[str]  #: what it can set of `draft`, `labels` and `reviewers`

    @abstractmethod
    def check(self, repository: Repository) -> None:
        """Find out, before any agent works, whether a pull request could be opened at all.

        Raises:
            Fault: no remote, no token, no permission or a wrong address; nothing was changed.
        """

    @abstractmethod
    def open(self, change: Change) -> PullRequest:
        """Push the branch and open a pull request, or find the one that is open for it.

        Raises:
            Fault: the push or the forge was refused, or did not answer in time.
        """

    def has_page(self, repository: Repository, branch: str) -> bool:  # noqa: ARG002
        """Return whether a branch has its page here, as far as a forge keeps pages itself."""
        return True

    def feedback(self, repository: Repository, address: str) -> Feedback:  # noqa: ARG002
        """Return what reviewers and checks say of the pull request at a web address.

        Raises:
            Fault: it is not one of this forge, the forge refused or did not answer in time, or its
                reviews are not read, as here: that needs a token, or there are no reviews.
        """
        raise unusable(
            "--continue reads reviews and checks at GitHub, GitLab and Gitea, not with --forge "
            f"{self.name}"
        )


class PushedForge(Forge):
    """What GitLab and Gitea share: git's own credentials, and the addresses of requests."""

    place: str  #: the part of an address before a request's number
    heads: str  #: names under which the forge shows the heads of its requests: `refs/pull/*/head`
    without_options: str  #: why a remote takes no push options

    def __init__(self, remote: str) -> None:
        self.remote = remote

    def check(self, repository: Repository) -> None:
        """Check that the remote exists; only a push shows whether it is such a forge."""
        address_of(repository, self.remote, "--push")

    def push(self, change: Change, refspec: str, options: Sequence[str]) -> str:
        """Push with options and return the address of the request that the remote printed."""
        try:
            printed = change.repository.push(self.remote, refspec, options=options)
        except GitFault as fault:
            takes_none = "does not support push options" in str(fault)
            hint = f" ({self.without_options})" if takes_none else ""
            raise Fault(f"{fault}{hint}") from None
        return request_in(printed, self.place.removeprefix("-/"))

    def request_at(self, change: Change) -> str:
        """Return the number of the newest request with the change's commit, empty for none."""
        words = ("ls-remote", "--quiet", "--", self.remote, self.heads)
        shown = change.repository.attempt(*words).stdout
        heads = re.escape(self.heads).replace(r"\*", "([0-9]+)")
        return max(
            re.findall(rf"^{change.sha}\t{heads}$", shown, re.MULTILINE), key=int, default=""
        )

    def url_of(self, change: Change, number: str) -> str:
        """Return the address of a request, empty for no request or a remote without http.

        A name and a password are left out. Over ssh the web's host and port are not known.
        """
        remote = address_of(change.repository, self.remote, "--push")
        host = web_host(remote)
        if not (host and number):
            return ""
        parts = urlsplit(remote)
        path = parts.path.rstrip("/").removesuffix(".git")
        return f"{parts.scheme}://{host}{path}/{self.place}/{number}"


def option(name: str, value: str) -> str:
    """Return a push option on one line; git allows no line breaks in it (git-push(1))."""
    return visible(f"{name}={' '.join(value.split())}", _MOST)


def cut(body: str, most: int) -> str:
    """Return the first lines of Markdown that have `most` characters: no line ends half-way."""
    return body if len(body) <= most else body[:most].rpartition("\n")[0]


def request_in(printed: str, place: str) -> str:
    """Return the last address `…/<place>/<number>` that the remote printed, empty if none.

    Only lines that git marks as the remote's are read: a hook of the user's prints others.
    """
    lines = "\n".join(line for line in printed.splitlines() if line.startswith("remote:"))
    found: list[str] = re.findall(rf"{_ADDRESS}{place}/[1-9][0-9]*(?!\S)", lines)
    return found[-1] if found else ""


def address_of(repository: Repository, remote: str, *options: str) -> str:
    """Return where a remote is fetched from, or with `--push` where it is pushed to.

    Raises:
        Fault: the remote does not exist.
    """
    done = repository.attempt("remote", "get-url", *options, "--", remote)
    if done.returncode or not done.stdout.strip():
        raise unusable(
            f"there is no remote {named(remote)}: add it (git remote add {visible(remote)} URL), "
            "or choose another (--remote)"
        )
    return done.stdout.removesuffix("\n")


def parts_of(address: str) -> SplitResult:
    """Return the parts of a remote's address; `git@host:a/b` is one of ssh (git-clone(1))."""
    return urlsplit(address if "://" in address else f"ssh://{address.replace(':', '/', 1)}")


def web_host(url: str) -> str:
    """Return host and port of a web address, in lower case; empty for another address."""
    try:
        parts = urlsplit(url)
        is_web = parts.scheme in {"http", "https"} and parts.hostname and parts.port != 0
    except ValueError:
        return ""
    return parts.netloc.rpartition("@")[2].lower() if is_web else ""
