"""GitHub: the user's git pushes the branch, the REST API opens the pull request, once."""

from __future__ import annotations

import os
import re
import time
from dataclasses import dataclass, field
from datetime import datetime, timezone
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
_PAUSES = (0.5, 1.5)  # seconds between attempts
_LOOKS = 3  # for a pull request: before it is opened, and after each time
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
        access = self._access(repository)
        with _client(access, self.seconds) as client:
            api = _Api(client, access, self)
            answer = api.get("", {}, pauses=())
        if answer.status != HTTPStatus.OK:
            passing = answer.has_failed or seconds_to_wait(answer, self.clock()) is not None
            raise api.refused(answer, code=FAILED if passing else UNUSABLE)
        _check_writable(answer.body, access)

    def open(self, change: Change) -> PullRequest:
        """Push the branch, and open a pull request or find the open one of the same branches."""
        access = self._access(change.repository)
        with _client(access, self.seconds) as client:
            try:
                change.repository.push(self.remote, f"{change.sha}:refs/heads/{change.branch}")
            except GitFault as fault:
                reason = without_credentials(str(fault))
                raise Fault(f"github: {visible(change.branch)} is not pushed: {reason}") from None
            return _Api(client, access, self).opened_once(change)

    def _access(self, repository: Repository) -> Access:
        fetched = address_of(repository, self.remote)
        return access_of(self.environment, fetched, address_of(repository, self.remote, "--push"))


def _check_writable(body: object, access: Access) -> None:
    if not isinstance(body, dict):
        raise wrong(_unreadable(access))
    if body.get("archived") is True or body.get("disabled") is True:
        raise wrong(f"{access.place} is archived: it takes no changes")
    rights = body.get("permissions")
    reader = isinstance(rights, dict) and rights.get("pull") is True and rights.get("push") is False
    if reader and access.head.casefold() == access.place.owner.casefold():
        raise wrong(
            f"the owner of the token in {access.variable} may read {access.place}, but not "
            "write to it: push to a fork, and set GH_REPO to the repository that it is of"
        )


def _client(access: Access, seconds: float) -> httpx.Client:
    try:
        import httpx
    except ImportError:
        raise wrong("it needs the extra headless: python3 start.py headless") from None
    try:
        return httpx.Client(
            headers={**_HEADERS, "Authorization": f"Bearer {access.token}"},
            timeout=seconds,
            follow_redirects=False,  # the token goes to one host
            trust_env=not is_loopback(access.host),  # nor to a proxy on the way to this machine
        )
    except (ImportError, OSError, ValueError) as fault:
        raise wrong(
            "no connection can be set up; look at HTTPS_PROXY and SSL_CERT_FILE: "
            f"{visible(without_credentials(str(fault)), 200)}"
        ) from None


@dataclass(frozen=True, kw_only=True, slots=True)
class Answer:
    """One answer: header names in lower case; `body` is parsed JSON, None where it is not JSON.

    Where no whole answer came the status is 0 and `reason` says why; `sent` tells that the request
    may have been taken up all the same.
    """

    status: int = 0
    headers: Mapping[str, str] = field(default_factory=dict)
    body: Any = None
    reason: str = ""
    sent: bool = True

    @property
    def has_failed(self) -> bool:
        """Whether it is the server's own failure: it may pass."""
        return self.status == 0 or self.status >= HTTPStatus.INTERNAL_SERVER_ERROR

    @property
    def errors(self) -> list[dict[str, Any]]:
        """The entries of `errors` that are objects; GitHub's older ones are plain strings."""
        found = self.body.get("errors") if isinstance(self.body, dict) else None
        entries = found if isinstance(found, list) else []
        objects = ({"message": each} if isinstance(each, str) else each for each in entries)
        return [each for each in objects if isinstance(each, dict)]

    @property
    def message(self) -> str:
        """The message of an error, and those of its parts, fit to be shown."""
        whole = [self.body] if isinstance(self.body, dict) else []
        messages = (each.get("message") for each in (*whole, *self.errors))
        return "; ".join(visible(text, 300) for text in messages if text and isinstance(text, str))


class _Api:
    """The pull requests of one repository: requests with patience, nothing opened twice."""

    def __init__(self, client: httpx.Client, access: Access, forge: GitHub) -> None:
        self._client = client
        self._access = access
        self._forge = forge

    def opened_once(self, change: Change) -> PullRequest:
        """Find the pull request of the change or open one, at most twice; in doubt, look first."""
        doubt = ""
        for attempt in range(_LOOKS):
            url = self._found(change)
            if url:
                return PullRequest(url=url, reused=not doubt)
            if attempt < _LOOKS - 1:
                url, reason = self._sent(change)
                if url:
                    return PullRequest(url=url)
                doubt = doubt or reason
        raise Fault(
            f"github: {self._access.host} was asked twice to open a pull request, and none is "
            f"there ({doubt or 'it says there is one'}): run the same command again in a while, "
            "nothing is opened twice"
        )

    def _found(self, change: Change) -> str:
        """Return the address of the pull request that is open for the change."""
        head = f"{self._access.head}:{change.branch}"
        answer = self.get("/pulls", {"state": "open", "head": head, "base": change.base})
        if answer.status != HTTPStatus.OK:
            raise self.refused(answer, change)
        pulls = answer.body if isinstance(answer.body, list) else [None]
        same = [each for each in pulls if not each or is_for(each, change, self._access.head)]
        url = url_of(same[0]) if same else ""
        if same and not url:
            raise Fault(f"github: {_unreadable(self._access)}")
        return url

    def _sent(self, change: Change) -> tuple[str, str]:
        """Return the new pull request's address, or why it is not known whether there is one.

        Neither: there is one, and it was not opened here.
        """
        body = {
            "title": _cut(change.title, _MOST_TITLE),
            "head": f"{self._access.head}:{change.branch}",
            "base": change.base,
            "body": _cut(change.body, _MOST_BODY),
        }
        answer = self._patient("POST", "/pulls", json=body)
        if answer.has_failed and answer.sent:
            return "", answer.reason or f"it answered {answer.status}"
        if exists_already(answer):
            return "", ""
        if answer.status != HTTPStatus.CREATED:
            raise self.refused(answer, change)
        url = url_of(answer.body)
        return url, "" if url else "its answer tells no address"

    def get(self, path: str, query: dict[str, str], pauses: Sequence[float] = _PAUSES) -> Answer:
        """Ask, and again after each pause where the server failed or did not answer."""
        answer = self._patient("GET", path, params=query)
        for pause in pauses:
            if not answer.has_failed:
                break
            self._forge.pause(pause)
            answer = self._patient("GET", path, params=query)
        return answer

    def refused(self, answer: Answer, change: Change | None = None, code: int = FAILED) -> Fault:
        """Return what an answer says in one line."""
        return Fault(explained(answer, self._access, self._forge.clock(), change), code=code)

    def _patient(self, method: str, path: str, **what: Any) -> Answer:
        """Send a request, once more after a limit that is over soon."""
        answer = self._exchanged(method, path, **what)
        wait = seconds_to_wait(answer, self._forge.clock())
        if wait is None or wait > _MOST_WAITED:
            return answer
        self._forge.pause(wait)
        return self._exchanged(method, path, **what)

    def _exchanged(self, method: str, path: str, **what: Any) -> Answer:
        import httpx

        host, seconds = visible(self._access.host), self._forge.seconds
        path = f"{self._access.api}/repos/{self._access.place}{path}"
        try:
            with self._client.stream(method, path, **what) as response:
                data = _whole(response, time.monotonic() + seconds)
        except (httpx.ConnectError, httpx.ConnectTimeout, httpx.ProxyError) as fault:
            why = visible(without_credentials(str(fault)), 200) or "it took too long"
            return Answer(reason=f"no connection to {host}: {why}", sent=False)
        except httpx.TimeoutException:
            return Answer(reason=f"{host} did not answer within {seconds:g} seconds")
        except httpx.HTTPError:
            return Answer(reason=f"{host} broke off in the middle of its answer")
        if data is None:
            return Answer(reason=f"{host} answers too much, or too slowly")
        headers = {name.lower(): value for name, value in response.headers.items()}
        return Answer(status=response.status_code, headers=headers, body=_parsed(data))


def _whole(response: httpx.Response, end: float) -> bytes | None:
    """Return the body, None where it has too many bytes or has not ended in time."""
    data = b""
    for part in response.iter_raw():
        data += part
        if len(data) > _MOST_BYTES or time.monotonic() > end:
            return None
    return data


def _parsed(data: bytes) -> Any:
    try:
        return parse(data)
    except NotStrictJson:
        return None


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


def without_credentials(text: str) -> str:
    """Return `text` without the user and password of any address in it."""
    return _CREDENTIALS.sub("", text)


def exists_already(answer: Answer) -> bool:
    """Return whether a pull request for the same head and base was there: its code is `custom`."""
    messages = (str(each.get("message")).lower() for each in answer.errors)
    return answer.status == HTTPStatus.UNPROCESSABLE_ENTITY and any(
        text.startswith("a pull request already exists") for text in messages
    )


def url_of(pull: object) -> str:
    """Return the web address of a pull request, empty where there is none that is fit for use."""
    url = pull.get("html_url") if isinstance(pull, dict) else None
    fit = isinstance(url, str) and "@" not in url and re.fullmatch(URL.pattern, url)
    return str(url) if fit else ""


def is_for(pull: object, change: Change, owner: str) -> bool:
    """Return whether a pull request has this head and base: a filter that is unknown is ignored."""
    parts = [pull.get(key) if isinstance(pull, dict) else None for key in ("head", "base")]
    head, base = (part if isinstance(part, dict) else {} for part in parts)
    of, _, branch = str(head.get("label")).partition(":")
    same_head = of.casefold() == owner.casefold() and branch == change.branch
    return same_head and base.get("ref") == change.base


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


def explained(answer: Answer, access: Access, now: float, change: Change | None = None) -> str:
    """Return one line: what was refused, and what to do about it."""
    if not answer.status:
        return f"github: {answer.reason}"
    wait = seconds_to_wait(answer, now)
    if wait is not None:
        what = f"allows no more calls for now; come back {_later(now, wait)}"
    else:
        what = _REFUSALS[_refusal(answer, change)].format(
            token=f"the token in {access.variable}",
            place=access.place,
            head=access.head,
            base=visible(change.base) if change else "",
            branch=visible(change.branch) if change else "",
        )
    line = f"github: {access.host} answered {answer.status} and {what}"
    permissions = visible(answer.headers.get("x-accepted-github-permissions", ""))
    line += (
        f"; needed here: {permissions}"
        if permissions and answer.status == HTTPStatus.FORBIDDEN
        else ""
    )
    return f"{line} (it said: {answer.message})" if answer.message else line


_REFUSALS = {
    "401": "does not know {token}: it is wrong, has expired or was revoked",
    "403": "refuses {token}: on {place} it needs write access to contents and pull requests (a "
    "classic token: the scope repo)",
    "404": "shows no repository {place} to {token}: look at the name, and at what the token may "
    "see",
    "422": "took the request for invalid",
    "base": "finds no branch {base} in {place} to merge into: push it",
    "head": "finds no branch {branch} of {head}: look whether the remote that is pushed to is "
    "{place} or a fork of it",
    "moved": "says that {place} has moved: set the remote's address to the new one",
    "none": "finds no commit on the branch that its base does not have",
    "sso": "wants {token} to be authorised for the organisation's single sign-on: do so in "
    "GitHub's settings, beside the token",
    "": "did not do what was asked; run the same command again in a while",
}


def _refusal(answer: Answer, change: Change | None) -> str:
    """Return which of the refusals an answer is."""
    if answer.status == HTTPStatus.UNPROCESSABLE_ENTITY:
        fields = [each.get("field") for each in answer.errors] if change else []
        about = next((name for name in ("base", "head") if name in fields), "")
        return about or ("none" if "no commits between" in answer.message.lower() else "422")
    if answer.headers.get("x-github-sso", "").startswith("required"):
        return "sso"
    if HTTPStatus.MULTIPLE_CHOICES <= answer.status < HTTPStatus.BAD_REQUEST:
        return "moved"
    return str(answer.status) if str(answer.status) in _REFUSALS else ""


def _later(now: float, wait: float) -> str:
    try:
        at = datetime.fromtimestamp(now + wait, tz=timezone.utc)
    except (OverflowError, OSError, ValueError):
        return "another day"
    return f"in {round(wait)} seconds, at {at:%Y-%m-%d %H:%M:%S} UTC"


def _unreadable(access: Access) -> str:
    return (
        f"what {access.host} answered is not what GitHub answers: look whether "
        f"{visible(access.api)} is the address of its API, and what is between here and there"
    )
