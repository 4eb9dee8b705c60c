"""Front matter read as YAML, as the clients read it, with places and without its dangers.

It is built from the parser's events, one by one: nothing is constructed, no alias is followed, and
a hostile depth ends the reading instead of the stack.
"""

from __future__ import annotations

import datetime as dt
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from pipeline.agents.documents import MAX_DEPTH, Document
from pipeline.agents.front_matter import DUPLICATE, WHOLE, split
from pipeline.protocol.problems import Path, Problem
from pipeline.terminal.display import quoted, visible

if TYPE_CHECKING:
    from pipeline.agents.documents import Spot

_QUOTE_IT = "YAML; text that holds a colon, or starts with * & ! @ % or a bracket, in quotes"
_NULL = re.compile(r"(?:~|null|Null|NULL)?")
_BOOLEAN = re.compile(r"(true|True|TRUE)|false|False|FALSE")
_INTEGER = re.compile(r"[-+]?[0-9]{1,300}|0o[0-7]{1,300}|0x[0-9a-fA-F]{1,200}")
_FLOAT = re.compile(
    r"[-+]?(?:\.[0-9]{1,300}|[0-9]{1,300}(?:\.[0-9]{0,300})?)(?:[eE][-+]?[0-9]{1,3})?"
)
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[Tt \t].*)?")


class Refused(Exception):
    """YAML that is not read: why, what is wanted, and PyYAML's mark of the place if it has one."""

    def __init__(self, message: str, expected: str, mark: Any = None) -> None:
        super().__init__(message)
        self.message, self.expected, self.mark = message, expected, mark

    def problem(self, inner: str) -> Problem:
        """Return the problem, with what stands at the place in the front matter."""
        if self.mark is None:
            return Problem(WHOLE, (), self.message, self.expected, "", 1, 1)
        rest = inner[self.mark.index :].partition("\n")[0].strip()
        found = quoted(rest) if rest else ""
        return Problem(WHOLE, (), self.message, self.expected, found, *_spot(self.mark))


class _Frame(NamedTuple):
    container: dict[str, Any] | list[Any]
    path: Path


def read_yaml(text: str) -> Document:
    """Read the front matter of a definition file, in linear time and without ever raising.

    Scalars have the types of YAML 1.2's core schema, and a date is a `datetime.date`: that is what
    js-yaml makes of it, the parser of most clients. Anchors, tags and more than one document are
    refused; a key that stands twice is too, as js-yaml does.
    """
    parts = split(text)
    if parts.problem:
        return Document({}, {}, {}, (parts.problem,), parts.body, parts.body_line)
    builder = _Builder()
    try:
        values = builder.built(parts.inner)
    except Refused as error:
        return Document({}, {}, {}, (error.problem(parts.inner),), parts.body, parts.body_line)
    problems = tuple(builder.problems)
    return Document(values, builder.spots, builder.keys, problems, parts.body, parts.body_line)


class _Builder:
    """Takes the events of one document in turn and keeps where each value stood."""

    def __init__(self) -> None:
        self.spots: dict[Path, Spot] = {}
        self.keys: dict[Path, Spot] = {}
        self.problems: list[Problem] = []
        self._stack: list[_Frame] = []
        self._key: list[str | None] = []  # of each map on the stack: the key that waits for a value
        self._root: Any = None

    def built(self, inner: str) -> dict[str, Any]:
        """Return the fields; raise `Refused` where they cannot be read."""
        import yaml  # type: ignore[import-untyped]  # few calls, not worth stubs

        try:
            for event in yaml.parse(inner, Loader=yaml.SafeLoader):
                self._take(event)
        except yaml.MarkedYAMLError as error:
            raise Refused(f"no YAML: {error.problem}", _QUOTE_IT, error.problem_mark) from None
        except yaml.YAMLError as error:  # a character that YAML does not allow
            message = visible(str(error).partition("\n")[0])
            raise Refused(f"no YAML: {message}", "printable text") from None
        if self._root is None:
            return {}
        if not isinstance(self._root, dict):
            raise Refused("the front matter is not a map", "`key: value` lines")
        return self._root

    def _take(self, event: Any) -> None:
        name = type(event).__name__
        if name == "AliasEvent" or getattr(event, "anchor", None):
            raise Refused("anchors and aliases are not read", "the value itself", event.start_mark)
        if name in ("MappingStartEvent", "SequenceStartEvent"):
            self._open(event, {} if name == "MappingStartEvent" else [])
        elif name in ("MappingEndEvent", "SequenceEndEvent"):
            self._stack.pop()
            self._key.pop()
        elif name == "ScalarEvent":
            self._scalar(event)
        elif name == "DocumentStartEvent" and event.explicit:
            raise Refused("a second document", "one front matter", event.start_mark)

    def _open(self, event: Any, container: dict[str, Any] | list[Any]) -> None:
        if event.tag:
            raise Refused("YAML tags are not read", "a plain value", event.start_mark)
        if len(self._stack) >= MAX_DEPTH:
            raise Refused(f"nested deeper than {MAX_DEPTH}", "a flat value", event.start_mark)
        path = self._add(container, event)
        self._stack.append(_Frame(container, path))
        self._key.append(None)

    def _scalar(self, event: Any) -> None:
        if event.tag:
            raise Refused("YAML tags are not read", "a plain value", event.start_mark)
        frame = self._stack[-1] if self._stack else None
        if frame and isinstance(frame.container, dict) and self._key[-1] is None:
            self._start_pair(frame, event)
            return
        self._add(_resolved(event.value) if event.style is None else event.value, event)

    def _start_pair(self, frame: _Frame, event: Any) -> None:
        path, spot = (*frame.path, event.value), _spot(event.start_mark)
        if path in self.keys:
            found = f"the same key on line {self.keys[path][0]}"
            twice = "the key stands twice"
            self.problems.append(Problem(DUPLICATE, path, twice, "each key once", found, *spot))
        else:
            self.keys[path] = spot
        self._key[-1] = event.value

    def _add(self, value: Any, event: Any) -> Path:
        """Put a value where it belongs and return its path."""
        if not self._stack:
            if self._root is not None:
                raise Refused("a second document", "one front matter", event.start_mark)
            self._root = value
            return ()
        frame = self._stack[-1]
        if isinstance(frame.container, list):
            path: Path = (*frame.path, len(frame.container))
            frame.container.append(value)
        else:
            key = self._key[-1]
            if key is None:
                raise Refused("a map or a list as a key is not read", "text", event.start_mark)
            path = (*frame.path, key)
            frame.container[key] = value
            self._key[-1] = None
        self.spots[path] = _spot(event.start_mark)
        return path


def _resolved(text: str) -> Any:
    if _NULL.fullmatch(text):
        return None
    if boolean := _BOOLEAN.fullmatch(text):
        return boolean[1] is not None
    if _INTEGER.fullmatch(text):
        return int(text, {"0o": 8, "0x": 16}.get(text[:2], 10))
    if _FLOAT.fullmatch(text):
        return float(text)
    return dt.date.min if _DATE.fullmatch(text) else text


def _spot(mark: Any) -> Spot:
    return mark.line + 1, mark.column + 1
