"""GitHub: the user's git pushes the branch, the REST API opens the pull request, once."""

from __future__ import annotations

import math
import os
import re
import time
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, NamedTuple

from pipeline.forges.base import Change, PullRequest, address_of, cut
from pipeline.forges.github_access import ON_THIS_MACHINE, access_of
from pipeline.git import without_credentials
from pipeline.protocol.json_text import NotStrictJson, parse
from pipeline.protocol.patterns import URL
from pipeline.terminal.display import visible
from pipeline.terminal.exit_codes import FAILED, UNUSABLE
from pipeline.terminal.fault import Fault, unusable

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import httpx

    from pipeline.forges.github_access import Access
    from pipeline.git import Repository

_MOST_BYTES = 1 << 20
_PAUSES = (0.5, 1.5, 0.0)  # seconds after each attempt
_DIGITS = re.compile(r"\d{1,12}")
_LATER = "run the same command again later"
_ACTIONS = {
    200: "this is not GitHub's API; check GITHUB_API_URL, and whether a proxy shows a login page",
    **dict.fromkeys((301, 302, 307, 308), "{place} has moved: update GH_REPO or the remote's URL"),
    401: "the token in {variable} is wrong, has expired or was revoked",
    403: "the token in {variable} needs write access to the contents and pull requests of {place} "
    "(a classic token: the repo scope)",
    404: "check that {place} is correct, and that the token in {variable} has access to it",
    422: "check that the base is a branch of {place}, the remote is {place} or a fork of it, and "
    "the branch has commits of its own",
}


class ApiAnswer(NamedTuple):
    """One complete answer; `body` is parsed JSON, None if it is not JSON."""

    status: int
    headers: Mapping[str, str]
    body: Any = None

    @property
    def message(self) -> str:
        """The message of an error, and those of its parts, fit to be shown."""
        body = self.body if isinstance(self.body, dict) else {}
        errors = body.get("errors")
        parts = [body, *errors] if isinstance(errors, list) else [body]
        said = (p.get("message", p.get("field")) if isinstance(p, dict) else p for p in parts)
        return "; ".join(visible(text, 300) for text in said if isinstance(text, str))


class _Unanswered(Fault):
    """No complete answer came, or the server failed; the request may have taken effect."""


class GitHub:
    """Pull requests at github.com, at a tenant of ghe.com or at an Enterprise Server."""

    name = "github"
    environment: Mapping[str, str] = os.environ
    seconds = 10.0  # GitHub itself stops a request after this time
    pause: Callable[[float], object] = staticmethod(time.sleep)
    _access: Access
    _client: httpx.Client

    def __init__(self, remote: str) -> None:
        self.remote = remote

    def check(self, repository: Repository) -> None:
        """Find out whether the token can write to the repository; one GET, nothing is changed."""
        with self._connected(repository):
            answer = self._sent("GET", "")
        body, access = answer.body, self._access
        if answer.status != HTTPStatus.OK or not isinstance(body, dict):
            raise refusal(answer, access, UNUSABLE)
        if body.get("archived") or body.get("disabled"):
            raise unusable(f"github: {access.place} accepts no changes: it is archived or disabled")
        rights = body.get("permissions")
        can = (rights.get("pull"), rights.get("push")) if isinstance(rights, dict) else ()
        if can == (True, False) and access.head.casefold() == access.place.owner.casefold():
            raise unusable(
                f"github: the owner of the token in {access.variable} may read {access.place}, but "
                "not write to it: use a fork (--remote), and set GH_REPO to the original repository"
            )

    def open(self, change: Change) -> PullRequest:
        """Push the branch and find or open its pull request; after a lost answer, look again."""
        lost = ""
        with self._connected(change.repository):
            change.repository.push(self.remote, f"{change.sha}:refs/heads/{change.branch}")
            branches = {"head": f"{self._access.head}:{change.branch}", "base": change.base}
            for pause in _PAUSES:
                try:
                    if url := self._found(change, branches):
                        return PullRequest(url=url, reused=True)
                    return PullRequest(url=self._opened(change, branches))
                except _Unanswered as fault:  # noqa: PERF203  # three times at most
                    lost = str(fault)
                    self.pause(pause)
        raise Fault(f"{lost} (a later run does not open a second pull request)")

    def _connected(self, repository: Repository) -> httpx.Client:
        fetched, pushed = (address_of(repository, self.remote, *o) for o in ((), ("--push",)))
        self._access = access_of(self.environment, fetched, pushed)
        self._client = _client(self._access, self.seconds)
        return self._client

    def _found(self, change: Change, branches: dict[str, str]) -> str:
        answer = self._sent("GET", "/pulls", params={"state": "open", **branches})
        if answer.status != HTTPStatus.OK or not isinstance(answer.body, list):
            raise refusal(answer, self._access)
        urls = (url_for(pull, change, self._access.head) for pull in answer.body)
        return next(filter(None, urls), "")

    def _opened(self, change: Change, branches: dict[str, str]) -> str:
        texts = {"title": change.title[:256], "body": cut(change.body, 65_536)}  # GitHub's limits
        answer = self._sent("POST", "/pulls", json={**texts, **branches})
        if url := url_for(answer.body, change, self._access.head):
            return url
        fault = refusal(answer, self._access)
        exists = "a pull request already exists" in answer.message.lower()
        raise _Unanswered(*fault.lines) if exists or answer.status == HTTPStatus.CREATED else fault

    def _sent(self, method: str, path: str, **request: Any) -> ApiAnswer:
        import httpx

        url, data = f"{self._access.api}/repos/{self._access.place}{path}", b""
        end = time.monotonic() + self.seconds
        try:
            with self._client.stream(method, url, **request) as response:
                for part in response.iter_raw():
                    data += part
                    if len(data) > _MOST_BYTES or time.monotonic() > end:
                        limits = f"{_MOST_BYTES >> 20} MiB or takes longer than {self.seconds:g} s"
                        raise httpx.ReadError(f"the response is larger than {limits}")
        except httpx.HTTPError as fault:
            why = visible(without_credentials(str(fault)), 200) or type(fault).__name__
            text = f"github: no usable answer from {self._access.api}: {why}; {_LATER}"
            raise _Unanswered(text) from None
        try:
            body = parse(data)
        except NotStrictJson:
            body = None
        answer = ApiAnswer(response.status_code, response.headers, body)
        if answer.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            raise _Unanswered(*refusal(answer, self._access).lines)
        return answer


def _client(access: Access, seconds: float) -> httpx.Client:
    try:
        import httpx

        return httpx.Client(
            headers={
                "Accept": "application/vnd.github+json",
                "Accept-Encoding": "identity",  # so that the limit in bytes also limits memory
                "Authorization": f"Bearer {access.token}",
                "User-Agent": "issue-pipeline",
                "X-GitHub-Api-Version": "2022-11-28",  # every Enterprise Server knows it, too
            },
            timeout=seconds,
            follow_redirects=False,  # the token goes to one host
            trust_env=not ON_THIS_MACHINE.match(access.api),  # the token goes to no proxy
        )
    except (ImportError, OSError, ValueError) as fault:
        why = visible(without_credentials(str(fault)), 200)
        raise unusable(
            f"github: cannot use httpx: {why} (install it: python3 start.py headless; or check "
            "HTTPS_PROXY and SSL_CERT_FILE)"
        ) from None


def url_for(pull: Any, change: Change, owner: str) -> str:
    """Return the web address of a pull request, empty if it has other branches than the change."""
    try:
        of, _, branch = pull["head"]["label"].partition(":")
        base, url = pull["base"]["ref"], pull["html_url"]
        is_fit = "@" not in url and re.fullmatch(URL.pattern, url)
    except (AttributeError, KeyError, TypeError):
        return ""
    is_same = of.casefold() == owner.casefold() and (branch, base) == (change.branch, change.base)
    return str(url) if is_same and is_fit else ""


def refusal(answer: ApiAnswer, access: Access, code: int = FAILED) -> Fault:
    """Return what GitHub says and what to do about it, in one line."""
    action = _ACTIONS.get(answer.status, _LATER)
    action = action.format(place=access.place, variable=access.variable)
    if minutes := minutes_to_wait(answer):
        code, action = FAILED, f"its rate limit is reached; try again in {minutes} min"
    message = f' "{answer.message}"' if answer.message else ""
    return Fault(f"github: {access.api} answered {answer.status}{message}: {action}", code=code)


def minutes_to_wait(answer: ApiAnswer) -> int:
    """Return how many minutes GitHub asks to wait, 0 if it did not refuse because of a limit."""
    if answer.status not in (HTTPStatus.FORBIDDEN, HTTPStatus.TOO_MANY_REQUESTS):
        return 0  # docs.github.com, "Rate limits for the REST API"
    after, reset = (answer.headers.get(name, "") for name in ("retry-after", "x-ratelimit-reset"))
    if _DIGITS.fullmatch(after):
        return max(1, math.ceil(int(after) / 60))
    if answer.headers.get("x-ratelimit-remaining") == "0" and _DIGITS.fullmatch(reset):
        return max(1, math.ceil((int(reset) - time.time()) / 60))
    return int(answer.status != HTTPStatus.FORBIDDEN or "rate limit" in answer.message.lower())
