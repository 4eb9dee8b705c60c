"""Which repository at GitHub, where its API is, and which token is for it: as `gh` reads it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

from pipeline.terminal.display import named, visible
from pipeline.terminal.fault import Fault, unusable

if TYPE_CHECKING:
    from collections.abc import Mapping

GITHUB = "github.com"
_LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?"
_HOST = rf"(?P<host>{_LABEL}(?:\.{_LABEL})*)"
_REPOSITORY = (
    r"(?P<owner>[A-Za-z0-9][A-Za-z0-9_-]{0,99})/(?P<name>(?!\.{1,2}$)[A-Za-z0-9._-]{1,100})"
)
_SCP = re.compile(rf"(?:[^@/:]*@)?{_HOST}:/*{_REPOSITORY}")  # git-clone(1), "GIT URLS"
_URL = re.compile(
    rf"(?:(?P<web>https?)|git|ssh|git\+ssh|ssh\+git)://(?:[^/]*@)?{_HOST}(?P<port>:\d+)?/+{_REPOSITORY}",
    re.IGNORECASE,
)
# cli.github.com/manual/gh_help_environment: the first that is set is taken; for GitHub's own hosts?
_TOKENS = {
    True: ("GH_TOKEN", "GITHUB_TOKEN"),
    False: ("GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN"),
}
_TOKEN = re.compile(r"[!-~]{1,4096}")  # what may be in a header's value, without a space


class Place(NamedTuple):
    """A repository on a host; `host` is in lower case, with a port if the web address has one."""

    host: str
    owner: str
    name: str

    def __str__(self) -> str:
        return f"{self.owner}/{self.name}"


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
        """The API's own host, to be named in messages."""
        return urlsplit(self.api).hostname or ""


def access_of(environment: Mapping[str, str], fetched: str, pushed: str) -> Access:
    """Settle where to and with what right, from the variables and a remote's two addresses."""
    variables = {name: value.strip() for name, value in environment.items()}
    place = _place(variables, fetched)
    api = _api(variables, place.host)
    variable, token = _token(variables, place.host)
    there = place_of(pushed)
    head = there.owner if there and _is_at(there, place.host) else place.owner
    return Access(place=place, head=head, api=api, variable=variable, token=token)


def place_of(text: str) -> Place | None:
    """Return what a remote's address names: `https://…`, `ssh://…` or `git@host:owner/name.git`.

    A password or token is left out. None: it names no repository of a web host.
    """
    match = (_URL if "://" in text else _SCP).fullmatch(text.rstrip("/").removesuffix(".git"))
    if match is None or len(match["host"]) == 1:  # C:/work is a folder
        return None
    parts = match.groupdict()
    port = parts.get("port") if parts.get("web") else ""  # that of ssh is not the web's
    host = f"{parts['host']}{port or ''}".lower()
    same = host in ("ssh.github.com", "www.github.com")  # SSH by the HTTPS port, the web
    return Place(GITHUB if same else host, parts["owner"], parts["name"])


def api_of(host: str) -> str:
    """Return where a host's REST API is: docs.github.com/rest, "getting started"."""
    return f"https://api.{host}" if _is_githubs_own(host) else f"https://{host}/api/v3"


def is_loopback(host: str | None) -> bool:
    """Return whether a host is this machine itself."""
    try:
        return host == "localhost" or ip_address(host or "").is_loopback
    except ValueError:
        return False


def shown(url: str) -> str:
    """Return a remote's address, fit to be shown: nothing before an `@`, nothing of a query."""
    return url.rpartition("@")[2].partition("?")[0]


def wrong(message: str) -> Fault:
    """Return the fault of a set-up that is wrong; nothing was changed."""
    return unusable(f"github: {message}")


def _is_githubs_own(host: str) -> bool:
    return host == GITHUB or host.endswith(".ghe.com")


def _is_at(place: Place, host: str) -> bool:
    """Return whether a remote is at a host; a name without a dot is one of an SSH configuration."""
    return place.host in (host, host.partition(":")[0]) or "." not in place.host


def _place(variables: Mapping[str, str], fetched: str) -> Place:
    host, repository = variables.get("GH_HOST", "").lower(), variables.get("GH_REPO", "")
    if repository:
        whole = repository if repository.count("/") > 1 else f"{host or GITHUB}/{repository}"
        place = place_of(f"https://{whole}")
        if place is None:
            raise wrong(f"GH_REPO is {named(shown(repository))}: expected [HOST/]OWNER/REPO")
        return place
    place = place_of(fetched)
    if place is None:
        raise wrong(
            f"the remote's address {named(shown(fetched))} names no repository on a host: expected "
            "https://HOST/OWNER/REPO.git or git@HOST:OWNER/REPO.git; or set GH_REPO=OWNER/REPO"
        )
    if host and not _is_at(place, host):
        raise wrong(
            f"GH_HOST is {visible(host)}, but the remote is at {visible(place.host)}: unset "
            "GH_HOST, or choose the remote that is there"
        )
    server = _host_of(variables.get("GITHUB_SERVER_URL", ""))
    if host or _is_githubs_own(place.host) or place.host == server:
        return place._replace(host=host or place.host)
    raise wrong(
        f"the remote is at {visible(place.host)}, which is not a host of GitHub's: set "
        f"GH_HOST={visible(place.host)} if it is your GitHub Enterprise Server (so that a token "
        "goes to no other host), or choose another forge"
    )


def _api(variables: Mapping[str, str], host: str) -> str:
    usual, given = api_of(host), variables.get("GITHUB_API_URL", "").rstrip("/")
    server = _host_of(variables.get("GITHUB_SERVER_URL", ""))
    if not given or (server and server != host):  # in Actions the two are of one server
        return usual
    there = _host_of(given)
    if not there or not _may_carry_a_token(given):
        raise wrong(
            f"GITHUB_API_URL is {named(shown(given))}: expected https://HOST, with a path at most "
            "(http only to this machine itself)"
        )
    if there in (host, f"api.{host}", _host_of(usual)) or is_loopback(urlsplit(given).hostname):
        return given
    raise wrong(
        f"GITHUB_API_URL is at {visible(there)}, the repository at {visible(host)}: a token for "
        "the one is not sent to the other; unset GITHUB_API_URL, or set GH_HOST"
    )


def _may_carry_a_token(url: str) -> bool:
    parts = urlsplit(url)
    encrypted = parts.scheme == "https" or (parts.scheme == "http" and is_loopback(parts.hostname))
    return encrypted and not parts.query and "@" not in url and url.isascii() and url.isprintable()


def _token(variables: Mapping[str, str], host: str) -> tuple[str, str]:
    names = _TOKENS[_is_githubs_own(host)]
    name = next((name for name in names if variables.get(name)), "")
    if not name:
        raise wrong(
            f"no token for {visible(host)}: set {names[0]} to one that may write contents and pull "
            f"requests (with gh: export {names[0]}=$(gh auth token --hostname {visible(host)}))"
        )
    if not _TOKEN.fullmatch(variables[name]):
        raise wrong(f"{name} is not a token: it has characters that no token has")
    return name, variables[name]


def _host_of(url: str) -> str:
    """Return host and port of a web address, in lower case; empty if it is none."""
    try:
        parts = urlsplit(url)
        known = parts.hostname and (parts.port is None or parts.port > 0)
    except ValueError:
        return ""
    return parts.netloc.rpartition("@")[2].lower() if known else ""
