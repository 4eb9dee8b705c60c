"""A forge that opens a pull request while it takes a push, without a token of ours."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from pipeline.forges.base import address_of, web_host
from pipeline.terminal.display import visible

if TYPE_CHECKING:
    from pipeline.git import Repository

_ADDRESS = r"https?://[^\s<>\"{}|\\^`\[\]]*/"
_MOST = 20_000  # characters of an option: git's line takes 65,516 bytes


class PushedForge:
    """What GitLab and Gitea share: git's own credentials, and the addresses of requests.

    `place` is the part of an address before a request's number, `heads` the pattern of the names
    under which the forge shows the heads of its requests: `refs/pull/*/head`.
    """

    place: str
    heads: str

    def __init__(self, remote: str) -> None:
        self.remote = remote

    def check(self, repository: Repository) -> None:
        """See that there is a remote; that it is such a forge, only a push can tell."""
        address_of(repository, self.remote, "--push")

    def request_at(self, repository: Repository, sha: str) -> str:
        """Return the number of the newest request whose head is a commit, empty if none is."""
        shown = repository.attempt("ls-remote", "--quiet", "--", self.remote, self.heads)
        heads = re.escape(self.heads).replace(r"\*", "([0-9]+)")
        found = re.findall(rf"^{sha}\t{heads}$", shown.stdout, re.MULTILINE)
        return max(found, key=int, default="")

    def url_of(self, repository: Repository, number: str) -> str:
        """Return the address of a request, empty where there is none or the remote has no web's."""
        web = web_address(address_of(repository, self.remote, "--push"))
        return f"{web}/{self.place}/{number}" if web and number else ""


def option(name: str, value: str) -> str:
    """Return a push option on one line; git allows no line breaks in it (git-push(1))."""
    return visible(f"{name}={' '.join(value.split())}", _MOST)


def request_in(printed: str, place: str) -> str:
    """Return the last address `…/<place>/<number>` that the remote printed, empty if none.

    Only lines that git marks as the remote's are read: a hook of the user's prints others.
    """
    lines = "\n".join(line for line in printed.splitlines() if line.startswith("remote:"))
    found: list[str] = re.findall(rf"{_ADDRESS}{place}/[1-9][0-9]*(?!\S)", lines)
    return found[-1] if found else ""


def web_address(remote: str) -> str:
    """Return the web address of a repository by that of its remote, empty for another than http.

    A name and a password in it are left out. Over ssh the web's host and port are not known.
    """
    host = web_host(remote)
    if not host:
        return ""
    parts = urlsplit(remote)
    return f"{parts.scheme}://{host}{parts.path.rstrip('/').removesuffix('.git')}"
