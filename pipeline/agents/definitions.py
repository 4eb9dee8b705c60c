"""Reads a definition file as its client does, with places, in bounded time and without raising.

PyYAML composes the nodes of the front matter: nothing is constructed, no alias is followed, and a
hostile depth ends the reading instead of the stack.
"""

from __future__ import annotations

import datetime as dt
import re
from bisect import bisect
from typing import TYPE_CHECKING, Any, NamedTuple

import yaml  # type: ignore[import-untyped]  # few calls, not worth stubs

from pipeline.protocol.problems import Path, Problem
from pipeline.protocol.toml_text import loads, why_not
from pipeline.terminal.display import quoted, visible
from pipeline.terminal.fault import Refusal

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

Spot = tuple[int, int]  # line and column, 1-based

MAX_BYTES = 512 * 1024  # of a definition file: public skills have up to 300 KiB
MAX_FRONT_MATTER = 16 * 1024
MAX_DEPTH = 16
WHOLE, DUPLICATE = "front-matter", "front-matter-duplicate"
NO_START = "no front matter"

_BREAK = re.compile(r"\r\n|\r|\n")
_OPENING = re.compile(r"---[ \t]*(?=[\r\n]|\Z)")
_CLOSING = re.compile(r"(?:\r\n|\r|\n)---[ \t]*(?:\r\n|\r|\n|\Z)")
_FIELD = re.compile(r"(?:\w[\w-]*(?:[ \t]*=|:).*|[ \t]+\S.*|- .*|#.*)\Z")
_NO_COLON = re.compile(r"^(\w[\w-]*)(?:[ \t]*=[ \t]*|:(?=[^\s/]))([^\r\n]*)", re.MULTILINE)
# Cursor accepts what is not YAML: `globs: *.ts` in its own examples, and a colon in a description.
_LENIENT = re.compile(
    r"^((?:globs?|description):[ \t]+)([\w*!{\[][^'#\r\n]*)(?=[\r\n]|\Z)", re.MULTILINE
)


class Document(NamedTuple):
    """What could be read."""

    values: dict[str, Any]  #: empty if `problems` has one of the rule `front-matter`
    spots: Mapping[Path, Spot]  #: where a value is, if that is known
    keys: Mapping[Path, Spot]  #: where its key is, if that is known
    problems: tuple[Problem, ...]
    body: str  #: the prompt, or the whole file if its front matter does not open or close
    body_line: int


def _unreadable(
    body: str, line: int, texts: tuple[str, ...], spot: Spot = (1, 1), action: str = ""
) -> Document:
    message, expected, found = (*texts, "")[:3]
    problem = Problem(WHOLE, (), message, expected, found, *spot, action)
    return Document({}, {}, {}, (problem,), body, line)


# --- front matter -------------------------------------------------------------------------------


def read_definition(text: str, *, cursor: bool = False) -> Document:
    """Read a Markdown file with front matter between two `---` lines, or what `cursor` accepts.

    Scalars have the types of YAML 1.2's core schema, and a date is a `datetime.date`: that is what
    js-yaml makes of it, the parser of most clients. Anchors, tags and more than one document are
    refused, and so are duplicate keys, as in js-yaml.
    """
    opening = _OPENING.match(text)
    if not opening:
        return _without_start(text)
    rows = _BREAK.split(text[: 2 * MAX_FRONT_MATTER])
    last = next((n for n, row in enumerate(rows) if n and not _FIELD.match(row)), len(rows))
    closing = _CLOSING.search(text, opening.end())
    texts: tuple[str, ...] = "the front matter is never closed", "a line of three hyphens after it"
    action = f"Add a line `---` below line {last}."
    if not closing:
        return _unreadable(text, 1, (*texts, "the end of the file"), action=action)
    inner, body = text[opening.end() : closing.start()], text[closing.end() :]
    line = len(_BREAK.findall(inner)) + 3
    if len(inner.encode("utf-8", "surrogatepass")) > MAX_FRONT_MATTER:
        expected = f"at most {MAX_FRONT_MATTER} bytes"
        return _unreadable(body, line, ("the front matter is larger than the lint reads", expected))
    try:
        loader = _Loader(_LENIENT.sub(_quoted, inner) if cursor else inner)
        values = loader.fields()
    except _Refused as refused:
        spot = refused.args[3]
        wrong = _NO_COLON.search(inner)
        if wrong or rows[last : last + 1] != [""] or spot[0] <= last:
            texts, action = refused.args[:3], "Correct this line, or put its value in quotes."
        if wrong:
            right = f"{wrong[1]}: {wrong[2]}"
            texts = "no colon and blank after a key", quoted(right), quoted(wrong[0])
            spot, action = _places(inner)(wrong.start()), f"Write `{visible(right, 200)}`."
        return _unreadable(body, line, texts, spot, action)
    return Document(values, loader.spots, loader.keys, tuple(loader.problems), body, line)


def _without_start(text: str) -> Document:
    first, rest = (*_BREAK.split(text, maxsplit=1), "")[:2]
    message = NO_START
    action = "Begin the file with a line `---`, the `key: value` lines and a line `---`."
    if first.startswith(("```", "~~~")) and _OPENING.match(rest.lstrip()):
        message = "a code fence is around the file"
        action = f"Remove the first line, and the line {first[:3]} at the end."
    elif _OPENING.match(text.lstrip()):
        action = "Remove everything above the line `---`."
    texts = message, "three hyphens on the first line", quoted(first)
    return _unreadable(text, 1, texts, action=action)


def _quoted(match: re.Match[str]) -> str:
    """Return a line of a Cursor file, with quotes around a value if YAML requires them."""
    key, value = match[1], match[2].rstrip()
    pattern = value[0] in "*!" or (value[0] in "{[" and value[-1] not in "}]")
    colon = value[0].isalnum() and ": " in value
    return f"{key}'{value}'" if pattern or colon else match[0]


class _Refused(Refusal):
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
            return [self._value(item, (*path, index)) for index, item in enumerate(node.value)]
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


def read_toml(text: str) -> Document:
    """Read a definition in TOML; its body is the whole text. Places of quoted keys are unknown."""
    masked = _WORDS.sub(lambda m: "\n".join('"' * len(line) for line in m[0].split("\n")), text)
    try:
        values = _parsed(text, masked)
    except RecursionError:
        return _unreadable(text, 1, ("nested too deeply", f"at most {MAX_DEPTH} levels"))
    except ValueError as error:
        reason, line, column = why_not(text, error)
        return _unreadable(text, 1, (f"not TOML: {reason}", "TOML 1.0"), (line, column))
    keys: dict[Path, Spot] = {}
    spots: dict[Path, Spot] = {}
    in_table = False
    place = _places(text)
    for match in _KEY.finditer(masked):  # those of the first level
        is_table = match[1] is not None
        in_table = in_table or is_table
        if (match[2],) not in keys and is_table == in_table:
            keys[match[2],] = place(match.start(2))
            spots[match[2],] = place(match.end())
    return Document(values, spots, keys, (), text, 1)


def _parsed(text: str, masked: str) -> dict[str, Any]:
    if max(part.count(".") for part in re.split(r"[=,\n]", masked)) > MAX_DEPTH:
        raise RecursionError  # a key of many parts takes the parser quadratic time
    values: dict[str, Any] = loads(text)
    return values


def _places(text: str) -> Callable[[int], Spot]:
    starts = [0, *(match.end() for match in re.finditer("\n", text))]

    def place(offset: int) -> Spot:
        line = bisect(starts, offset)
        return line, offset - starts[line - 1] + 1

    return place
