"""Strict, bounded reading of JSON: what is refused here has no single meaning or no safe size."""

from __future__ import annotations

import codecs
import json
import math
import re
from typing import Any

from pipeline.files import MAX_DEPTH, MAX_DIGITS, MAX_ELEMENTS
from pipeline.protocol.problems import JSON_RULE, Problem, line_and_column


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
    try:
        value, end = _decoder.raw_decode(document)
    except ValueError:  # also JSONDecodeError
        raise _explained(data, text) from None
    if end < len(document):
        raise _explained(data, text)
    if "\\" in text and _SURROGATE_ESCAPE.search(text):
        from pipeline.protocol.positions import scan  # only where a surrogate may stand alone

        problems = scan(text).problems
        if problems:
            raise NotStrictJson(tuple(problems))
    return value


def text_of(data: bytes) -> str:
    """Decode UTF-8, without its byte order mark; raises `NotStrictJson` for another encoding."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise _not_utf8(data, error.start) from None
    return text.removeprefix("\ufeff")


def _not_utf8(data: bytes, start: int) -> NotStrictJson:
    message = "this is not UTF-8 text"
    if data[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE) or b"\0" in data[:2]:
        found = "UTF-16, UTF-32 or binary data"
        return _single(message, "UTF-8", found, _SAVE_AS_UTF8, 1, 1)
    before = data[:start].decode("utf-8").removeprefix("\ufeff")
    line, column = line_and_column(before, len(before))
    found = f"the byte 0x{data[start]:02x}"
    return _single(message, "UTF-8", found, _SAVE_AS_UTF8, line, column)


def _check_bounds(text: str) -> None:
    # Cheap upper bounds first: brackets and commas inside strings only make them larger.
    brackets = text.count("[") + text.count("{")
    if brackets <= MAX_DEPTH and text.count(",") + brackets <= MAX_ELEMENTS:
        return
    depth = elements = 0
    for match in _STRUCTURE.finditer(text):
        character = match.group()[0]
        if character in "[{":
            depth += 1
            elements += 1
        elif character in "]}":
            depth -= 1
        elif character == ",":
            elements += 1
        if depth > MAX_DEPTH or elements > MAX_ELEMENTS:
            place = line_and_column(text, match.start())
            if depth > MAX_DEPTH:
                action = "Nest less: an artifact needs four levels."
                raise _single(
                    "too deeply nested", f"at most {MAX_DEPTH} levels", "", action, *place
                )
            action = "Write less: an artifact needs a few hundred elements."
            raise _single("too many elements", f"at most {MAX_ELEMENTS}", "", action, *place)


def _single(
    message: str, expected: str, found: str, action: str, line: int, column: int
) -> NotStrictJson:
    return NotStrictJson((Problem(JSON_RULE, (), message, expected, found, line, column, action),))


def _explained(data: bytes, text: str) -> NotStrictJson:
    """Return what the scanner finds wrong with a text that the decoder refused."""
    from pipeline.protocol.positions import scan  # only on failure: a passing run does not need it

    if b"\0" in data[:2]:  # UTF-16 and UTF-32 without a mark can be read as UTF-8 with NULs
        return _not_utf8(data, 0)
    problems = scan(text).problems
    if problems:
        return NotStrictJson(tuple(problems))
    return _single("this is not JSON", "a JSON document", "", "Write one JSON document.", 1, 1)


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
    if value in (math.inf, -math.inf):
        raise ValueError
    return value


def _constant(name: str) -> float:
    raise ValueError(name)


_SAVE_AS_UTF8 = "Save the file again, with the encoding UTF-8."
_SPACE = " \n\r\t"  # RFC 8259, section 2
_STRUCTURE = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"?|[\[\]{},]', re.DOTALL)
_SURROGATE_ESCAPE = re.compile(r"\\u[dD]")
_decoder = json.JSONDecoder(
    object_pairs_hook=_unique,
    parse_int=_integer,
    parse_float=_number,
    parse_constant=_constant,
)
