"""What GitHub's answers mean: the pull request in them, how long to wait, what to do about a no."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timezone
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from pipeline.protocol.patterns import URL
from pipeline.terminal.display import visible

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pipeline.forges.base import Change
    from pipeline.forges.github_access import Access

_ADDRESS = re.compile(URL.pattern)
_EXISTS = re.compile(r"a pull request already exists\b", re.IGNORECASE)
_MINUTE = 60.0  # docs.github.com, "Troubleshooting the REST API": the least without a header
_DIGITS = re.compile(r"\d{1,12}")


@dataclass(frozen=True, kw_only=True, slots=True)
class Answer:
    """One answer: header names in lower case; `body` is parsed JSON, None where it is no JSON."""

    status: int
    headers: Mapping[str, str]
    body: Any = None

    @property
    def has_failed(self) -> bool:
        """Tell whether it is the server's own failure: it may pass."""
        return self.status >= HTTPStatus.INTERNAL_SERVER_ERROR

    @property
    def is_redirect(self) -> bool:
        """Tell whether what is asked for is elsewhere."""
        return HTTPStatus.MULTIPLE_CHOICES <= self.status < HTTPStatus.BAD_REQUEST

    @property
    def said(self) -> str:
        """Return the message of an error, and those of its parts, fit to be shown."""
        if not isinstance(self.body, dict):
            return ""
        parts = [self.body.get("message"), *(e.get("message") for e in errors_of(self))]
        return "; ".join(visible(p, 300) for p in parts if isinstance(p, str) and p)


def errors_of(answer: Answer) -> list[dict[str, Any]]:
    """Return the entries of `errors` that are objects; GitHub's older ones are plain strings."""
    found = answer.body.get("errors") if isinstance(answer.body, dict) else None
    entries = found if isinstance(found, list) else []
    return [
        {"message": e} if isinstance(e, str) else e for e in entries if isinstance(e, (dict, str))
    ]


def exists_already(answer: Answer) -> bool:
    """Tell whether a pull request for the same head and base was there: its code is `custom`."""
    messages = (entry.get("message") for entry in errors_of(answer))
    told = any(isinstance(message, str) and _EXISTS.match(message) for message in messages)
    return told and answer.status == HTTPStatus.UNPROCESSABLE_ENTITY


def address_of(pull: object) -> str:
    """Return the web address of a pull request, empty where there is none that is fit for use."""
    url = pull.get("html_url") if isinstance(pull, dict) else None
    return url if isinstance(url, str) and "@" not in url and _ADDRESS.fullmatch(url) else ""


def is_for(pull: object, change: Change, owner: str) -> bool:
    """Tell whether a pull request has this head and base: a filter that is unknown is ignored."""
    head, base = (_part(pull, "head"), _part(pull, "base"))
    of, _, branch = str(head.get("label")).partition(":")
    same_head = of.casefold() == owner.casefold() and branch == change.branch
    return same_head and base.get("ref") == change.base


def _part(pull: object, key: str) -> dict[str, Any]:
    part = pull.get(key) if isinstance(pull, dict) else None
    return part if isinstance(part, dict) else {}


def seconds_to_wait(answer: Answer, now: float) -> float | None:
    """Return how long GitHub wants to be left alone, None if it was no limit that it refused by.

    docs.github.com, "Rate limits for the REST API"; `now` is in seconds since 1970.
    """
    if answer.status not in (HTTPStatus.FORBIDDEN, HTTPStatus.TOO_MANY_REQUESTS):
        return None
    after = answer.headers.get("retry-after", "")
    if _DIGITS.fullmatch(after):
        return float(after)
    reset = answer.headers.get("x-ratelimit-reset", "")
    if answer.headers.get("x-ratelimit-remaining") == "0" and _DIGITS.fullmatch(reset):
        return max(0.0, float(reset) - now) + 1  # whole seconds: not a moment too soon
    told = "rate limit" in answer.said.lower()
    return _MINUTE if told or answer.status == HTTPStatus.TOO_MANY_REQUESTS else None


def explained(answer: Answer, access: Access, now: float, change: Change | None = None) -> str:
    """Return one line: what was refused, and what to do about it."""
    wait = seconds_to_wait(answer, now)
    if wait is not None:
        what = f"allows no more calls for now; come back {_later(now, wait)}"
    elif answer.status in _REASONS:
        what = _REASONS[answer.status](answer, access)
    elif answer.status == HTTPStatus.UNPROCESSABLE_ENTITY:
        what = _invalid(answer, access, change)
    elif answer.is_redirect:
        what = f"says that {access.place} has moved: set the remote's address to the new one"
    else:
        what = "did not do what was asked; run the same command again in a while"
    words = f"github: {access.host} answered {answer.status} and {what}"
    return f"{words} (it said: {answer.said})" if answer.said else words


def _later(now: float, wait: float) -> str:
    try:
        at = datetime.fromtimestamp(now + wait, tz=timezone.utc)
    except (OverflowError, OSError, ValueError):
        return "another day"
    return f"in {round(wait)} seconds, at {at:%Y-%m-%d %H:%M:%S} UTC"


def _unauthorized(_: Answer, access: Access) -> str:
    return f"does not know the token in {access.variable}: it is wrong, has expired or was revoked"


def _forbidden(answer: Answer, access: Access) -> str:
    if answer.headers.get("x-github-sso", "").startswith("required"):
        return (
            f"wants the token in {access.variable} to be authorised for the organisation's single "
            "sign-on: do so in GitHub's settings, beside the token"
        )
    wanted = visible(answer.headers.get("x-accepted-github-permissions", ""))
    return (
        f"refuses the token in {access.variable}: on {access.place} it needs write access to "
        "contents and pull requests (a classic token: the scope repo)"
        + (f"; wanted here: {wanted}" if wanted else "")
    )


def _not_found(_: Answer, access: Access) -> str:
    return (
        f"shows no repository {access.place} to the token in {access.variable}: look at the name, "
        "and at what the token may see"
    )


def _invalid(answer: Answer, access: Access, change: Change | None) -> str:
    fields = {entry.get("field") for entry in errors_of(answer)}
    if change and "base" in fields:
        return f"finds no branch {visible(change.base)} in {access.place} to merge into: push it"
    if change and "head" in fields:
        return (
            f"finds no branch {visible(change.branch)} of {access.head}: look whether the remote "
            f"that is pushed to is {access.place} or a fork of it"
        )
    if "no commits between" in answer.said.lower():
        return "finds no commit on the branch that its base does not have"
    return "took the request for invalid"


_REASONS: dict[int, Callable[[Answer, Access], str]] = {
    HTTPStatus.UNAUTHORIZED: _unauthorized,
    HTTPStatus.FORBIDDEN: _forbidden,
    HTTPStatus.NOT_FOUND: _not_found,
}
