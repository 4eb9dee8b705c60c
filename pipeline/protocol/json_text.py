"""JSON read strictly and within bounds, and where in its text each value and each problem is."""

from __future__ import annotations

import codecs
import json
import math
import re
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from pipeline.files import MAX_DEPTH, MAX_DIGITS, MAX_ELEMENTS, MAX_PROBLEMS
from pipeline.protocol import json_faults as faults
from pipeline.protocol.json_faults import Fault, fault_at, text_fault
from pipeline.protocol.problems import JSON_RULE, KEY_RULE, Path, Problem
from pipeline.terminal.display import quoted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


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
    # Cheap upper bounds: brackets and commas inside strings only make them larger.
    brackets = text.count("[") + text.count("{")
    bounded = brackets <= MAX_DEPTH and text.count(",") + brackets <= MAX_ELEMENTS
    if bounded and not _SURROGATE_ESCAPE.search(text):
        try:
            return _decoder.decode(text)
        except ValueError:  # also JSONDecodeError
            pass  # the scan below says why
    if b"\0" in data[:2]:  # UTF-16 and UTF-32 without a mark can be read as UTF-8 with NULs
        raise _not_utf8(data, 0)
    problems = Scan(text).problems
    if problems:
        raise NotStrictJson(tuple(problems))
    return _decoder.decode(text)


def text_of(data: bytes) -> str:
    """Decode UTF-8, without its byte order mark; raises `NotStrictJson` for another encoding."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise _not_utf8(data, error.start) from None
    return text.removeprefix("\ufeff")


def _not_utf8(data: bytes, start: int) -> NotStrictJson:
    before, found = data[:start].decode().removeprefix("\ufeff"), f"the byte 0x{data[start]:02x}"
    if data[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE) or b"\0" in data[:2]:
        before, found = "", "UTF-16, UTF-32 or binary data"
    message, action = "this is not UTF-8 text", "Save the file again with UTF-8 encoding."
    problem = Problem(JSON_RULE, (), message, "UTF-8", found, action=action)
    return NotStrictJson(tuple(_placed(before, [(len(before), problem)])))


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise ValueError
    return value


def _integer(digits: str) -> int:
    if len(digits.removeprefix("-")) > MAX_DIGITS:
        raise ValueError
    return int(digits)


def _finite(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):  # also of NaN and Infinity
        raise ValueError
    return value


_SURROGATE_ESCAPE = re.compile(r"\\u[dD]")
_decoder = json.JSONDecoder(
    object_pairs_hook=_unique,
    parse_int=_integer,
    parse_float=_finite,
    parse_constant=_finite,
)


def locate(text: str, problems: Iterable[Problem]) -> list[Problem]:
    """Give each problem of a document its line and column, and sort them in its order.

    A missing field is shown where the object that lacks it ends, a key's problem at the key.
    """
    found = Scan(text)
    return list(_placed(text, [(_offset(problem, found), problem) for problem in problems]))


def _offset(problem: Problem, found: Scan) -> int:
    if problem.rule == KEY_RULE:
        return found.keys[problem.path]
    return found.values.get(problem.path, found.ends.get(problem.path[:-1], 0))


def _placed(text: str, found: list[tuple[int, Problem]]) -> Iterator[Problem]:
    """Yield problems with the line and column of their offsets, as they are in the document."""
    line, start, before = 1, 0, 0
    for offset, problem in sorted(found, key=itemgetter(0)):
        line += text.count("\n", before, offset)
        start = max(start, text.rfind("\n", before, offset) + 1)
        before = offset
        yield problem._replace(line=line, column=offset - start + 1)


_SPACES = re.compile(r"[ \t\n\r]*")  # RFC 8259, section 2
_STRING = re.compile(faults.GOOD_TEXT.pattern + '"')
_SCALAR = re.compile(
    r"-?(?P<whole>0|[1-9][0-9]*)(?P<rest>(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)(?![\w.+-])"
    r"|(?:true|false|null)(?!\w)"
    r"|(?P<constant>NaN|-?Infinity)(?!\w)"
)
_SURROGATE = re.compile("[\ud800-\udfff]")


class Scan:
    """A walk through a JSON text: the offsets of values, keys and ends, and the problems.

    Where a key is repeated, the place of its last value is noted, the one that a parser keeps.
    The walk ends at the first syntax error, which is then the last of the problems.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.values: dict[Path, int] = {}
        self.keys: dict[Path, int] = {}
        self.ends: dict[Path, int] = {}
        self._noted: list[tuple[int, Problem]] = []
        self._closers = ""  # the brackets that close what is open, the innermost first
        self._counted = 0
        try:
            at = self._value((), 0, faults.START)
            if at < len(text):
                raise self._fault(at, faults.END)
        except Fault as fault:
            self._note(*fault.args)
        self.problems = list(_placed(text, self._noted))

    def _value(self, path: Path, at: int, where: str) -> int:
        """Read a value and the space around it; return where that ends."""
        at = self._space(at)
        self.values[path] = at
        mark = self.text[at : at + 1]
        if mark == '"':
            end = self._string(at)[1]
        elif mark in ("{", "["):
            end = self._container(path, at, "}" if mark == "{" else "]")
        else:
            end = self._scalar(at, where)
        return self._space(end)

    def _container(self, path: Path, at: int, close: str) -> int:
        self._count(at)
        self._closers = close + self._closers
        if len(self._closers) > MAX_DEPTH:
            action = "Reduce the nesting: an artifact needs only four levels."
            raise Fault(at, "too deeply nested", f"at most {MAX_DEPTH} levels", "", action)
        at = self._space(at + 1)
        if not self.text.startswith(close, at):
            at = self._elements(path, at, close)
        self.ends[path] = at
        self._closers = self._closers[1:]
        return at + 1

    def _elements(self, path: Path, at: int, close: str) -> int:
        """Read what is in an object or array; return where its closing bracket is."""
        keys: set[str] = set()
        index = 0
        while True:
            if close == "}":
                at = self._member(path, at, keys)
            else:
                at = self._value((*path, index), at, faults.ITEM)
            if self.text.startswith(close, at):
                return at
            if not self.text.startswith(",", at):
                raise self._fault(at, faults.NEXT)
            self._count(at)
            index, comma, at = index + 1, at, self._space(at + 1)
            if self.text.startswith(close, at):
                message = "there is a comma after the last element"
                raise Fault(comma, message, "no comma", ",", "Remove the comma.")

    def _member(self, holder: Path, at: int, keys: set[str]) -> int:
        if not self.text.startswith('"', at):
            raise self._fault(at, faults.KEY)
        key, end = self._string(at)
        path: Path = (*holder, key)
        self.keys[path] = at
        if key in keys:
            message, action = "duplicate key in this object", "Keep one of the two."
            self._note(at, message, "each key only once", quoted(key), action)
        keys.add(key)
        colon = self._space(end)
        if not self.text.startswith(":", colon):
            raise self._fault(colon, faults.COLON)
        return self._value(path, colon + 1, faults.MEMBER)

    def _count(self, at: int) -> None:
        self._counted += 1
        if self._counted > MAX_ELEMENTS:
            action = "Shorten the artifact: it needs only a few hundred elements."
            raise Fault(at, "too many elements", f"at most {MAX_ELEMENTS}", "", action)

    def _string(self, at: int) -> tuple[str, int]:
        match = _STRING.match(self.text, at)
        if match is None:
            raise text_fault(self.text, at)
        text: str = json.loads(match[0])
        if _SURROGATE.search(text):
            message, action = (
                "this string has an incomplete character",
                "Write the complete character.",
            )
            self._note(at, message, "complete surrogate pairs", quoted(text), action)
        return text, match.end()

    def _scalar(self, at: int, where: str) -> int:
        match = _SCALAR.match(self.text, at)
        if match is None:
            raise self._fault(at, where)
        wrong = None
        if match["constant"]:
            wrong = "this is not a JSON number", "a finite number", match[0]
        elif match["rest"] and math.isinf(float(match[0])):
            wrong = "this number is too large", "a finite number", match[0]
        elif not match["rest"] and len(match["whole"] or "") > MAX_DIGITS:
            found = f"{len(match[0])} characters"
            wrong = "this number is too long", f"at most {MAX_DIGITS} digits", found
        if wrong:
            self._note(at, *wrong, "Write a different number.")
        return match.end()

    def _fault(self, at: int, where: str) -> Fault:
        return fault_at(self.text, at, where, self._closers)

    def _space(self, at: int) -> int:
        match = _SPACES.match(self.text, at)
        return match.end() if match else at

    def _note(self, offset: int, message: str, expected: str, found: str, action: str) -> None:
        if len(self._noted) < MAX_PROBLEMS:
            problem = Problem(JSON_RULE, (), message, expected, found, action=action)
            self._noted.append((offset, problem))
