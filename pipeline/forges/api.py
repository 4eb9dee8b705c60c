"""JSON over HTTP from a forge's API: one host, bounded in bytes and time, no redirect followed."""

from __future__ import annotations

import math
import re
import time
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, NamedTuple

from pipeline.forges.github_access import ON_THIS_MACHINE
from pipeline.git import without_credentials
from pipeline.protocol.json_text import NotStrictJson, parse
from pipeline.terminal.display import visible
from pipeline.terminal.fault import Fault, unusable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from httpx import Client as Client  # noqa: PLC0414  # for who imports it from here

_MOST_BYTES = 1 << 20
_DIGITS = re.compile(r"\d{1,12}")
LATER = "run the same command again later"


class ApiAnswer(NamedTuple):
    """One complete answer."""

    status: int
    headers: Mapping[str, str]
    body: Any = None  #: parsed, None if it is not JSON

    @property
    def message(self) -> str:
        """The message of an error, and those of its parts, fit to be shown."""
        body = self.body if isinstance(self.body, dict) else {}
        errors = body.get("errors")
        parts = [body, *errors] if isinstance(errors, list) else [body]
        said = (p.get("message", p.get("field")) if isinstance(p, dict) else p for p in parts)
        return "; ".join(visible(text, 300) for text in said if isinstance(text, str))

    @property
    def summary(self) -> str:
        """The status, and the message if there is one."""
        return f'{self.status} "{self.message}"' if self.message else str(self.status)


class Unanswered(Fault):
    """No complete answer came, or the server failed; the request may have taken effect."""


def client(api: str, headers: Mapping[str, str], seconds: float, who: str) -> Client:
    """Return what speaks to an API on behalf of the forge `who`."""
    try:
        import httpx

        return httpx.Client(
            headers={
                "Accept-Encoding": "identity",  # so that the limit in bytes also limits memory
                "User-Agent": "issue-pipeline",
                **headers,
            },
            timeout=seconds,
            follow_redirects=False,  # the token goes to one host
            trust_env=not ON_THIS_MACHINE.match(api),  # the token goes to no proxy
        )
    except (ImportError, OSError, ValueError) as fault:
        why = visible(without_credentials(str(fault)), 200)
        raise unusable(
            f"{who}: cannot use httpx: {why} (install it: python3 start.py headless; or check "
            "HTTPS_PROXY and SSL_CERT_FILE)"
        ) from None


def sent(
    client: Client, method: str, url: str, *, seconds: float, who: str, **request: Any
) -> ApiAnswer:
    """Send one request and return its whole answer; raises `Unanswered`."""
    import httpx

    data, end = b"", time.monotonic() + seconds
    try:
        with client.stream(method, url, **request) as response:
            for part in response.iter_raw():
                data += part
                if len(data) > _MOST_BYTES or time.monotonic() > end:
                    limits = f"{_MOST_BYTES >> 20} MiB or takes longer than {seconds:g} s"
                    raise httpx.ReadError(f"the response is larger than {limits}")
    except httpx.HTTPError as fault:
        why = visible(without_credentials(str(fault)), 200) or type(fault).__name__
        host = url.partition("/repos/")[0]
        raise Unanswered(f"{who}: no usable answer from {host}: {why}; {LATER}") from None
    try:
        body = parse(data)
    except NotStrictJson:
        body = None
    return ApiAnswer(response.status_code, response.headers, body)


def github_headers(token: str) -> dict[str, str]:
    """Return the headers of a request to GitHub's API; the token may be empty."""
    return {
        "Accept": "application/vnd.github+json",
        "X-GitHub-Api-Version": "2022-11-28",  # every Enterprise Server knows it, too
        **({"Authorization": f"Bearer {token}"} if token else {}),
    }


def action_after(
    answer: ApiAnswer, actions: Mapping[int, str], otherwise: str, names: Mapping[str, str]
) -> str:
    """Return what to do about a status: an action has the `names` in braces."""
    if minutes := minutes_to_wait(answer):
        return f"its rate limit is reached; try again in {minutes} min"
    return actions.get(answer.status, otherwise).format_map(names)


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
