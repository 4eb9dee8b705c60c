"""JSON read strictly and within bounds, and where in its text each value and each problem is."""

from __future__ import annotations

import codecs
import json
import math
import re
import sys
from contextlib import suppress
from itertools import pairwise
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NoReturn

from pipeline.files import MAX_DEPTH, MAX_ELEMENTS
from pipeline.protocol.problems import JSON_RULE, KEY_RULE, Path, Problem
from pipeline.terminal.display import quoted, visible
from pipeline.terminal.fault import Refusal

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pipeline.protocol.json_faults import Fault


class NotStrictJson(Refusal):
    """The document is refused; `problems` says why, at least one, in document order."""

    def __init__(self, problems: tuple[Problem, ...], path: Path = ()) -> None:
        super().__init__(problems[0].sentence())
        self.problems = problems
        self.path = path  # of the value at which reading ended


def parse(data: bytes) -> Any:
    """Parse UTF-8 JSON (RFC 8259) in which every key is unique and every number is finite.

    A UTF-8 byte order mark and CRLF line ends are accepted. Refused are: other encodings, more
    levels or elements than `pipeline.files` allows, numbers beyond a double, lone surrogates.

    Raises:
        NotStrictJson: with every problem and its line and column.
    """
    text = text_of(data)
    # Cheap upper bounds: brackets and commas inside strings only make them larger.
    brackets = text.count("[") + text.count("{")
    bounded = brackets <= MAX_DEPTH and text.count(",") + brackets < MAX_ELEMENTS
    if bounded and not _SURROGATE_ESCAPE.search(text):
        with suppress(ValueError):  # also JSONDecodeError; the scan below says why
            return _decoder.decode(text)
    scan = Scan(text)
    if scan.problems:
        raise NotStrictJson(scan.problems, scan.path)
    return _decoder.decode(text)


def text_of(data: bytes) -> str:
    """Decode UTF-8, without its byte order mark; raises `NotStrictJson` for another encoding."""
    before, found = "", "UTF-16, UTF-32 or binary data"
    if not data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) and b"\0" not in data[:2]:
        try:
            return data.decode().removeprefix("\ufeff")
        except UnicodeDecodeError as error:
            before = data[: error.start].decode().removeprefix("\ufeff")
            found = f"the byte 0x{data[error.start]:02x}"
    message, action = "this is not UTF-8 text", "Save the file again with UTF-8 encoding."
    problem = Problem(JSON_RULE, (), message, "UTF-8", found, action=action)
    raise NotStrictJson(tuple(_placed(before, [(len(before), problem)])))


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise ValueError
    return value


def _finite(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):  # also of NaN and Infinity
        raise ValueError
    return value


def _whole(digits: str) -> int:
    if len(digits) > sys.float_info.max_10_exp:  # with fewer digits it is finite
        _finite(digits)
    return int(digits)


_SURROGATE_ESCAPE = re.compile(r"\\u[dD]")
_decoder = json.JSONDecoder(
    object_pairs_hook=_unique, parse_int=_whole, parse_float=_finite, parse_constant=_finite
)


def locate(text: str, problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """Return the problems of a document in its order, with line and column, one for each cause.

    A missing field is shown where the object that lacks it ends, a key's problem at the key.
    """
    places = Places(text)
    return _merged(_placed(text, [(places.offset(problem), problem) for problem in problems]))


def _merged(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """Return the problems with those of one cause as one, at its first place.

    Problems with the same cause need the same action, such as one misspelt field in each step.
    """
    causes: dict[tuple[Any, ...], list[Problem]] = {}
    for number, problem in enumerate(problems):
        steps = () if problem.rule in ("path", "roots") else pairwise((0, *problem.path))
        # the names of fields: no indices, and no keys of a mapping
        fields = tuple(s for before, s in steps if isinstance(before, int) and isinstance(s, str))
        cause = (problem.message, problem.rule, problem.action or number, fields)
        causes.setdefault(cause, []).append(problem)
    return tuple(
        first._replace(message=f"{first.message}, in {len(more) + 1} places") if more else first
        for first, *more in causes.values()
    )


def _placed(text: str, found: list[tuple[int, Problem]]) -> Iterator[Problem]:
    """Yield problems with the line and column of their offsets, as they are in the document."""
    line, start, before = 1, 0, 0
    for offset, problem in sorted(found, key=itemgetter(0)):
        line += text.count("\n", before, offset)
        start = max(start, text.rfind("\n", before, offset) + 1)
        before = offset
        yield problem._replace(line=line, column=offset - start + 1)


_SPACES = re.compile(r"[ \t\n\r]*")  # RFC 8259, section 2
_GOOD_TEXT = re.compile(r'"[^"\\\x00-\x1f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*)*')
_SCALAR = re.compile(
    r"(-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)(?![\w.+-])"
    r"|(NaN|-?Infinity)(?!\w)|(?:true|false|null)(?!\w)"
)
# of a text that is JSON, apart from its space and colons
_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[][{},]|[^][{},:" \t\n\r]+')
_SURROGATE = re.compile("[\ud800-\udfff]")
_PLAIN = frozenset("'`_*#[](){}<>-.!+~|$&@ ")  # Markdown and shells escape these, JSON does not
_WORD = re.compile(r"[^\s,\[\]{}:\"]+|.")
_SHOWN = 40  # characters of what is found


class _Stop(Exception):
    """The text cannot be read any further; the reason is noted."""


class Places:
    """Where in a text that is JSON its values and keys begin, and its objects and lists end.

    The tokens of a text that has been parsed are enough: `Scan` takes four times as long.
    """

    def __init__(self, text: str) -> None:
        self.values: dict[Path, int] = {}
        self.keys: dict[Path, int] = {}
        self.ends: dict[Path, int] = {}
        holders: list[Path] = []  # of what is open, the innermost last
        path: Path = ()
        is_key = False
        for token in _TOKEN.finditer(text):
            at, word = token.start(), token[0]
            if word == ",":
                step = path[-1]
                is_key = isinstance(step, str)
                path = path if isinstance(step, str) else (*path[:-1], step + 1)
            elif word in ("}", "]"):
                path, is_key = holders.pop(), False
                self.ends[path] = at
            elif is_key:
                path, is_key = (*holders[-1], _read(word)), False
                self.keys[path] = at
            else:
                self.values[path] = at
                if word in ("{", "["):
                    holders.append(path)
                    is_key = word == "{"
                    path = path if is_key else (*path, 0)

    def offset(self, problem: Problem) -> int:
        """Return where a problem is: a key, a value, or the end of the object that lacks it."""
        if problem.rule == KEY_RULE:
            return self.keys[problem.path]
        return self.values.get(problem.path, self.ends.get(problem.path[:-1], 0))


def _read(string: str) -> str:
    """Return what a JSON string says: most say what is written, and `json.loads` takes 4 µs."""
    return str(json.loads(string)) if "\\" in string else string[1:-1]


class Scan:
    """A walk through a text: all of its problems, or that it is strict JSON.

    The walk ends at the first syntax error, which is then the last of the problems, in the value
    at `path`.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.path: Path = ()
        self._noted: list[tuple[int, Problem]] = []
        self._closers = ""  # the brackets that close what is open, the innermost first
        self._counted = 0
        with suppress(_Stop):
            at = self._value((), 0, "start")
            if at < len(text):
                self._refuse(at, "end")
        self.problems = tuple(_placed(text, self._noted))

    def _value(self, path: Path, at: int, where: str) -> int:
        """Read a value and the space around it; return where that ends."""
        at = self._space(at)
        self.path = path
        self._counted += 1
        if self._counted > MAX_ELEMENTS:
            self._stop(at, "", "many")
        mark = self.text[at : at + 1]
        if mark == '"':
            end = self._string(at)[1]
        elif mark in ("{", "["):
            end = self._container(path, at, "}" if mark == "{" else "]")
        else:
            end = self._scalar(at, where)
        return self._space(end)

    def _container(self, path: Path, at: int, close: str) -> int:
        self._closers = close + self._closers
        if len(self._closers) > MAX_DEPTH:
            self._stop(at, "", "deep")
        index, at = 0, self._space(at + 1)
        seen: set[str] = set()
        while not self.text.startswith(close, at):
            if close == "}":
                at = self._member(path, at, seen)
            else:
                at = self._value((*path, index), at, "item")
            if self.text.startswith(",", at):
                comma, index, at = at, index + 1, self._space(at + 1)
                if self.text.startswith(close, at):
                    self._stop(comma, ",", "trailing")
            elif not self.text.startswith(close, at):
                self._refuse(at, "next")
        self._closers = self._closers[1:]
        return at + 1

    def _member(self, holder: Path, at: int, seen: set[str]) -> int:
        if not self.text.startswith('"', at):
            self._refuse(at, "key")
        key, end = self._string(at)
        if key in seen:
            self._note(at, quoted(key), "twice")
        seen.add(key)
        colon = self._space(end)
        if not self.text.startswith(":", colon):
            self._refuse(colon, "colon")
        return self._value((*holder, key), colon + 1, "member")

    def _string(self, at: int) -> tuple[str, int]:
        match = _GOOD_TEXT.match(self.text, at)
        end = match.end() if match else at
        mark = self.text[end : end + 1]
        if mark == "\\":
            name = "no escape" if self.text[end + 1 : end + 2] in _PLAIN else "escape"
            self._stop(end, visible(self.text[end : end + 2]), name)
        if mark in ("", "\r", "\n"):
            from pipeline.protocol.json_faults import open_string

            fault = open_string(self.text, at, end)
            self._stop(at, visible(self.text[at:end], _SHOWN), fault)
        if mark != '"':
            self._stop(end, quoted(mark), "control")
        text = _read(self.text[at : end + 1])
        if _SURROGATE.search(text):
            self._note(at, quoted(text), "half")
        return text, end + 1

    def _scalar(self, at: int, where: str) -> int:
        match = _SCALAR.match(self.text, at)
        if match is None:
            self._refuse(at, where)
        number = match[1] or match[2]
        if number and not math.isfinite(float(number)):
            self._note(at, visible(number, _SHOWN), "infinite")
        return match.end()

    def _space(self, at: int) -> int:
        match = _SPACES.match(self.text, at)
        return match.end() if match else at

    def _refuse(self, at: int, where: str) -> NoReturn:
        """Stop at a syntax error: a common mistake, or just not what is expected there."""
        from pipeline.protocol.json_faults import fault_at  # most texts are JSON

        place, fault = fault_at(self.text, at, where, self._closers)
        spot = place if self.text[place : place + 1].strip() else at  # a comma belongs behind it
        word = _WORD.match(self.text, spot, spot + _SHOWN)
        self._stop(place, visible(word[0], _SHOWN) if word else "the end of the file", fault)

    def _stop(self, at: int, found: str, fault: Fault | str) -> NoReturn:
        self._note(at, found, fault)
        raise _Stop

    def _note(self, at: int, found: str, fault: Fault | str) -> None:
        from pipeline.protocol.json_faults import fault as fault_called

        message, expected, action = fault_called(fault) if isinstance(fault, str) else fault
        self._noted.append((at, Problem(JSON_RULE, (), message, expected, found, action=action)))
