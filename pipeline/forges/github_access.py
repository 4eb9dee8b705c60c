"""Where the API is and which token is for it, by the variables that GitHub's own `gh` reads."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from pipeline.forges.base import ForgeFault
from pipeline.forges.github_address import (
    GITHUB,
    Place,
    api_of,
    is_githubs_own,
    place_named,
    place_of,
    shown,
)
from pipeline.terminal.display import named, visible

if TYPE_CHECKING:
    from collections.abc import Mapping

# cli.github.com/manual/gh_help_environment: the first that is set is taken
_OWN_TOKENS = ("GH_TOKEN", "GITHUB_TOKEN")
_ENTERPRISE_TOKENS = ("GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN")
_TOKEN = re.compile(r"[!-~]{1,4096}")  # what may stand in a header's value, without a space


@dataclass(frozen=True, kw_only=True, slots=True)
class Access:
    """Where pull requests go, and with what right.

    `place` is the repository that they are opened in, `head` the owner of the one that is pushed
    to, `api` an address without a slash at its end, `variable` the one that the token came from.
    """

    place: Place
    head: str
    api: str
    variable: str
    token: str = field(repr=False)

    @property
    def host(self) -> str:
        """Return the API's own host, to be named in messages."""
        return urlsplit(self.api).hostname or ""

    @property
    def within_this_machine(self) -> bool:
        """Tell whether the API is on the loopback interface: what is sent leaves no machine."""
        return is_loopback(self.host)


def access_of(environment: Mapping[str, str], fetched: str, pushed: str) -> Access:
    """Settle where to and with what right, from the variables and a remote's two addresses.

    Raises:
        ForgeFault: something is missing or contradicts something else; nothing was sent.
    """
    place = _place(environment, fetched)
    api = _api(environment, place.host)
    variable, token = _token(environment, place.host)
    there = place_of(pushed)
    head = there.owner if there and _is_at(there, place.host) else place.owner
    return Access(place=place, head=head, api=api, variable=variable, token=token)


def _place(environment: Mapping[str, str], fetched: str) -> Place:
    host = _said(environment, "GH_HOST").lower()
    repository = _said(environment, "GH_REPO")
    if repository:
        place = place_named(repository, host or GITHUB)
        if place is None:
            raise _unusable(f"GH_REPO is {named(shown(repository))}: expected [HOST/]OWNER/REPO")
        trusted = True
    else:
        place = _of_remote(fetched, host)
        trusted = place.host in (host, _host_of(_said(environment, "GITHUB_SERVER_URL")))
    if trusted or is_githubs_own(place.host):
        return place
    raise _unusable(
        f"the remote is at {visible(place.host)}, which is none of GitHub's own hosts: set "
        f"GH_HOST={visible(place.host)} if it is your GitHub Enterprise Server (so that a token "
        "goes to no other host), or choose another forge"
    )


def _of_remote(fetched: str, host: str) -> Place:
    place = place_of(fetched)
    if place is None:
        raise _unusable(
            f"the remote's address {named(shown(fetched))} names no repository on a host: expected "
            "https://HOST/OWNER/REPO.git or git@HOST:OWNER/REPO.git; or set GH_REPO=OWNER/REPO"
        )
    if not host or place.host == host:
        return place
    if _is_at(place, host):
        return Place(host=host, owner=place.owner, name=place.name)
    raise _unusable(
        f"GH_HOST is {visible(host)}, but the remote is at {visible(place.host)}: unset GH_HOST, "
        "or choose the remote that is there"
    )


def _is_at(place: Place, host: str) -> bool:
    """Tell whether a remote is at a host; a name without a dot is one of an SSH configuration."""
    return place.host in (host, host.partition(":")[0]) or "." not in place.host


def _api(environment: Mapping[str, str], host: str) -> str:
    usual = api_of(host)
    given = _said(environment, "GITHUB_API_URL").rstrip("/")
    server = _host_of(_said(environment, "GITHUB_SERVER_URL"))
    if not given or (server and server != host):  # in Actions the two tell of one server
        return usual
    there = _host_of(given)
    if not there or not _may_carry_a_token(given):
        raise _unusable(
            f"GITHUB_API_URL is {named(shown(given))}: expected https://HOST, with a path at most "
            "(http only to this machine itself)"
        )
    if there in (host, f"api.{host}", _host_of(usual)) or is_loopback(urlsplit(given).hostname):
        return given
    raise _unusable(
        f"GITHUB_API_URL is at {visible(there)}, the repository at {visible(host)}: a token for "
        "the one is not sent to the other; unset GITHUB_API_URL, or set GH_HOST"
    )


def _may_carry_a_token(url: str) -> bool:
    parts = urlsplit(url)
    encrypted = parts.scheme == "https" or (parts.scheme == "http" and is_loopback(parts.hostname))
    return encrypted and not parts.query and "@" not in url and url.isascii() and url.isprintable()


def is_loopback(host: str | None) -> bool:
    """Tell whether a host is this machine itself."""
    try:
        return host == "localhost" or ip_address(host or "").is_loopback
    except ValueError:
        return False


def _token(environment: Mapping[str, str], host: str) -> tuple[str, str]:
    variables = _OWN_TOKENS if is_githubs_own(host) else _ENTERPRISE_TOKENS
    for variable in variables:
        token = _said(environment, variable)
        if token and not _TOKEN.fullmatch(token):
            raise _unusable(f"{variable} holds no token: there are characters in it that none has")
        if token:
            return variable, token
    raise _unusable(
        f"no token for {visible(host)}: set {variables[0]} to one that may write contents and pull "
        f"requests (with gh: export {variables[0]}=$(gh auth token --hostname {visible(host)}))"
    )


def _host_of(url: str) -> str:
    """Return host and port of a web address, in lower case; empty if it is none."""
    try:
        parts = urlsplit(url)
        known = parts.hostname and (parts.port is None or parts.port > 0)
    except ValueError:
        return ""
    return parts.netloc.rpartition("@")[2].lower() if known else ""


def _said(environment: Mapping[str, str], variable: str) -> str:
    return environment.get(variable, "").strip()


def _unusable(message: str) -> ForgeFault:
    return ForgeFault(f"github: {message}", usage=True)
