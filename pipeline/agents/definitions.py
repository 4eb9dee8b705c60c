"""Reads a definition file as its client does, with places, in bounded time and without raising.

PyYAML composes the nodes of the front matter: nothing is constructed, no alias is followed, and a
hostile depth ends the reading instead of the stack.
"""

from __future__ import annotations

import datetime as dt
import re
import sys
from typing import TYPE_CHECKING, Any, NamedTuple

import yaml  # type: ignore[import-untyped]  # few calls, not worth stubs

from pipeline.protocol.problems import Path, Problem
from pipeline.terminal.display import quoted, visible

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

if TYPE_CHECKING:
    from collections.abc import Mapping

Spot = tuple[int, int]  # line and column, 1-based

MAX_BYTES = 64 * 1024  # of a definition file: a prompt is a few KiB
MAX_FRONT_MATTER = 16 * 1024
MAX_DEPTH = 16
WHOLE, DUPLICATE = "front-matter", "front-matter-duplicate"

_BREAK = re.compile(r"\r\n|\r|\n")
_OPENING = re.compile(r"---[ \t]*(?=[\r\n]|\Z)")
_CLOSING = re.compile(r"(?:\r\n|\r|\n)---[ \t]*(?:\r\n|\r|\n|\Z)")
# Cursor accepts what is not YAML: `globs: *.ts` in its own examples, and a colon in a description.
_LENIENT = re.compile(
    r"^((?:globs|description):[ \t]+)([\w*!{\[][^'#\r\n]*)(?=[\r\n]|\Z)", re.MULTILINE
)


class Document(NamedTuple):
    """What could be read: `values` is empty if `problems` has one of the rule `front-matter`.

    `spots` says where a value is, `keys` where its key is; a place that is not known is absent.
    `body` is the prompt, on line `body_line`, or the whole file if its front matter does not open
    or close.
    """

    values: dict[str, Any]
    spots: Mapping[Path, Spot]
    keys: Mapping[Path, Spot]
    problems: tuple[Problem, ...]
    body: str
    body_line: int


def _unreadable(
    body: str, line: int, message: str, expected: str, found: str = "", spot: Spot = (1, 1)
) -> Document:
    return Document({}, {}, {}, (Problem(WHOLE, (), message, expected, found, *spot),), body, line)


# --- front matter -------------------------------------------------------------------------------


def read_definition(text: str, *, cursor: bool = False) -> Document:
    """Read a Markdown file with front matter between two `---` lines, or what `cursor` accepts.

    Scalars have the types of YAML 1.2's core schema, and a date is a `datetime.date`: that is what
    js-yaml makes of it, the parser of most clients. Anchors, tags and more than one document are
    refused, and so are duplicate keys, as in js-yaml.
    """
    opening = _OPENING.match(text)
    if not opening:
        first = quoted(_BREAK.split(text, maxsplit=1)[0])
        return _unreadable(text, 1, "no front matter", "three hyphens on the first line", first)
    closing = _CLOSING.search(text, opening.end())
    if not closing:
        message, expected = "the front matter is never closed", "a line of three hyphens after it"
        return _unreadable(text, 1, message, expected, "the end of the file")
    inner, body = text[opening.end() : closing.start()], text[closing.end() :]
    line = len(_BREAK.findall(inner)) + 3
    if len(inner.encode("utf-8", "surrogatepass")) > MAX_FRONT_MATTER:
        expected = f"at most {MAX_FRONT_MATTER} bytes"
        return _unreadable(body, line, "the front matter is too large", expected)
    try:
        loader = _Loader(_LENIENT.sub(_quoted, inner) if cursor else inner)
        values = loader.fields()
    except _Refused as refused:
        return _unreadable(body, line, *refused.args)
    return Document(values, loader.spots, loader.keys, tuple(loader.problems), body, line)


def _quoted(match: re.Match[str]) -> str:
    """Return a line of a Cursor file, with quotes around a value if YAML requires them."""
    key, value = match[1], match[2].rstrip()
    pattern = value[0] in "*!" or (value[0] in "{[" and value[-1] not in "}]")
    colon = value[0].isalnum() and ": " in value
    return f"{key}'{value}'" if pattern or colon else match[0]


class _Refused(Exception):
    """YAML that is not read: what is wrong, what is expected and found, and where."""

    def __init__(self, message: str, expected: str, mark: Any = None) -> None:
        rest = mark.buffer[mark.pointer : -1].partition("\n")[0].strip() if mark else ""
        found = quoted(rest) if rest else ""
        super().__init__(message, expected, found, _spot(mark) if mark else (1, 1))


class _Loader(yaml.SafeLoader):  # type: ignore[misc]  # PyYAML is untyped
    """Reads one document of plain values, and keeps where each value and each key is."""

    def __init__(self, inner: str) -> None:
        self.spots: dict[Path, Spot] = {}
        self.keys: dict[Path, Spot] = {}
        self.problems: list[Problem] = []
        self._depth = 0
        try:
            super().__init__(inner)
        except yaml.YAMLError as error:  # a character that YAML does not allow
            message = visible(str(error).partition("\n")[0])
            raise _Refused(f"not YAML: {message}", "printable text") from None

    def compose_node(self, parent: Any, index: Any) -> Any:
        """Compose a value; the depth is bounded, and so is the stack."""
        event = self.peek_event()
        if isinstance(event, yaml.AliasEvent) or event.anchor:
            what = "anchors and aliases are not supported"
            raise _Refused(what, "the value itself, or text in quotes", event.start_mark)
        if event.tag:
            raise _Refused("YAML tags are not supported", "plain or quoted text", event.start_mark)
        if self._depth >= MAX_DEPTH and not isinstance(event, yaml.ScalarEvent):
            expected = f"at most {MAX_DEPTH} levels"
            raise _Refused("nested too deeply", expected, event.start_mark)
        self._depth += 1
        node = super().compose_node(parent, index)
        self._depth -= 1
        return node

    def fields(self) -> dict[str, Any]:
        """Return the values by their keys; raise `_Refused` where they cannot be read."""
        try:
            node = self.get_single_node()
        except yaml.MarkedYAMLError as error:
            expected = (
                "YAML, with quotes around text that has a colon or starts with * & ! @ % or a "
                "bracket"
            )
            raise _Refused(f"not YAML: {error.problem}", expected, error.problem_mark) from None
        root = self._value(node, ()) if node else {}
        if not isinstance(root, dict):
            raise _Refused("the front matter is not a map", "`key: value` lines")
        return root

    def _value(self, node: Any, path: Path) -> Any:
        if path:
            self.spots[path] = _spot(node.start_mark)
        if isinstance(node, yaml.ScalarNode):
            return _resolved(node.value) if node.style is None else node.value
        if isinstance(node, yaml.SequenceNode):
            return [self._value(each, (*path, index)) for index, each in enumerate(node.value)]
        fields: dict[str, Any] = {}
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode):
                what = "a map or a list as a key is not supported"
                raise _Refused(what, "text", key.start_mark)
            below, spot = (*path, key.value), _spot(key.start_mark)
            first = self.keys.setdefault(below, spot)
            if first != spot:
                message, found = "duplicate key", f"the same key on line {first[0]}"
                problem = Problem(DUPLICATE, below, message, "each key only once", found, *spot)
                self.problems.append(problem)
            fields[key.value] = self._value(value, below)
        return fields


_BOOLEAN = re.compile(r"(true|True|TRUE)|false|False|FALSE")
_INTEGER = re.compile(r"[-+]?[0-9]{1,300}|0o[0-7]{1,300}|0x[0-9a-fA-F]{1,200}")
_FLOAT = re.compile(
    r"[-+]?(?:\.[0-9]{1,300}|[0-9]{1,300}(?:\.[0-9]{0,300})?)(?:[eE][-+]?[0-9]{1,3})?"
)
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[Tt \t].*)?")


def _resolved(text: str) -> Any:
    if text in ("", "~", "null", "Null", "NULL"):
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


# --- TOML: Codex's definitions ------------------------------------------------------------------

_WORDS = re.compile(  # texts and comments, which hold no structure
    r'"""(?:\\.|[^\\])*?"""|\'\'\'.*?\'\'\'|"(?:\\.|[^"\\\n])*"|\'[^\'\n]*\'|#[^\n]*', re.DOTALL
)
_KEY = re.compile(r"^[ \t]*(\[{1,2}[ \t]*)?([A-Za-z0-9_-]+)[ \t]*[=.\]][ \t]*", re.MULTILINE)
_PLACE = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")


def read_toml(text: str) -> Document:
    """Read a definition in TOML; its body is the whole text. Places of quoted keys are unknown."""
    masked = _WORDS.sub(_blanked, text)
    try:
        values = _parsed(text, masked)
    except RecursionError:
        return _unreadable(text, 1, "nested too deeply", f"at most {MAX_DEPTH} levels")
    except ValueError as error:
        place = _PLACE.search(str(error))
        reason = visible(_PLACE.sub("", str(error)))
        spot = (int(place[1]), int(place[2])) if place and place[1] else (text.count("\n") + 1, 1)
        return _unreadable(text, 1, f"not TOML: {reason}", "TOML 1.0", "", spot)
    keys: dict[Path, Spot] = {}
    spots: dict[Path, Spot] = {}
    in_table = False
    for match in _KEY.finditer(masked):  # those of the first level
        is_table = match[1] is not None
        in_table = in_table or is_table
        if (match[2],) not in keys and is_table == in_table:
            keys[match[2],] = _place(text, match.start(2))
            spots[match[2],] = _place(text, match.end())
    return Document(values, spots, keys, (), text, 1)


def _blanked(match: re.Match[str]) -> str:
    return "\n".join('"' * len(line) for line in match[0].split("\n"))


def _parsed(text: str, masked: str) -> dict[str, Any]:
    if max(part.count(".") for part in re.split(r"[=,\n]", masked)) > MAX_DEPTH:
        raise RecursionError  # a key of many parts takes the parser quadratic time
    values: dict[str, Any] = tomllib.loads(text)
    return values


def _place(text: str, offset: int) -> tuple[int, int]:
    return text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)
