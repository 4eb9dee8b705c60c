"""What a forge without a client of its own is told and asked by `git push` and `git ls-remote`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from pipeline.forges.base import ForgeFault
from pipeline.terminal.display import named, visible

if TYPE_CHECKING:
    from pipeline.git import Repository

_ADDRESS = r"https?://[^\s<>\"{}|\\^`\[\]]*/"
_MOST = 20_000  # characters of an option: git's line takes 65,516 bytes


class PushedForge:
    """A forge that opens a pull request while it takes a push to `remote`: no token of ours."""

    def __init__(self, *, remote: str) -> None:
        self._remote = remote

    def check(self, repository: Repository) -> None:
        """See that there is a remote; that it is such a forge, only a push can tell.

        Raises:
            ForgeFault: there is no such remote.
        """
        address_of_remote(repository, self._remote)


def address_of_remote(repository: Repository, remote: str) -> str:
    """Return where a remote is pushed to.

    Raises:
        ForgeFault: there is no such remote.
    """
    asked = repository.attempt("remote", "get-url", "--push", "--", remote)
    if asked.returncode:
        raise ForgeFault(
            f"no remote is named {named(remote)}: add it (git remote add {visible(remote)} URL)",
            usage=True,
        )
    return asked.stdout.removesuffix("\n")


def option(name: str, value: str) -> str:
    """Return a push option on one line; git allows no line breaks in it (git-push(1))."""
    return visible(f"{name}={' '.join(value.split())}", _MOST)


def request_in(said: str, place: str) -> str:
    """Return the last address `…/<place>/<number>` that the remote printed, empty if none.

    Only lines that git marks as the remote's are read: a hook of the user's prints others.
    """
    lines = "\n".join(line for line in said.splitlines() if line.startswith("remote:"))
    found: list[str] = re.findall(rf"{_ADDRESS}{place}/[1-9][0-9]*(?!\S)", lines)
    return found[-1] if found else ""


def request_at(repository: Repository, remote: str, references: str, sha: str) -> str:
    """Return the number of the newest request whose head is a commit, empty if none is shown.

    `references` is the pattern of the names under which a forge shows the heads of its requests:
    `refs/pull/*/head`.
    """
    shown = repository.attempt("ls-remote", "--quiet", "--", remote, references)
    before, _, after = references.partition("*")
    name = re.compile(rf"{sha}\t{re.escape(before)}([0-9]+){re.escape(after)}")
    numbers = [int(match[1]) for match in map(name.fullmatch, shown.stdout.splitlines()) if match]
    return str(max(numbers)) if numbers else ""


def web_address(remote: str) -> str:
    """Return the web address of a repository by that of its remote, empty for another than http.

    A name and a password in it are left out. Over ssh the web's host and port are anybody's guess.
    """
    try:
        parts = urlsplit(remote)
        host = parts.hostname
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        return ""
    if parts.scheme not in {"http", "https"} or not host:
        return ""
    host = f"[{host}]" if ":" in host else host
    path = parts.path.rstrip("/").removesuffix(".git")
    return f"{parts.scheme}://{host}{port}{path}"
