"""GitHub: the user's git pushes the branch, the REST API opens the pull request."""

from __future__ import annotations

import os
import time
from contextlib import contextmanager
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from pipeline.forges.base import Change, ForgeFault, PullRequest
from pipeline.forges.github_access import access_of
from pipeline.forges.github_address import without_credentials
from pipeline.forges.github_channel import Channel, Unreached
from pipeline.forges.github_pulls import Pulls, path_of, unreadable
from pipeline.forges.github_replies import Answer, explained, seconds_to_wait
from pipeline.git import GitFault
from pipeline.protocol.json_text import NotStrictJson, parse
from pipeline.terminal.display import named, visible

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    import httpx

    from pipeline.forges.github_access import Access
    from pipeline.git import Repository

_SECONDS = 10.0  # GitHub itself gives a request up after that time
_MOST_BYTES = 1 << 20
_HEADERS = {
    "Accept": "application/vnd.github+json",
    "Accept-Encoding": "identity",  # so that the limit of bytes is one of memory too
    "User-Agent": "issue-pipeline",
    "X-GitHub-Api-Version": "2022-11-28",  # known to github.com and to every Enterprise Server
}


class GitHub:
    """Pull requests at github.com, at a tenant of ghe.com or at an Enterprise Server.

    `remote` is pushed to. The rest is for tests: the variables, the seconds that an answer may
    take, what waits for a number of seconds, and what tells the seconds since 1970.
    """

    name = "github"

    def __init__(
        self,
        *,
        remote: str = "origin",
        environment: Mapping[str, str] = os.environ,
        seconds: float = _SECONDS,
        pause: Callable[[float], object] = time.sleep,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.remote = remote
        self._environment = environment
        self._seconds = seconds
        self._pause = pause
        self._clock = clock

    def check(self, repository: Repository) -> None:
        """Find out whether the repository is there for the token; one GET, nothing is changed.

        Raises:
            ForgeFault: no remote, no token, no connection, no such repository, no right to write.
        """
        access = self._access(repository)
        with self._channel(access) as channel:
            answer = channel.ask(path_of(access), {}, again=False)
        if answer.status != HTTPStatus.OK:
            passing = answer.has_failed or seconds_to_wait(answer, self._clock()) is not None
            raise ForgeFault(explained(answer, access, self._clock()), usage=not passing)
        _check_writable(answer.body, access)

    def open(self, change: Change) -> PullRequest:
        """Push the branch, and open a pull request or find the open one of the same branches.

        Raises:
            ForgeFault: the push or GitHub refused, or GitHub did not answer; asked once more, the
                same change is not opened twice.
        """
        access = self._access(change.repository)
        with self._channel(access) as channel:
            self._push(change)
            pulls = Pulls(channel, access, change, self._clock)
            return pulls.found() or pulls.opened()

    def _access(self, repository: Repository) -> Access:
        return access_of(
            self._environment, self._address(repository), self._address(repository, "--push")
        )

    def _address(self, repository: Repository, *options: str) -> str:
        done = repository.attempt("remote", "get-url", *options, "--", self.remote)
        address = done.stdout.strip()
        if done.returncode == 0 and address:
            return address
        raise ForgeFault(
            f"github: there is no remote {named(self.remote)}: expected one to push to; "
            f"git remote add {visible(self.remote)} https://github.com/OWNER/REPO.git",
            usage=True,
        )

    def _push(self, change: Change) -> None:
        refspec = f"{change.sha}:refs/heads/{change.branch}"
        try:
            change.repository.push(self.remote, refspec)
        except GitFault as fault:
            raise ForgeFault(
                f"github: {visible(change.branch)} is not pushed: {without_credentials(str(fault))}"
            ) from None

    @contextmanager
    def _channel(self, access: Access) -> Iterator[Channel]:
        with _client(access, self._seconds) as client:
            wire = _Wire(client, access, self._seconds)
            try:
                yield Channel(wire, pause=self._pause, clock=self._clock)
            except Unreached as reason:
                raise ForgeFault(f"github: {reason}") from None


def _check_writable(body: object, access: Access) -> None:
    if not isinstance(body, dict):
        raise ForgeFault(unreadable(access), usage=True)
    if body.get("archived") is True or body.get("disabled") is True:
        raise ForgeFault(f"github: {access.place} is archived: it takes no changes", usage=True)
    rights = body.get("permissions")
    reader = isinstance(rights, dict) and rights.get("pull") is True and rights.get("push") is False
    if reader and access.head.casefold() == access.place.owner.casefold():
        raise ForgeFault(
            f"github: the owner of the token in {access.variable} may read {access.place}, but not "
            "write to it: push to a fork, and set GH_REPO to the repository that it is of",
            usage=True,
        )


def _client(access: Access, seconds: float) -> httpx.Client:
    try:
        import httpx
    except ImportError:
        raise ForgeFault(
            "the github forge needs the extra headless: python3 start.py headless", usage=True
        ) from None
    try:
        return httpx.Client(
            headers={**_HEADERS, "Authorization": f"Bearer {access.token}"},
            timeout=seconds,
            follow_redirects=False,  # the token goes to one host
            trust_env=not access.within_this_machine,  # nor to a proxy on the way to this machine
        )
    except (ImportError, OSError, ValueError) as fault:
        raise ForgeFault(
            "github: no connection can be set up; look at HTTPS_PROXY and SSL_CERT_FILE: "
            f"{visible(without_credentials(str(fault)), 200)}",
            usage=True,
        ) from None


class _Wire:
    """Requests over HTTP: `seconds` for each step of one, and for its whole body."""

    def __init__(self, client: httpx.Client, access: Access, seconds: float) -> None:
        self._client = client
        self._access = access
        self._seconds = seconds

    def ask(self, path: str, query: dict[str, str]) -> Answer:
        """GET."""
        return self._exchanged("GET", path, params=query)

    def send(self, path: str, body: dict[str, Any]) -> Answer:
        """POST."""
        return self._exchanged("POST", path, json=body)

    def _exchanged(self, method: str, path: str, **what: Any) -> Answer:
        import httpx

        host = visible(self._access.host)
        try:
            with self._client.stream(method, self._access.api + path, **what) as response:
                return Answer(
                    status=response.status_code,
                    headers={key.lower(): value for key, value in response.headers.items()},
                    body=_parsed(self._whole(response)),
                )
        except (httpx.ConnectError, httpx.ConnectTimeout, httpx.ProxyError) as fault:
            why = visible(without_credentials(str(fault)), 200) or "it took too long"
            raise Unreached(f"no connection to {host}: {why}", unsent=True) from None
        except httpx.TimeoutException:
            raise Unreached(f"{host} did not answer within {self._seconds:g} seconds") from None
        except httpx.HTTPError:
            raise Unreached(f"{host} broke off in the middle of its answer") from None

    def _whole(self, response: httpx.Response) -> bytes:
        end = time.monotonic() + self._seconds
        parts, size = [], 0
        for part in response.iter_raw():
            size += len(part)
            if size > _MOST_BYTES:
                raise Unreached(f"{visible(self._access.host)} answers without an end")
            if time.monotonic() > end:
                raise Unreached(f"{visible(self._access.host)} answers too slowly")
            parts.append(part)
        return b"".join(parts)


def _parsed(data: bytes) -> Any:
    try:
        return parse(data)
    except NotStrictJson:
        return None
