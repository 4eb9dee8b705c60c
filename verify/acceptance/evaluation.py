"""Asks a service one criterion, and compares its answers with what the issue expects."""

from __future__ import annotations

import json
from contextlib import ExitStack
from fnmatch import fnmatchcase
from glob import escape
from random import Random
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from pipeline.protocol.json_text import NotStrictJson, parse
from pipeline.terminal.display import json_path, quoted, visible
from verify.acceptance.service import NoAnswer, Request
from verify.acceptance.values import drawn, filled, filled_text, selected
from verify.grading.model import PASSED, Finding, failed, not_checked
from verify.grading.schemas import problem_of, validator_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from verify.acceptance.model import Acceptance, Exchange, Expectation
    from verify.acceptance.service import Response, Service, Start
    from verify.grading.model import Verdict

_PATTERN = "~ "  # how a pattern begins
_SHOWN = 300  # characters of a value
_LONGEST = 1_000  # characters of a pattern: a saved value in it may be made to take long


class _Different(Exception):
    """An answer that is not what is expected."""

    def __init__(self, message: str, expected: str, found: str, path: str = "") -> None:
        super().__init__(message)
        shown = visible(expected, _SHOWN), visible(found, _SHOWN), "", visible(path, _SHOWN)
        self.finding = Finding(visible(message, _SHOWN), *shown)


def hold(acceptance: Acceptance, label: str, start: Start, seed: int) -> Verdict:
    """Return whether a criterion holds for the service that `start` starts.

    The same seed draws the same values. What `start` raises, and what `send` raises except
    `NoAnswer`, is not caught.
    """
    criterion = acceptance.criteria[label]
    if criterion.not_over_http:
        return not_checked(criterion.not_over_http)
    random = Random(f"{seed} {label}")  # noqa: S311  # a seed has no secret
    draws = {**acceptance.draw, **criterion.draw}
    values: dict[str, Any] = {name: drawn(kind, random) for name, kind in draws.items()}
    env = acceptance.env if criterion.env is None else criterion.env
    total = len(criterion.exchanges)
    with ExitStack() as running:
        for number, exchange in enumerate(criterion.exchanges, 1):
            env = env if exchange.env is None else exchange.env
            if exchange.fresh or exchange.env is not None or number == 1:
                running.close()
                texts = {name: filled_text(text, values) for name, text in env.items()}
                service = running.enter_context(start(texts))
            for time in range(1, exchange.repeat + 1):
                place = f"exchange {number} of {total}" + f", time {time}" * (exchange.repeat > 1)
                values["i"] = time
                if finding := _asked(service, exchange, values, place):
                    return failed(finding)
    return PASSED


def _asked(
    service: Service, exchange: Exchange, values: dict[str, Any], place: str
) -> Finding | None:
    """Send one request; return what is wrong with the answer, else save what is named of it."""
    request = _request(exchange, values)
    line = f"{request.method} {visible(request.target, _SHOWN)}"
    try:
        response = service.send(request)
        _compare(response, exchange.expect, values)
        for name, source in exchange.save.items():
            body = response.body
            values[name] = _text(body) if source == "text" else _at(_json(body), source)
    except NoAnswer as error:
        finding = Finding("there is no answer", "an answer", visible(str(error), _SHOWN))
    except _Different as error:
        finding = error.finding
    else:
        return None
    sent = f" with the body {visible(request.body.decode(), _SHOWN)}" if request.body else ""
    action = f"Send {line}{sent} to your service, and compare its answer."
    return finding._replace(message=f"{line} ({place}): {finding.message}", action=action)


def _request(exchange: Exchange, values: Mapping[str, Any]) -> Request:
    method, _, path = exchange.request.partition(" ")
    headers = {} if exchange.json is None else {"content-type": "application/json"}
    headers |= {name.lower(): text for name, text in exchange.headers.items()}
    body = filled_text(exchange.text, values)
    if exchange.json is not None:
        body = json.dumps(filled(exchange.json, values), ensure_ascii=False)
    return Request(
        method=method,
        target=filled_text(path, values, lambda text: quote(text, safe="", errors="replace")),
        headers=tuple((name, _in_header(filled_text(t, values))) for name, t in headers.items()),
        body=body.encode("utf-8", "replace"),
    )


def _in_header(text: str) -> str:
    """Return a text without what would end a header: a saved value may contain anything."""
    return "".join(character if " " <= character <= "~" else "?" for character in text)


# --- what is compared ---------------------------------------------------------------------------


def _compare(response: Response, expect: Expectation, values: Mapping[str, Any]) -> None:
    """Raise _Different at the first difference."""
    statuses = expect.status if isinstance(expect.status, list) else [expect.status]
    if response.status not in statuses:
        found = f"{response.status}, with the body {quoted(_text(response.body), _SHOWN)}"
        raise _Different("the status is wrong", " or ".join(map(str, statuses)), found)
    for name, wanted in expect.headers.items():
        value = response.header(name)
        if wanted and not value:
            expected = quoted(filled_text(wanted, values), _SHOWN)
            raise _Different(f"the header {name} is missing", expected, "no such header")
        if name.lower() == "content-type" and ";" not in wanted:
            value = value.partition(";")[0].strip().lower()  # a charset is free
        _compare_text(value, wanted, values, f"the header {name} is wrong")
    if expect.text is not None:
        _compare_text(_text(response.body), expect.text, values, "the body is wrong")
    if expect.json is not None or expect.at or expect.schema or expect.lines:
        _compare_json(_json(response.body, lines=expect.lines), expect, values)


def _compare_json(body: Any, expect: Expectation, values: Mapping[str, Any]) -> None:
    if expect.json is not None:
        _compare_value(body, filled(expect.json, values), "$")
    for place, wanted in expect.at.items():
        value = _at(body, place)
        if isinstance(wanted, str) and wanted.startswith(_PATTERN) and isinstance(value, str):
            _compare_text(value, wanted, values, "the body is wrong", place)
        else:
            _compare_value(value, filled(wanted, values), place)
    error = next(iter(validator_of(filled(expect.schema, values)).iter_errors(body)), None)
    if error is not None:
        problem = problem_of(error)
        texts = problem.message, problem.expected, problem.found
        raise _Different(*texts, json_path(problem.path))


def _compare_text(
    text: str, wanted: str, values: Mapping[str, Any], message: str, place: str = ""
) -> None:
    exact = filled_text(wanted, values)
    fits = text == exact
    if wanted.startswith(_PATTERN):
        parts = wanted.removeprefix(_PATTERN).lower().split("|")
        patterns = (filled_text(part, values, lambda t: escape(t.lower())) for part in parts)
        fits = any(fnmatchcase(text.lower(), p) for p in patterns if len(p) <= _LONGEST)
    if not fits:
        raise _Different(message, quoted(exact, _SHOWN), quoted(text, _SHOWN), place)


def _compare_value(value: Any, wanted: Any, place: str) -> None:
    if not validator_of({"const": wanted}).is_valid(value):  # true is not 1, and 1.0 is
        expected, found = (json.dumps(side, ensure_ascii=False) for side in (wanted, value))
        raise _Different("the body is wrong", expected, found, place)


def _json(data: bytes, *, lines: bool = False) -> Any:
    if not lines:
        return _parsed(data)
    *whole, rest = data.split(b"\n")
    if rest:
        raise _Different("the last line has no end", "a line feed", quoted(_text(rest)))
    return [_parsed(line) for line in whole]


def _parsed(data: bytes) -> Any:
    try:
        return parse(data)
    except NotStrictJson as error:
        reason = error.problems[0].message
        found = quoted(_text(data), _SHOWN)
        raise _Different(f"the body cannot be read: {reason}", "JSON", found) from None


def _text(data: bytes) -> str:
    return data.decode(errors="replace")


def _at(body: Any, place: str) -> Any:
    try:
        return selected(body, place)
    except LookupError:
        raise _Different("a value is missing", "a value", quoted(body, _SHOWN), place) from None
