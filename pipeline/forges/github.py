"""GitHub: the user's git pushes the branch, the REST API opens the pull request, once."""

from __future__ import annotations

import math
import os
import re
import time
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from pipeline.forges.base import Change, PullRequest, address_of
from pipeline.forges.github_access import access_of, is_loopback, wrong
from pipeline.git import GitFault
from pipeline.protocol.json_text import NotStrictJson, parse
from pipeline.protocol.patterns import URL
from pipeline.terminal.display import visible
from pipeline.terminal.exit_codes import FAILED, UNUSABLE
from pipeline.terminal.fault import Fault

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import httpx

    from pipeline.forges.github_access import Access
    from pipeline.git import Repository

_MOST_BYTES = 1 << 20
_MOST_TITLE, _MOST_BODY = 256, 65_536  # characters that GitHub accepts
_MOST_WAITED = 5.0  # seconds to wait for a limit; a longer one is reported
_OPENED = 2  # times that a pull request is asked for
_PAUSES = (0.5, 1.5)  # seconds between attempts
_MINUTE = 60.0  # docs.github.com, "Troubleshooting the REST API": the least without a header
_DIGITS = re.compile(r"\d{1,12}")
_CREDENTIALS = re.compile(r"(?<=://)[^/\s]*@")
_HEADERS = {
    "Accept": "application/vnd.github+json",
    "Accept-Encoding": "identity",  # so that the limit of bytes is one of memory too
    "User-Agent": "issue-pipeline",
    "X-GitHub-Api-Version": "2022-11-28",  # known to github.com and to every Enterprise Server
}


@dataclass(kw_only=True, slots=True)
class GitHub:
    """Pull requests at github.com, at a tenant of ghe.com or at an Enterprise Server.

    `remote` is pushed to. The rest is for tests: the variables, the seconds that an answer may
    take, what waits for a number of seconds, and what tells the seconds since 1970.
    """

    remote: str = "origin"
    environment: Mapping[str, str] = field(default_factory=lambda: os.environ)
    seconds: float = 10.0  # GitHub itself gives a request up after that time
    pause: Callable[[float], object] = time.sleep
    clock: Callable[[], float] = time.time
    name: str = "github"

    def check(self, repository: Repository) -> None:
        """Find out whether the repository is there for the token; one GET, nothing is changed."""
        api = _Api(self, repository)
        with api.client:
            answer = api.ask("GET", "", pauses=())
        if answer.status != HTTPStatus.OK:
            passing = answer.has_failed or seconds_to_wait(answer, self.clock()) is not None
            raise Fault(*api.refused(answer).lines, code=FAILED if passing else UNUSABLE)
        _check_writable(answer.body, api.access)

    def open(self, change: Change) -> PullRequest:
        """Push the branch, and open a pull request or find the open one of the same branches."""
        api = _Api(self, change.repository)
        with api.client:
            try:
                change.repository.push(self.remote, f"{change.sha}:refs/heads/{change.branch}")
            except GitFault as fault:
                reason = without_credentials(str(fault))
                raise Fault(
                    f"github: {visible(change.branch)} could not be pushed: {reason}"
                ) from None
            return api.opened_once(change)


def _check_writable(body: object, access: Access) -> None:
    if not isinstance(body, dict):
        raise wrong(_unreadable(access))
    if body.get("archived") is True or body.get("disabled") is True:
        raise wrong(f"{access.place} is archived: it does not accept changes")
    rights = body.get("permissions")
    reader = isinstance(rights, dict) and rights.get("pull") is True and rights.get("push") is False
    if reader and access.head.casefold() == access.place.owner.casefold():
        raise wrong(
            f"the owner of the token in {access.variable} may read {access.place}, but not "
            "write to it: push to a fork, and set GH_REPO to the original repository"
        )


def _client(access: Access, seconds: float) -> httpx.Client:
    try:
        import httpx

        return httpx.Client(
            headers={**_HEADERS, "Authorization": f"Bearer {access.token}"},
            timeout=seconds,
            follow_redirects=False,  # the token goes to one host
            trust_env=not is_loopback(access.host),  # nor to a proxy on the way to this machine
        )
    except ModuleNotFoundError:
        raise wrong("httpx is not installed: run python3 start.py headless") from None
    except (ImportError, OSError, ValueError) as fault:
        raise wrong(
            "cannot set up a connection; check HTTPS_PROXY and SSL_CERT_FILE: "
            f"{visible(without_credentials(str(fault)), 200)}"
        ) from None


@dataclass(frozen=True, kw_only=True, slots=True)
class Answer:
    """One answer; `body` is parsed JSON, None where it is not JSON.

    Where no whole answer came the status is 0 and `reason` says why: the request may have been
    taken up all the same.
    """

    status: int = 0
    headers: Mapping[str, str] = field(default_factory=dict)
    body: Any = None
    reason: str = ""

    @property
    def has_failed(self) -> bool:
        """Whether it is the server's own failure: it may pass."""
        return self.status == 0 or self.status >= HTTPStatus.INTERNAL_SERVER_ERROR

    @property
    def message(self) -> str:
        """The message of an error, and those of its parts, fit to be shown."""
        body = self.body if isinstance(self.body, dict) else {}
        errors = body.get("errors")
        parts = (body, *(errors if isinstance(errors, list) else ()))
        return "; ".join(filter(None, map(_words, parts)))


def _words(part: object) -> str:
    """Return what an error, or a part of one, says; older parts are plain strings."""
    if isinstance(part, dict):
        named = (str(part[key]) for key in ("field", "code") if key in part)
        part = part.get("message") or " ".join(named)
    return visible(part, 300) if isinstance(part, str) else ""


class _Api:
    """The pull requests of one repository: requests with patience, nothing opened twice."""

    def __init__(self, forge: GitHub, repository: Repository) -> None:
        fetched, pushed = (address_of(repository, forge.remote, *o) for o in ((), ("--push",)))
        self.access = access_of(forge.environment, fetched, pushed)
        self.client = _client(self.access, forge.seconds)
        self._forge = forge

    def opened_once(self, change: Change) -> PullRequest:
        """Find the pull request of the change or open one, at most twice; in doubt, look first."""
        branches = {"head": f"{self.access.head}:{change.branch}", "base": change.base}
        title, body = _cut(change.title, _MOST_TITLE), _cut(change.body, _MOST_BODY)
        doubt = ""
        for attempt in range(_OPENED + 1):
            answer = self.ask("GET", "/pulls", params={"state": "open", **branches})
            if url := self._found(answer, change):
                return PullRequest(url=url, reused=not doubt)
            if attempt == _OPENED:
                break
            answer = self.ask("POST", "/pulls", json={"title": title, "body": body, **branches})
            if url := url_of(answer.body):
                return PullRequest(url=url)
            if answer.has_failed or answer.status == HTTPStatus.CREATED:
                doubt = answer.reason or f"it answered {answer.status}"
            elif not exists_already(answer):
                raise self.refused(answer)
        raise Fault(
            f"github: {self.access.host} was asked twice to open a pull request, but none "
            f"exists ({doubt or 'it says that one exists'}): run the same command again later; "
            "no pull request is opened twice"
        )

    def _found(self, answer: Answer, change: Change) -> str:
        """Return the address of the listed pull request that is for a change, empty for none."""
        if answer.status != HTTPStatus.OK:
            raise self.refused(answer)
        pulls = answer.body if isinstance(answer.body, list) else [None]
        same = [each for each in pulls if not each or is_for(each, change, self.access.head)]
        url = url_of(same[0]) if same else ""
        if same and not url:
            raise Fault(f"github: {_unreadable(self.access)}")
        return url

    def ask(
        self, method: str, path: str, pauses: Sequence[float] = _PAUSES, **request: Any
    ) -> Answer:
        """Send a request, and again after a short limit, or where a question was not answered."""
        answer = self._exchanged(method, path, **request)
        for pause in pauses:
            wait = seconds_to_wait(answer, self._forge.clock())
            if wait is None and answer.has_failed and method == "GET":
                wait = pause
            if wait is None or wait > _MOST_WAITED:
                break
            self._forge.pause(wait)
            answer = self._exchanged(method, path, **request)
        return answer

    def refused(self, answer: Answer) -> Fault:
        """Return what an answer says in one line."""
        return Fault(explained(answer, self.access, self._forge.clock()))

    def _exchanged(self, method: str, path: str, **request: Any) -> Answer:
        import httpx

        url, data = f"{self.access.api}/repos/{self.access.place}{path}", b""
        end = time.monotonic() + self._forge.seconds
        try:
            with self.client.stream(method, url, **request) as response:
                for part in response.iter_raw():
                    data += part
                    if len(data) > _MOST_BYTES or time.monotonic() > end:
                        raise httpx.ReadError("the response is too large or takes too long")
        except httpx.HTTPError as fault:
            why = visible(without_credentials(str(fault)), 200) or type(fault).__name__
            return Answer(reason=f"no usable answer from {self.access.host}: {why}")
        try:
            body = parse(data)
        except NotStrictJson:
            body = None
        return Answer(status=response.status_code, headers=response.headers, body=body)


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


def without_credentials(text: str) -> str:
    """Return `text` without the user and password of any address in it."""
    return _CREDENTIALS.sub("", text)


def exists_already(answer: Answer) -> bool:
    """Return whether a pull request for the same head and base was there: its code is `custom`."""
    is_there = "a pull request already exists" in answer.message.lower()
    return is_there and answer.status == HTTPStatus.UNPROCESSABLE_ENTITY


def url_of(pull: object) -> str:
    """Return the web address of a pull request, empty where there is none that is fit for use."""
    url = pull.get("html_url") if isinstance(pull, dict) else None
    fit = isinstance(url, str) and "@" not in url and re.fullmatch(URL.pattern, url)
    return str(url) if fit else ""


def is_for(pull: Any, change: Change, owner: str) -> bool:
    """Return whether a pull request has this head and base: a filter that is unknown is ignored."""
    try:
        of, _, branch = str(pull["head"]["label"]).partition(":")
        branches = branch, pull["base"]["ref"]
    except (KeyError, TypeError):
        return False
    return of.casefold() == owner.casefold() and branches == (change.branch, change.base)


def seconds_to_wait(answer: Answer, now: float) -> float | None:
    """Return how long GitHub wants to be left alone, None if it was no limit that it refused by.

    docs.github.com, "Rate limits for the REST API"; `now` is in seconds since 1970.
    """
    if answer.status not in (HTTPStatus.FORBIDDEN, HTTPStatus.TOO_MANY_REQUESTS):
        return None
    after, reset = (answer.headers.get(name, "") for name in ("retry-after", "x-ratelimit-reset"))
    if _DIGITS.fullmatch(after):
        return float(after)
    if answer.headers.get("x-ratelimit-remaining") == "0" and _DIGITS.fullmatch(reset):
        return max(0.0, float(reset) - now) + 1  # whole seconds: not a moment too soon
    limited = "rate limit" in answer.message.lower()
    return _MINUTE if limited or answer.status == HTTPStatus.TOO_MANY_REQUESTS else None


_LATER = "run the same command again later"
_ACTIONS = {
    **dict.fromkeys((301, 302, 307, 308), "{place} has moved: update the remote's URL"),
    401: "the token in {variable} is wrong, has expired or was revoked",
    403: "the token in {variable} needs write access to the contents and pull requests of {place} "
    "(a classic token: the repo scope)",
    404: "check that {place} is correct, and that the token in {variable} has access to it",
    422: "check that the base is a branch of {place}, the remote is {place} or a fork of it, and "
    "the branch has commits of its own",
}


def explained(answer: Answer, access: Access, now: float) -> str:
    """Return one line: what GitHub says, and what to do about it."""
    if not answer.status:
        return f"github: {answer.reason}"
    wait = seconds_to_wait(answer, now)
    if wait is None:
        action = _ACTIONS.get(answer.status, _LATER)
        action = action.format(place=access.place, variable=access.variable)
    else:
        action = f"its rate limit is reached; try again in {math.ceil(wait / 60)} minutes"
    message = f' "{answer.message}"' if answer.message else ""
    return f"github: {access.host} answered {answer.status}{message}: {action}"


def _unreadable(access: Access) -> str:
    api = visible(access.api)
    return f"{access.host} does not answer like GitHub: check that {api} is the URL of its API"
