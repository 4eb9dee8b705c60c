"""JSON read strictly and within bounds, and where in its text each value and each problem is."""

from __future__ import annotations

import codecs
import contextlib
import json
import math
import re
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from pipeline.files import MAX_DEPTH, MAX_DIGITS, MAX_ELEMENTS, MAX_PROBLEMS
from pipeline.protocol import json_faults as faults
from pipeline.protocol.problems import JSON_RULE, KEY_RULE, Path, Problem, line_and_column
from pipeline.terminal.display import quoted

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator


class NotStrictJson(Exception):
    """The document is refused; `problems` says why, at least one, in document order."""

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        super().__init__(problems[0].sentence())
        self.problems = problems


def parse(data: bytes) -> Any:
    """Parse UTF-8 JSON (RFC 8259) in which every key is unique and every number is finite.

    A UTF-8 byte order mark and CRLF line ends are accepted. Refused are other encodings, what is
    beyond `pipeline.files` (depth, elements, digits), numbers beyond a double, NaN and Infinity,
    duplicate keys, and lone surrogates.

    Raises:
        NotStrictJson: with every problem and its line and column.
    """
    text = text_of(data)
    _check_bounds(text)
    document = text.strip(_SPACE)
    value, end = None, -1
    with contextlib.suppress(ValueError):  # also JSONDecodeError
        value, end = _decoder.raw_decode(document)
    if end == len(document) and not _SURROGATE_ESCAPE.search(text):
        return value
    if b"\0" in data[:2]:  # UTF-16 and UTF-32 without a mark can be read as UTF-8 with NULs
        raise _not_utf8(data, 0)
    problems = Scan(text).problems
    if problems:
        raise NotStrictJson(tuple(problems))
    if end == len(document):
        return value
    raise _refused(text, 0, "this is not JSON", "a JSON document", "", "Write one JSON document.")


def text_of(data: bytes) -> str:
    """Decode UTF-8, without its byte order mark; raises `NotStrictJson` for another encoding."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise _not_utf8(data, error.start) from None
    return text.removeprefix("\ufeff")


def _not_utf8(data: bytes, start: int) -> NotStrictJson:
    message, action = "this is not UTF-8 text", "Save the file again, with the encoding UTF-8."
    if data[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE) or b"\0" in data[:2]:
        return _refused("", 0, message, "UTF-8", "UTF-16, UTF-32 or binary data", action)
    before = data[:start].decode("utf-8").removeprefix("\ufeff")
    found = f"the byte 0x{data[start]:02x}"
    return _refused(before, len(before), message, "UTF-8", found, action)


def _check_bounds(text: str) -> None:
    # Cheap upper bounds first: brackets and commas inside strings only make them larger.
    brackets = text.count("[") + text.count("{")
    if brackets <= MAX_DEPTH and text.count(",") + brackets <= MAX_ELEMENTS:
        return
    depth = elements = 0
    for match in _STRUCTURE.finditer(text):
        character = match.group()[0]
        depth += (character in "[{") - (character in "]}")
        elements += character in "[{,"
        if depth > MAX_DEPTH:
            message, expected = "too deeply nested", f"at most {MAX_DEPTH} levels"
            action = "Nest less: an artifact needs four levels."
            raise _refused(text, match.start(), message, expected, "", action)
        if elements > MAX_ELEMENTS:
            message, expected = "too many elements", f"at most {MAX_ELEMENTS}"
            action = "Write less: an artifact needs a few hundred elements."
            raise _refused(text, match.start(), message, expected, "", action)


def _refused(text: str, offset: int, *words: str) -> NotStrictJson:
    """Return a refusal at an offset; `words` are message, expected, found and action."""
    message, expected, found, action = words
    place = line_and_column(text, offset)
    return NotStrictJson((Problem(JSON_RULE, (), message, expected, found, *place, action),))


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise ValueError
    return value


def _integer(digits: str) -> int:
    if len(digits.removeprefix("-")) > MAX_DIGITS:
        raise ValueError
    return int(digits)


def _number(digits: str) -> float:
    value = float(digits)
    if math.isinf(value):
        raise ValueError
    return value


def _constant(name: str) -> float:
    raise ValueError(name)


_SPACE = " \n\r\t"  # RFC 8259, section 2
_STRUCTURE = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"?|[\[\]{},]', re.DOTALL)
_SURROGATE_ESCAPE = re.compile(r"\\u[dD]")
_decoder = json.JSONDecoder(
    object_pairs_hook=_unique,
    parse_int=_integer,
    parse_float=_number,
    parse_constant=_constant,
)


_SPACES = re.compile(r"[ \t\n\r]*")
_STRING = re.compile(r'"[^"\\\x00-\x1f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*)*"')
_SCALAR = re.compile(
    r"(?P<number>-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)(?![\w.+-])"
    r"|(?:true|false|null)(?!\w)"
    r"|(?P<constant>NaN|-?Infinity)(?!\w)"
)
_WHOLE = re.compile(r"-?[0-9]+")
_SURROGATE = re.compile("[\ud800-\udfff]")


def locate(text: str, problems: Iterable[Problem]) -> list[Problem]:
    """Give each problem of a document its line and column, and sort them in its order.

    A missing field is shown where the object that lacks it ends, a key's problem at the key.
    """
    problems = list(problems)
    wanted = {path for each in problems for path in (each.path, each.path[:-1], each.at)}
    found = Scan(text, wanted)
    return list(_placed(text, [(_offset(problem, found), problem) for problem in problems]))


def _placed(text: str, found: list[tuple[int, Problem]]) -> Iterator[Problem]:
    """Yield problems with the line and column of their offsets, as they are in the document."""
    line, start, before = 1, 0, 0
    for offset, problem in sorted(found, key=itemgetter(0)):
        line += text.count("\n", before, offset)
        start = max(start, text.rfind("\n", before, offset) + 1)
        before = offset
        yield problem._replace(line=line, column=offset - start + 1)


def _offset(problem: Problem, found: Scan) -> int:
    if problem.rule == KEY_RULE or problem.at:
        return found.keys[problem.at or problem.path]
    return found.values.get(problem.path, found.ends.get(problem.path[:-1], 0))


class _Container:
    """An object or array whose end has not been reached."""

    __slots__ = ("close", "keys", "path", "size")

    def __init__(self, close: str, path: Path) -> None:
        self.close = close
        self.path = path
        self.size = 0
        self.keys: set[str] = set()


class Scan:
    """A walk through a JSON text: offsets of the wanted values, their keys and ends, the problems.

    Where a key is repeated, the place of its last value is noted, the one that a parser keeps.
    The walk ends at the first syntax error, which is then the last of the problems.
    """

    def __init__(self, text: str, wanted: Collection[Path] = ()) -> None:
        self.text = text
        self.wanted = wanted
        self.values: dict[Path, int] = {}
        self.keys: dict[Path, int] = {}
        self.ends: dict[Path, int] = {}
        self._noted: list[tuple[int, Problem]] = []
        self._at = 0
        self._open: list[_Container] = []
        try:
            self._document()
        except faults.Fault as fault:
            self._note(*fault.args)
        self.problems = list(_placed(text, self._noted))

    def _document(self) -> None:
        self._skip_space()
        self._value((), faults.START)
        while self._open:
            self._element(self._open[-1])
        if self._at < len(self.text):
            raise self._fault(faults.END)

    def _element(self, container: _Container) -> None:
        """Read the next element of a container, or its end."""
        if self._peek() == container.close:
            if container.path in self.wanted:
                self.ends[container.path] = self._at
            self._advance(1)
            self._open.pop()
            return
        if container.size:
            if self._peek() != ",":
                raise self._fault(faults.NEXT)
            comma = self._at
            self._advance(1)
            if self._peek() == container.close:
                raise faults.trailing_comma(comma)
        container.size += 1
        if container.close == "]":
            self._value((*container.path, container.size - 1), faults.ITEM)
        else:
            self._member(container)

    def _member(self, container: _Container) -> None:
        key_at = self._at
        if self._peek() != '"':
            raise self._fault(faults.KEY)
        key = self._string()
        path = (*container.path, key)
        if path in self.wanted:
            self.keys[path] = key_at
        if key in container.keys:
            message, action = "this object has the key twice", "Keep one of the two."
            self._note(key_at, message, "each key once", quoted(key), action)
        container.keys.add(key)
        if self._peek() != ":":
            raise self._fault(faults.COLON)
        self._advance(1)
        self._value(path, faults.MEMBER)

    def _value(self, path: Path, where: str) -> None:
        if path in self.wanted:
            self.values[path] = self._at
        character = self._peek()
        if character in ("{", "["):
            self._advance(1)
            self._open.append(_Container("}" if character == "{" else "]", path))
        elif character == '"':
            self._string()
        else:
            self._scalar(where)

    def _string(self) -> str:
        match = _STRING.match(self.text, self._at)
        if match is None:
            raise faults.text_fault(self.text, self._at)
        text: str = json.loads(match.group())
        if _SURROGATE.search(text):
            message, action = "this text has half a character", "Write the whole character."
            self._note(self._at, message, "whole surrogate pairs", quoted(text), action)
        self._advance(match.end() - self._at)
        return text

    def _scalar(self, where: str) -> None:
        match = _SCALAR.match(self.text, self._at)
        if match is None:
            raise self._fault(where)
        digits = match["number"]
        if match["constant"]:
            self._bad_number("JSON has no such number", "a finite number", match.group())
        elif digits and _WHOLE.fullmatch(digits):
            if len(digits.removeprefix("-")) > MAX_DIGITS:
                most, found = f"at most {MAX_DIGITS} digits", f"{len(digits)} characters"
                self._bad_number("this number is too long", most, found)
        elif digits and math.isinf(float(digits)):
            self._bad_number("this number is too large", "a finite number", digits)
        self._advance(match.end() - self._at)

    def _bad_number(self, message: str, expected: str, found: str) -> None:
        self._note(self._at, message, expected, found, "Write another number.")

    def _fault(self, where: str) -> faults.Fault:
        """Return the fault at the place where the text cannot be read on."""
        closers = "".join(each.close for each in reversed(self._open))
        return faults.fault_at(self.text, self._at, where, closers)

    def _peek(self) -> str:
        return self.text[self._at : self._at + 1]

    def _advance(self, length: int) -> None:
        self._at += length
        self._skip_space()

    def _skip_space(self) -> None:
        match = _SPACES.match(self.text, self._at)
        self._at = match.end() if match else self._at

    def _note(self, offset: int, message: str, expected: str, found: str, action: str) -> None:
        if len(self._noted) < MAX_PROBLEMS:
            problem = Problem(JSON_RULE, (), message, expected, found, action=action)
            self._noted.append((offset, problem))
