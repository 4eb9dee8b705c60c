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
_HOST = re.compile(r"[a-z0-9](?:[a-z0-9.-]*[a-z0-9])")  # one letter is a drive of Windows
_REPOSITORY = re.compile(r"/+([A-Za-z0-9][A-Za-z0-9_-]{0,99})/((?!\.{1,2}$)[A-Za-z0-9._-]{1,100})")
_WEB = ("http", "https")
_SCHEMES = (*_WEB, "git", "ssh", "git+ssh", "ssh+git")
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
    try:  # git-clone(1), "GIT URLS"
        parts = urlsplit(text if "://" in text else f"ssh://{text.replace(':', '/', 1)}")
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return None
    repository = _REPOSITORY.fullmatch(parts.path.rstrip("/").removesuffix(".git"))
    if parts.scheme not in _SCHEMES or parts.query or not repository or not _HOST.fullmatch(host):
        return None
    if host in ("ssh.github.com", "www.github.com"):  # SSH by the HTTPS port, the web
        return Place(GITHUB, *repository.groups())
    web = (
        f"{host}:{port}" if port and parts.scheme in _WEB else host
    )  # a port of ssh is not the web's
    return Place(web, *repository.groups())


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
            f"the remote's URL {named(shown(fetched))} does not name a repository on a host: "
            "expected https://HOST/OWNER/REPO.git or git@HOST:OWNER/REPO.git; or set "
            "GH_REPO=OWNER/REPO"
        )
    server = _host_of(variables.get("GITHUB_SERVER_URL", ""))
    if _is_at(place, host) if host else _is_githubs_own(place.host) or place.host == server:
        return place._replace(host=host or place.host)
    raise wrong(
        f"the remote is on {visible(place.host)}, but GH_HOST is {visible(host) or 'not set'}: set "
        f"GH_HOST={visible(place.host)} if that is your GitHub Enterprise Server (a token is never "
        "sent to another host); otherwise, unset GH_HOST or choose another remote or forge"
    )


def _api(variables: Mapping[str, str], host: str) -> str:
    """Return where a host's REST API is (docs.github.com/rest, "Getting started")."""
    usual = f"https://api.{host}" if _is_githubs_own(host) else f"https://{host}/api/v3"
    given = variables.get("GITHUB_API_URL", "").rstrip("/")
    server = _host_of(variables.get("GITHUB_SERVER_URL", ""))
    if not given or (server and server != host):  # in Actions the two are of one server
        return usual
    there = _host_of(given)
    here = is_loopback(urlsplit(given).hostname) if there else False
    known = here or (given.startswith("https://") and there in (host, f"api.{host}"))
    if known and "@" not in given and "?" not in given and given.isascii() and given.isprintable():
        return given
    raise wrong(
        f"GITHUB_API_URL is {named(shown(given))}: expected a URL at https://{visible(host)}, "
        "because its token is never sent to another host; unset GITHUB_API_URL, or set GH_HOST"
    )


def _token(variables: Mapping[str, str], host: str) -> tuple[str, str]:
    names = _TOKENS[_is_githubs_own(host)]
    name = next((name for name in names if variables.get(name)), "")
    if not name:
        raise wrong(
            f"no token for {visible(host)}: set {names[0]} to one that can write contents and pull "
            f"requests (with gh: export {names[0]}=$(gh auth token --hostname {visible(host)}))"
        )
    if not _TOKEN.fullmatch(variables[name]):
        raise wrong(f"{name} is not a token: it has characters that tokens never have")
    return name, variables[name]


def _host_of(url: str) -> str:
    """Return host and port of a web address, in lower case; empty if it is none."""
    try:
        parts = urlsplit(url)
        known = parts.scheme in _WEB and parts.hostname and parts.port != 0
    except ValueError:
        return ""
    return parts.netloc.rpartition("@")[2].lower() if known else ""
