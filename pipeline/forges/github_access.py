"""Which repository at GitHub, where its API is, and which token is for it: as `gh` reads it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from pipeline.forges.base import parts_of, web_host
from pipeline.terminal.display import named, visible
from pipeline.terminal.fault import unusable

if TYPE_CHECKING:
    from collections.abc import Mapping

_GITHUB = "github.com"
_HOST = re.compile(r"[a-z0-9](?:[a-z0-9.-]*[a-z0-9])")  # one letter is a drive of Windows
_REPOSITORY = re.compile(r"/+([A-Za-z0-9][A-Za-z0-9_-]{0,99})/((?!\.{1,2}$)[A-Za-z0-9._-]{1,100})")
_SCHEMES = ("http", "https", "git", "ssh", "git+ssh", "ssh+git")
ON_THIS_MACHINE = re.compile(r"https?://(localhost|127(\.[0-9]{1,3}){3}|\[::1\])(:[0-9]+)?(/|$)")
_API = re.compile(r"https?://[!->A-~]+")  # printable, without `?` and `@`
_FORMS = "https://HOST/OWNER/REPO.git or git@HOST:OWNER/REPO.git, or set "  # of a remote's URL
_TOKEN = re.compile(r"[!-~]{1,4096}")  # what may be in a header's value, without a space


class HostedRepository(NamedTuple):
    """A repository on a host."""

    host: str  #: in lower case, with a port if the web address has one
    owner: str
    name: str

    def __str__(self) -> str:
        return f"{self.owner}/{self.name}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Access:
    """Where pull requests are opened, and with which token."""

    place: HostedRepository
    head: str  #: the owner of the repository that is pushed to
    api: str
    variable: str  #: of the environment, which has the token
    token: str = field(repr=False)


def access_of(
    environment: Mapping[str, str], fetched: str, pushed: str, *, needs_token: bool = True
) -> Access:
    """Return the repository and the token, from the variables and a remote's two addresses.

    What is public can be read without a token, which is then empty.
    """
    variables = {name: value.strip() for name, value in environment.items()}
    place, there = _place(variables, fetched), place_of(pushed)
    head = there.owner if there and _is_at(there, place.host) else place.owner
    api = _api(variables, place.host)
    variable, token = _token(variables, place.host, needed=needs_token)
    return Access(place=place, head=head, api=api, variable=variable, token=token)


def place_of(text: str) -> HostedRepository | None:
    """Return what a remote's address names: `https://…`, `ssh://…` or `git@host:owner/name.git`.

    A password or token is left out. None if it names no repository of a web host.
    """
    try:
        parts = parts_of(text)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return None
    repository = _REPOSITORY.fullmatch(parts.path.rstrip("/").removesuffix(".git"))
    if parts.scheme not in _SCHEMES or parts.query or not repository or not _HOST.fullmatch(host):
        return None
    if host in ("ssh.github.com", "www.github.com"):  # SSH by the HTTPS port, the web
        host, port = _GITHUB, None
    if port and parts.scheme.startswith("http"):  # a port of ssh is not the web's
        host = f"{host}:{port}"
    return HostedRepository(host, *repository.groups())


def _is_githubs_own(host: str) -> bool:
    return host == _GITHUB or host.endswith(".ghe.com")


def is_on_github(environment: Mapping[str, str], host: str) -> bool:
    """Return whether a host is GitHub's, or the Enterprise Server that the variables name."""
    server = web_host(environment.get("GITHUB_SERVER_URL", ""))
    return _is_githubs_own(host) or host in (environment.get("GH_HOST", "").lower(), server)


def _is_at(place: HostedRepository, host: str) -> bool:
    """Return whether a remote is at a host; a name without a dot is one of an SSH configuration."""
    return place.host in (host, host.partition(":")[0]) or "." not in place.host


def _place(variables: Mapping[str, str], fetched: str) -> HostedRepository:
    host, repository = variables.get("GH_HOST", "").lower(), variables.get("GH_REPO", "")
    whole = repository if repository.count("/") > 1 else f"{host or _GITHUB}/{repository}"
    place = place_of(f"https://{whole}" if repository else fetched)
    if place is None:
        source, form = ("GH_REPO", "") if repository else ("the remote's URL", _FORMS)
        public = (repository or fetched).rpartition("@")[2].partition("?")[0]
        raise unusable(
            f"github: {source} {named(public)} does not name a repository on a host: "
            f"expected {form}GH_REPO=[HOST/]OWNER/REPO"
        )
    if repository:
        return place
    server = web_host(variables.get("GITHUB_SERVER_URL", ""))
    if _is_at(place, host) if host else _is_githubs_own(place.host) or place.host == server:
        return place._replace(host=host or place.host)
    raise unusable(
        f"github: the remote is on {place.host}, but GH_HOST is {visible(host) or 'not set'}: set "
        f"GH_HOST={place.host} if that is your GitHub Enterprise Server (a token is never sent to "
        f"another host); otherwise, {host and 'unset GH_HOST or '}choose another remote or forge"
    )


def _api(variables: Mapping[str, str], host: str) -> str:
    """Return where a host's REST API is; GITHUB_API_URL only counts where its token may go."""
    given = variables.get("GITHUB_API_URL", "").rstrip("/")
    is_own = given.startswith("https://") and web_host(given) in (host, f"api.{host}")
    if _API.fullmatch(given) and (is_own or ON_THIS_MACHINE.match(given)):
        return given
    return f"https://api.{host}" if _is_githubs_own(host) else f"https://{host}/api/v3"


def _token(variables: Mapping[str, str], host: str, *, needed: bool) -> tuple[str, str]:
    kind = "" if _is_githubs_own(host) else "ENTERPRISE_"
    first, second = f"GH_{kind}TOKEN", f"GITHUB_{kind}TOKEN"  # cli.github.com/manual, environment
    name = first if variables.get(first) else second
    token = variables.get(name, "")
    if not token and needed:
        raise unusable(
            f"github: no token for {visible(host)}: set {first} to one that can write contents and "
            f"pull requests (with gh: export {first}=$(gh auth token --hostname {visible(host)}))"
        )
    if token and not _TOKEN.fullmatch(token):
        raise unusable(f"github: {name} is not a token: it has characters that tokens never have")
    return name, token
