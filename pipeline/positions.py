"""Walks a JSON text without recursion: where each value stands, and what makes it not strict."""

from __future__ import annotations

import json
import re
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

from pipeline.display import quoted, visible
from pipeline.limits import MAX_DIGITS, MAX_PROBLEMS
from pipeline.problems import JSON_RULE, KEY_RULE, Path, Problem

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

_SPACE = re.compile(r"[ \t\n\r]*")
_STRING = re.compile(r'"[^"\\\x00-\x1f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*)*"')
_SCALAR = re.compile(
    r"(?P<number>-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)(?![\w.+-])"
    r"|(?:true|false|null)(?!\w)"
    r"|(?P<constant>NaN|-?Infinity)(?!\w)"
)
_WHOLE = re.compile(r"-?[0-9]+")
_WORD = re.compile(r"[^\s,\[\]{}:\"]+|.")
_SURROGATE = re.compile("[\ud800-\udfff]")


class Scan(NamedTuple):
    """What a walk found: offsets of the wanted values and of their keys, and the problems."""

    values: dict[Path, int]
    keys: dict[Path, int]
    problems: list[Problem]


def scan(text: str, wanted: Collection[Path] = ()) -> Scan:
    """Walk a JSON text and note the offsets of the values at the `wanted` paths.

    Where a key is repeated, the place of its last value is noted, the one that a parser keeps.
    The walk ends at the first syntax error, which is then the last of the problems.
    """
    walk = _Walk(text, wanted)
    try:
        walk.document()
    except _SyntaxFault as fault:
        walk.note(fault.offset, fault.message, fault.expected, walk.word(fault.offset))
    return Scan(walk.values, walk.keys, list(_placed(text, walk.noted)))


def locate(text: str, problems: Iterable[Problem]) -> list[Problem]:
    """Give each problem of a document its line and column, and sort them as they stand in it.

    A missing field is shown where the object that lacks it begins, a key's problem at the key.
    """
    problems = list(problems)
    wanted = {problem.path for problem in problems} | {problem.path[:-1] for problem in problems}
    found = scan(text, wanted)
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
    if problem.rule == KEY_RULE:
        return found.keys[problem.path]
    return found.values.get(problem.path, found.values.get(problem.path[:-1], 0))


class _SyntaxFault(Exception):
    def __init__(self, offset: int, message: str, expected: str) -> None:
        super().__init__(message)
        self.offset, self.message, self.expected = offset, message, expected


class _Container:
    """An object or array whose end has not been reached."""

    __slots__ = ("close", "keys", "path", "size")

    def __init__(self, close: str, path: Path) -> None:
        self.close = close
        self.path = path
        self.size = 0
        self.keys: set[str] = set()


class _Walk:
    def __init__(self, text: str, wanted: Collection[Path]) -> None:
        self.text = text
        self.wanted = wanted
        self.values: dict[Path, int] = {}
        self.keys: dict[Path, int] = {}
        self.noted: list[tuple[int, Problem]] = []
        self.at = 0
        self.open: list[_Container] = []

    def document(self) -> None:
        self.skip_space()
        self.value(())
        while self.open:
            self.element(self.open[-1])
        if self.at < len(self.text):
            raise _SyntaxFault(self.at, "there is more after the end of the document", "nothing")

    def element(self, container: _Container) -> None:
        """Read the next element of a container, or its end."""
        if self.peek() == container.close:
            self.advance(1)
            self.open.pop()
            return
        if container.size:
            if self.peek() != ",":
                name = "an array" if container.close == "]" else "an object"
                raise _SyntaxFault(
                    self.at, f"{name} goes on wrongly here", f"a comma or {container.close}"
                )
            comma = self.at
            self.advance(1)
            if self.peek() == container.close:
                raise _SyntaxFault(comma, "a comma stands after the last element", "no comma")
        container.size += 1
        if container.close == "]":
            self.value((*container.path, container.size - 1))
        else:
            self.member(container)

    def member(self, container: _Container) -> None:
        key_at = self.at
        key = self.string("a key in double quotes")
        path = (*container.path, key)
        if path in self.wanted:
            self.keys[path] = key_at
        if key in container.keys:
            self.note(key_at, "this key stands twice in one object", "each key once", quoted(key))
        container.keys.add(key)
        if self.peek() != ":":
            raise _SyntaxFault(self.at, "the key has no value", "a colon")
        self.advance(1)
        self.value(path)

    def value(self, path: Path) -> None:
        if path in self.wanted:
            self.values[path] = self.at
        character = self.peek()
        if character in ("{", "["):
            self.advance(1)
            self.open.append(_Container("}" if character == "{" else "]", path))
        elif character == '"':
            self.string("a value")
        else:
            self.scalar()

    def string(self, expected: str) -> str:
        match = _STRING.match(self.text, self.at)
        if match is None:
            raise self.string_fault(expected)
        text: str = json.loads(match.group())
        if _SURROGATE.search(text):
            self.note(
                self.at, "this string has half a surrogate pair", "whole characters", quoted(text)
            )
        self.advance(match.end() - self.at)
        return text

    def string_fault(self, expected: str) -> _SyntaxFault:
        if self.peek() != '"':
            return _SyntaxFault(self.at, "this is not JSON", expected)
        return _SyntaxFault(
            self.at,
            "this string does not end on its line or has a wrong escape",
            "a closing quote, and line breaks written as \\n",
        )

    def scalar(self) -> None:
        match = _SCALAR.match(self.text, self.at)
        if match is None:
            raise _SyntaxFault(self.at, "this is not JSON", "a value")
        digits = match["number"]
        if match["constant"]:
            self.note(self.at, "this is not a JSON number", "a finite number", match.group())
        elif digits and _WHOLE.fullmatch(digits):
            if len(digits.removeprefix("-")) > MAX_DIGITS:
                found = f"{len(digits)} characters"
                self.note(self.at, "this number is too long", f"at most {MAX_DIGITS} digits", found)
        elif digits and float(digits) in (float("inf"), float("-inf")):
            self.note(self.at, "this number is out of range", "a finite number", digits)
        self.advance(match.end() - self.at)

    def peek(self) -> str:
        return self.text[self.at : self.at + 1]

    def advance(self, length: int) -> None:
        self.at += length
        self.skip_space()

    def skip_space(self) -> None:
        match = _SPACE.match(self.text, self.at)
        self.at = match.end() if match else self.at

    def word(self, offset: int) -> str:
        match = _WORD.match(self.text, offset, offset + 40)
        return visible(match.group(), 40) if match else "the end of the file"

    def note(self, offset: int, message: str, expected: str, found: str) -> None:
        if len(self.noted) < MAX_PROBLEMS:
            self.noted.append((offset, Problem(JSON_RULE, (), message, expected, found)))
