"""What a client reports of a turn: what it used, and that its model takes no request for now.

Where it does so is in the client's file: paths of names and `*` (all) into its JSON.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pipeline.terminal.display import visible
from pipeline.terminal.fault import Fault

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pipeline.agents.clients.base import Profile

_NUMBERS = ("input", "output", "total", "price")
_MOST = 1e15  # of a number: one that is larger is no count
_WORDS = re.compile(  # of any client that fails
    r"rate.?limit|too many requests|resource.?exhausted|\b(?:http|status|error|code)\W{0,3}429\b",
    re.IGNORECASE,
)
_AFTER = re.compile(
    r"(?:retry.?after|(?:retry|try again)(?: in| after))\W{0,4}(\d{1,9}(?:\.\d{1,9})?) ?(ms|m|h)?",
    re.IGNORECASE,
)
_UNITS = {"ms": 0.001, "s": 1, "m": 60, "h": 3600}


@dataclass(frozen=True, slots=True)
class Usage:
    """What a client reports for a turn; None is what it does not report."""

    input: int | None = None  #: tokens
    output: int | None = None  #: tokens
    total: int | None = None  #: tokens of all kinds, also of a cache
    price: float | None = None  #: in `currency`
    currency: str = ""


NOT_REPORTED = Usage()


class RateLimited(Fault):
    """A model takes no more requests for now; `after` seconds if the client names them."""

    def __init__(self, line: str, after: float | None = None) -> None:
        super().__init__(line)
        self.after = after


def fault_of(profile: Profile | None, text: str, said: str, code: int) -> Fault:
    """Return the fault `text` of a client that ended with `code` and `said` why."""
    is_known = profile and (code in profile.limited_codes or _line_of(profile, said))
    return _limited(text, said) if is_known or _WORDS.search(said) else Fault(text)


def refuse_limit(profile: Profile | None, answer: str) -> None:
    """Refuse an answer that is not the agent's: some clients say there that they gave up."""
    if profile and (line := _line_of(profile, answer)):
        raise _limited(f"{profile.name}: {visible(line, 200)}", line)


def _line_of(profile: Profile, said: str) -> str:
    patterns = "|".join(profile.limited) or "(?!)"
    lines = map(str.strip, said.splitlines())
    return next((line for line in lines if re.match(patterns, line)), "")


def _limited(text: str, said: str) -> RateLimited:
    found = _AFTER.search(said)
    return RateLimited(text, float(found[1]) * _UNITS[found[2] or "s"] if found else None)


class Meter:
    """Adds up what a session of a client reports, turn by turn.

    `places` has a table for each kind of message: the path, or paths, of each number. A table that
    is `of` the session has sums since its beginning.
    """

    def __init__(self, places: Mapping[str, Any]) -> None:
        self._places = places
        self._turn: dict[str, float] = {}
        self._before: dict[str, float] = {}
        self._currency = ""

    def begin(self) -> None:
        """Begin a turn."""
        self._turn = {}

    def note(self, kind: str, document: Any) -> None:
        """Add what a message says."""
        table = self._places.get(kind, {})
        for name in _NUMBERS:
            if (number := _sum(document, table.get(name, ()))) is None:
                continue
            if table.get("of") == "session":
                before = self._before.get(name, 0)
                self._before[name] = number
                number -= before if number >= before else 0
            self._turn[name] = self._turn.get(name, 0) + number
            if name == "price":
                units = [unit for unit in _found(document, table.get("currency", "")) if unit]
                self._currency = visible(str(units[0]), 8) if units else "USD"

    def usage(self) -> Usage:
        """Return what was used since the turn began."""
        tokens = {name: int(self._turn[name]) for name in _NUMBERS[:3] if name in self._turn}
        both = tokens.get("input"), tokens.get("output")
        if "total" not in tokens and both[0] is not None and both[1] is not None:
            tokens["total"] = both[0] + both[1]
        price = self._turn.get("price")
        return Usage(**tokens, price=price, currency="" if price is None else self._currency)


def printed(profile: Profile | None, text: str) -> tuple[str, Usage]:
    """Return the answer and the usage in what a program has printed, which may be no JSON."""
    table = profile.usage.get("printed", {}) if profile else {}
    meter, answer = Meter({"printed": table}), ""
    for document in _documents(text) if table else ():
        meter.note("printed", document)
        said = [found for found in _found(document, table["answer"]) if isinstance(found, str)]
        answer = said[-1] if said else answer
    return answer or text, meter.usage()


def _documents(text: str) -> Iterator[Any]:
    """Yield the values of a text that is JSON, or that has JSON in some of its lines."""
    for part in (text, *text.splitlines()):
        try:
            value = json.loads(part)
        except (ValueError, RecursionError):
            continue
        yield from value if isinstance(value, list) else [value]
        if part is text:
            return


def _sum(document: Any, paths: str | list[str]) -> float | None:
    """Return the sum of the numbers at some paths, None where there is none."""
    listed = [paths] if isinstance(paths, str) else paths
    numbers = [
        value
        for path in listed
        for value in _found(document, path)
        if type(value) in (int, float) and 0 <= value < _MOST
    ]
    return sum(numbers) if numbers else None


def _found(document: Any, path: str) -> list[Any]:
    """Return the values at a path."""
    values = [document]
    for name in path.split("."):
        tables = [value for value in values if isinstance(value, dict)]
        if name == "*":
            values = [value for table in tables for value in table.values()]
        else:
            values = [table[name] for table in tables if name in table]
    return values if path else []
