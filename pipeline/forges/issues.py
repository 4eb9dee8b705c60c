"""Reads an issue from GitHub, GitLab, Gitea or Forgejo; a token goes to its own host only."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote

from pipeline.forges.api import action_after, client, github_headers, sent
from pipeline.forges.base import address_of, parts_of, web_host
from pipeline.forges.github_access import ON_THIS_MACHINE, access_of, is_on_github
from pipeline.terminal.display import named, visible
from pipeline.terminal.fault import unusable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pipeline.git import Repository

_SECONDS = 10.0
_ADDRESS = re.compile(
    r"https?://(?P<host>[^\s/?#@]+)/(?P<path>[\w.-]+(?:/[\w.-]+)+?)/(?P<gitlab>-/)?"
    r"(?:issues|work_items)/(?P<number>[1-9][0-9]{0,8})/?(?:[?#]\S*)?",
    re.ASCII,
)


class _Tracker(NamedTuple):
    """Where a kind of forge has its issues, and which token is for which host."""

    prefix: str  #: of the ids of its issues in a run
    api: str  #: the address of an issue for programs, after the host
    page: str  #: and for people
    text: str  #: the field that has an issue's text
    token: str  #: the variable of the environment that has a token
    host: str  #: and that which names the token's host
    usual: str  #: the host if that is not set
    header: tuple[str, str]  #: that carries the token


_TRACKERS = {
    "github": _Tracker("GH", "", "/issues/", "body", "GH_TOKEN", "GH_HOST", "", ("", "")),
    "gitlab": _Tracker(
        *("GL", "/api/v4/projects/{quoted}/issues/", "/-/issues/", "description"),
        *("GITLAB_TOKEN", "GITLAB_HOST", "gitlab.com", ("PRIVATE-TOKEN", "")),
    ),
    "gitea": _Tracker(
        *("GT", "/api/v1/repos/{path}/issues/", "/issues/", "body"),
        *("GITEA_TOKEN", "GITEA_SERVER_URL", "", ("Authorization", "token ")),
    ),
}
_ACTIONS = {
    **dict.fromkeys((301, 302, 307, 308), "it has moved: give its new address"),
    401: "the token in {token} is wrong, has expired or was revoked",
    403: "the token in {token} may not read it",
    **dict.fromkeys(
        (404, 410), "check the number; an issue that is not public needs {token} and {host}"
    ),
}


@dataclass(frozen=True, kw_only=True, slots=True)
class IssueSource:
    """Where a forge has one issue."""

    forge: str
    number: str
    api: str  #: its address for programs
    page: str  #: its address for people
    headers: Mapping[str, str] = field(repr=False)

    @property
    def id(self) -> str:
        """The id of the issue in a run, such as GH-12, which GitHub links to issue 12."""
        return f"{_TRACKERS[self.forge].prefix}-{self.number}"

    def fetch(self) -> tuple[str, str]:
        """Return the issue's title, on one line, and its text.

        Raises:
            Fault: there is no such issue, it is a pull request, or no usable answer came.
        """
        with client(self.api, self.headers, _SECONDS, self.forge) as connection:
            answer = sent(connection, "GET", self.api, seconds=_SECONDS, who=self.forge)
        body = answer.body if isinstance(answer.body, dict) else {}
        title, text = body.get("title"), body.get(_TRACKERS[self.forge].text)
        who, tracker = f"{self.forge}: {visible(self.page, 300)}", _TRACKERS[self.forge]
        if answer.status != HTTPStatus.OK or not isinstance(title, str):
            unknown = "this is not the forge's API, or it has a fault"
            names = {"token": tracker.token, "host": tracker.host}
            action = action_after(answer, _ACTIONS, unknown, names)
            raise unusable(f"{who}: answered {answer.summary}: {action}")
        if body.get("pull_request"):
            raise unusable(f"{who}: is a pull request (expected an issue)")
        return visible(" ".join(title.split()), 300), text if isinstance(text, str) else ""


def source_of(
    place: str,
    repository: Repository,
    environment: Mapping[str, str],
    *,
    remote: str = "origin",
    forge: str = "",
) -> IssueSource:
    """Return where an issue is: `https://…/issues/12`, or `#12` of the remote's repository.

    Raises:
        Fault: it is not the address of an issue, or the remote is on no forge.
    """
    page, forge = place, forge if place.startswith("#") else ""
    if place.startswith("#"):
        address = address_of(repository, remote)
        page = f"{web_page(address)}/issues/{place[1:]}"
        if forge == "github" or environment.get("GH_REPO"):
            access = access_of(environment, address, address, needs_token=False)
            page, forge = f"https://{access.place.host}/{access.place}/issues/{place[1:]}", "github"
    found = _ADDRESS.fullmatch(page)
    if not found or not web_host(page):
        what = f"the remote {named(remote)} is on no forge" if page != place else named(place)
        raise unusable(f"{what}: expected the address of an issue, such as https://…/issues/12")
    host, path, number = found["host"].lower(), found["path"], found["number"]
    if found["gitlab"] or (host.startswith("gitlab.") and not forge):
        forge = "gitlab"
    elif not forge:
        forge = "github" if is_on_github(environment, host) else "gitea"
    api, headers = _api_of(forge, host, path, environment)
    page = f"https://{host}/{path}{_TRACKERS[forge].page}{number}"
    return IssueSource(forge=forge, number=number, api=api + number, page=page, headers=headers)


def _api_of(
    forge: str, host: str, path: str, environment: Mapping[str, str]
) -> tuple[str, dict[str, str]]:
    """Return where programs find a repository's issues, and the headers with the host's token."""
    if forge == "github":
        given = {**environment, "GH_REPO": f"{host}/{path}"}
        access = access_of(given, "", "", needs_token=False)
        return f"{access.api}/repos/{access.place}/issues/", github_headers(access.token)
    tracker = _TRACKERS[forge]
    scheme = "http" if ON_THIS_MACHINE.match(f"http://{host}") else "https"
    where = tracker.api.format(path=path, quoted=quote(path, safe=""))
    return f"{scheme}://{host}{where}", _headers(tracker, host, environment)


def web_page(address: str) -> str:
    """Return the web address of a remote's repository, by https and without a name or password."""
    parts = parts_of(address)
    port = f":{parts.port}" if parts.port and parts.scheme.startswith("http") else ""
    path = parts.path.strip("/").removesuffix(".git")
    return f"https://{parts.hostname or ''}{port}/{path}"


def token_for(forge: str, host: str, environment: Mapping[str, str]) -> tuple[str, dict[str, str]]:
    """Return where the API of a host is, and the header with the token for it.

    Raises:
        Fault: a token for this host is missing.
    """
    tracker = _TRACKERS[forge]
    headers = _headers(tracker, host, environment)
    if not headers:
        raise unusable(
            f"{forge}: no token for {visible(host)}: set {tracker.token} to one that can read the "
            f"repository, and {tracker.host}={visible(host)}"
        )
    scheme = "http" if ON_THIS_MACHINE.match(f"http://{host}") else "https"
    version = "/".join(tracker.api.split("/", 3)[:3])  # such as /api/v4
    return f"{scheme}://{host}{version}", headers


def _headers(tracker: _Tracker, host: str, environment: Mapping[str, str]) -> dict[str, str]:
    """Return the header with the token, empty where the token is for another host."""
    server = environment.get(tracker.host) or tracker.usual
    token = environment.get(tracker.token, "").strip()
    name, kind = tracker.header
    is_own = host == (web_host(server) or server.lower())
    return {name: f"{kind}{token}"} if token and is_own else {}
