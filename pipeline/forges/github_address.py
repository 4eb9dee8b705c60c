"""Which repository an address names: of a remote, as git spells it, or of GH_REPO."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import urlsplit

_HOST = r"[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)*"
_OWNER = r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}"
_NAME = r"(?!\.{1,2}$)[A-Za-z0-9._-]{1,100}"
_NAMED = re.compile(rf"(?:(?P<host>{_HOST}(?::\d+)?)/)?(?P<owner>{_OWNER})/(?P<name>{_NAME})")
_PATH = re.compile(rf"/*(?P<owner>{_OWNER})/(?P<name>{_NAME})")
_SCP = re.compile(rf"(?:[^@/:]*@)?(?P<host>{_HOST}):(?P<path>[^:]+)")  # git-clone(1), "GIT URLS"
_WEB = ("http", "https")
_SCHEMES = (*_WEB, "ssh", "git", "git+ssh", "ssh+git")
_CREDENTIALS = re.compile(r"(?<=://)[^/\s]*@")
GITHUB = "github.com"
_TENANT = ".ghe.com"
_SAME_AS_GITHUB = ("ssh.github.com", "www.github.com")  # SSH over the HTTPS port, and the web


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """A repository on a host; `host` is in lower case, with a port if the web address has one."""

    host: str
    owner: str
    name: str

    def __str__(self) -> str:
        return f"{self.owner}/{self.name}"


def place_of(url: str) -> Place | None:
    """Return what a remote's address names: `https://…`, `ssh://…` or `git@host:owner/name.git`.

    A password or token in it is left out. None: it names no repository of a web host.
    """
    if "://" not in url:
        short = _SCP.fullmatch(url)
        drive = short is not None and len(short["host"]) == 1  # C:/work is a folder
        return None if short is None or drive else _placed(short["host"], short["path"])
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:  # a port that is none, a bracket that does not close
        return None
    if parts.scheme.lower() not in _SCHEMES or parts.query or parts.fragment:
        return None
    if not re.fullmatch(_HOST, host):
        return None
    with_port = f"{host}:{port}" if port and parts.scheme.lower() in _WEB else host
    return _placed(with_port, parts.path)


def _placed(host: str, path: str) -> Place | None:
    match = _PATH.fullmatch(path.rstrip("/").removesuffix(".git"))
    if match is None:
        return None
    return Place(host=_usual(host), owner=match["owner"], name=match["name"])


def place_named(text: str, host: str) -> Place | None:
    """Return what GH_REPO names, `[HOST/]OWNER/REPO` or a web address; `host` where it has none."""
    if "://" in text:
        return place_of(text)
    match = _NAMED.fullmatch(text)
    if match is None:
        return None
    return Place(host=_usual(match["host"] or host), owner=match["owner"], name=match["name"])


def _usual(host: str) -> str:
    return GITHUB if host.lower() in _SAME_AS_GITHUB else host.lower()


def is_githubs_own(host: str) -> bool:
    """Tell whether GitHub runs the host itself: github.com, or a tenant's SUBDOMAIN.ghe.com."""
    return host == GITHUB or host.endswith(_TENANT)


def api_of(host: str) -> str:
    """Return where a host's REST API is: docs.github.com/rest, "getting started"."""
    return f"https://api.{host}" if is_githubs_own(host) else f"https://{host}/api/v3"


def without_credentials(text: str) -> str:
    """Return `text` without the user and password of any address in it."""
    return _CREDENTIALS.sub("", text)


def shown(url: str) -> str:
    """Return a remote's address, fit to be shown: nothing before an `@`, nothing of a query."""
    return url.rpartition("@")[2].partition("?")[0]
