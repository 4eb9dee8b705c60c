"""Reads a TOML text of a known form, and says where it is wrong: line, column and path."""

from __future__ import annotations

import datetime as dt
import re
import sys
from typing import TYPE_CHECKING, Any, TypeVar

from pipeline.protocol.problems import Path, Problem
from pipeline.terminal.display import did_you_mean, listed, quoted, visible

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pydantic import TypeAdapter, ValidationError

T = TypeVar("T")

loads = tomllib.loads  # of the standard library from Python 3.11 on

_PLACE = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)\Z")
_NOT_A_VALUE = ("Expected newline or end of document after a statement", "Invalid value")
_VALUES = 'text in "…", a date and a time such as 2026-10-05T23:59:00, a number, true or false'
_TYPES = {
    "list_type": "a list in [ ]",
    "string_type": 'text in "…"',
    "int_type": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
}
_TOKEN = re.compile(
    r'"""(?:[^\\]|\\.)*?"{3,5}|' + r"'''.*?'{3,5}|" + r'"(?:[^"\\\n]|\\.)*"|'
    r"'[^'\n]*'|#[^\n]*|[A-Za-z0-9_-]+|[ \t\r]+|.",
    re.DOTALL,
)


def read(text: str, form: TypeAdapter[T]) -> T | Problem:
    """Return the value of a text, or the first problem with it, without its line and column."""
    from pydantic import ValidationError  # slow, and not needed to read a definition

    try:
        return form.validate_python(loads(text))
    except ValidationError as error:
        return _problem(error, form)
    except (ValueError, RecursionError) as error:
        why, line, column = why_not(text, error)
        expected = _VALUES if why in _NOT_A_VALUE else ""
        return Problem("toml", (), f"not TOML: {why}", expected, line=line, column=column)


def why_not(text: str, error: Exception) -> tuple[str, int, int]:
    """Return what is wrong with a text that `tomllib` refuses, safe to print, and where."""
    said = str(error)
    if (place := _PLACE.search(said)) and place[1]:
        line, column = int(place[1]), int(place[2])
    else:
        line, column = text.count("\n") + 1, 1
    return visible(_PLACE.sub("", said)), line, column


def placed(problem: Problem, text: str) -> Problem:
    """Return a problem with the place of its path, or of what contains it, in a TOML text."""
    if problem.line:
        return problem
    places: dict[Path, int] = {}
    for path, at in _TomlPlaces(text).statements():
        for length in range(len(path), 0, -1):  # a key may make the tables that contain it
            places.setdefault(path[:length], at)
    path = problem.path
    while path and path not in places:
        path = path[:-1]
    at = places.get(path, 0)
    return problem._replace(
        line=text.count("\n", 0, at) + 1, column=at - text.rfind("\n", 0, at) if path else 1
    )


def described(path: Path, form: TypeAdapter[Any]) -> tuple[Path, dict[str, Any]]:
    """Return the JSON Schema of a place, or of the last place on the way to it that has one."""
    whole = form.json_schema()
    schema: dict[str, Any] = whole
    for at, step in enumerate(path):
        inner = schema.get("items") if isinstance(step, int) else _field(schema, step)
        if inner is None:
            return path[:at], schema
        named = next(
            (schema for schema in (inner, *inner.get("anyOf", ())) if "$ref" in schema), inner
        )
        schema = {**whole["$defs"].get(named.get("$ref", "").rpartition("/")[2], {}), **inner}
    return path, schema


def _field(schema: dict[str, Any], name: str) -> dict[str, Any] | None:
    patterns = schema.get("patternProperties", {}).values()
    more = schema.get("additionalProperties")
    found = schema.get("properties", {}).get(name) or next(iter(patterns), None)
    return found or (more if isinstance(more, dict) else None)


def _problem(error: ValidationError, form: TypeAdapter[Any]) -> Problem:
    """Return the first problem with the form of a text: an unknown key, if there is one."""
    errors = error.errors(include_url=False, include_context=False)
    first = next((e for e in errors if e["type"] == "unexpected_keyword_argument"), errors[0])
    path, schema = described(first["loc"], form)
    if first["type"] == "unexpected_keyword_argument":
        known, key = schema["properties"], str(first["loc"][-1])
        return Problem(
            "key", (*path, key), f"unknown key{did_you_mean(key, known)}", listed(known, len(known))
        )
    texts = (schema, *schema.get("anyOf", ()))
    described_as = next((text["description"] for text in texts if "description" in text), "")
    kinds = [kind for kind in schema.get("anyOf", (schema,)) if kind.get("type") != "null"]
    kind = _TYPES.get(first["type"]) if len(kinds) == 1 else None  # of several, it is the first
    expected = ": ".join(filter(None, (kind, described_as)))
    value = first["input"]
    if first["type"] == "missing":
        return Problem("missing", path, "the field is missing", expected)
    if first["loc"][-1:] == ("[key]",):
        return Problem("key", first["loc"][:-1], "this name is not allowed", visible(first["msg"]))
    found = "a date or a time" if isinstance(value, dt.date | dt.time) else quoted(value)
    return Problem("form", path, "wrong value", expected or visible(first["msg"]), found)


class _TomlPlaces:
    """Finds where the keys and the values of a valid TOML text are."""

    def __init__(self, text: str) -> None:
        found = [(match[0], match.start()) for match in _TOKEN.finditer(text)]
        self._words = [(word, at) for word, at in found if word[0] not in "# \t\r"]
        self._words.append(("", len(text)))
        self._next = 0
        self._last: dict[Path, int] = {}  # of each array of tables, the number of the last one

    @property
    def _word(self) -> str:
        return self._words[self._next][0]

    def _take(self) -> str:
        word, _ = self._words[self._next]
        self._next += 1
        return word

    def statements(self) -> Iterator[tuple[Path, int]]:
        """Yield each path with the position of its key, table or item."""
        table: Path = ()
        while self._word:
            _, at = self._words[self._next]
            if self._word == "[":
                table = self._header()
                yield table, at
            elif self._word == "\n":
                self._take()
            else:
                yield from self._pair(table)

    def _header(self) -> Path:
        self._take()
        is_array = self._word == "["
        if is_array:
            self._take()
        path: Path = ()
        for name in self._key():
            path = (*path, name)
            if path in self._last:
                path = (*path, self._last[path])
        if is_array:
            array = path[:-1] if path and isinstance(path[-1], int) else path
            self._last[array] = self._last.get(array, -1) + 1
            path = (*array, self._last[array])
        while self._word == "]":
            self._take()
        return path

    def _key(self) -> list[str]:
        names = []
        while self._word and self._word not in "=]":
            word = self._take()
            if word != ".":
                quote = word[0] in "\"'"
                names.append(loads(f"x = {word}")["x"] if quote else word)
        return names

    def _pair(self, table: Path) -> Iterator[tuple[Path, int]]:
        _, at = self._words[self._next]
        path = (*table, *self._key())
        yield path, at
        self._take()
        yield from self._value(path)

    def _value(self, path: Path) -> Iterator[tuple[Path, int]]:
        if self._word == "{":
            self._take()
            while self._word != "}":
                yield from () if self._skipped() else self._pair(path)
            self._take()
        elif self._word == "[":
            self._take()
            number = 0
            while self._word != "]":
                if not self._skipped():
                    yield (*path, number), self._words[self._next][1]
                    yield from self._value((*path, number))
                    number += 1
            self._take()
        else:
            while self._word and self._word not in ",]}\n":
                self._take()

    def _skipped(self) -> bool:
        return self._word in (",", "\n") and bool(self._take())
