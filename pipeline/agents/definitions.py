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
PROMPT = "developer_instructions"  # the key that holds the prompt in TOML
WHOLE, DUPLICATE = "front-matter", "front-matter-duplicate"

_BREAK = re.compile(r"\r\n|\r|\n")
_OPENING = re.compile(r"---[ \t]*(?=[\r\n]|\Z)")
_CLOSING = re.compile(r"(?:\r\n|\r|\n)---[ \t]*(?:\r\n|\r|\n|\Z)")
# Cursor accepts what is not YAML: `globs: *.ts` in its own examples, and a colon in a description.
_LENIENT = re.compile(
    r"^((?:globs|description):[ \t]+)([\w*!{\[][^'#\r\n]*)(?=[\r\n]|\Z)", re.MULTILINE
)


class Document(NamedTuple):
    """What could be read: `values` is empty where `problems` has one of the rule `front-matter`.

    `spots` says where a value is, `keys` where its key is; a place that is not known is absent.
    `body` is the prompt, on line `body_line`; all of a file whose front matter does not open or
    close.
    """

    values: dict[str, Any]
    spots: Mapping[Path, Spot]
    keys: Mapping[Path, Spot]
    problems: tuple[Problem, ...]
    body: str
    body_line: int


def _unreadable(text: str, line: int, problem: Problem) -> Document:
    return Document({}, {}, {}, (problem,), text, line)


# --- front matter -------------------------------------------------------------------------------


def read_definition(text: str, *, cursor: bool = False) -> Document:
    """Read a Markdown file with front matter between two `---` lines; `cursor`: with its leniency.

    Scalars have the types of YAML 1.2's core schema, and a date is a `datetime.date`: that is what
    js-yaml makes of it, the parser of most clients. Anchors, tags and more than one document are
    refused; a key that is listed twice is too, as js-yaml does.
    """
    opening = _OPENING.match(text)
    if not opening:
        first = _BREAK.split(text, maxsplit=1)[0]
        expected, found = "three hyphens on the first line", quoted(first)
        return _unreadable(text, 1, Problem(WHOLE, (), "no front matter", expected, found, 1, 1))
    closing = _CLOSING.search(text, opening.end())
    if not closing:
        message, expected = "the front matter is never closed", "a line of three hyphens after it"
        problem = Problem(WHOLE, (), message, expected, "the end of the file", 1, 1)
        return _unreadable(text, 1, problem)
    inner, body = text[opening.end() : closing.start()], text[closing.end() :]
    line = len(_BREAK.findall(inner)) + 3
    if len(inner.encode("utf-8", "surrogatepass")) > MAX_FRONT_MATTER:
        message, expected = "the front matter is too large", f"at most {MAX_FRONT_MATTER} bytes"
        return _unreadable(body, line, Problem(WHOLE, (), message, expected, "", 1, 1))
    builder = _Builder(_LENIENT.sub(_quoted, inner) if cursor else inner)
    try:
        values = builder.built()
    except _Refused as error:
        return _unreadable(body, line, error.problem(inner))
    return Document(values, builder.spots, builder.keys, tuple(builder.problems), body, line)


def _quoted(match: re.Match[str]) -> str:
    """Return a line of Cursor's with its value in quotes, where YAML would refuse that."""
    key, value = match[1], match[2].rstrip()
    pattern = value[0] in "*!" or (value[0] in "{[" and value[-1] not in "}]")
    colon = value[0].isalnum() and ": " in value
    return f"{key}'{value}'" if pattern or colon else match[0]


class _Refused(Exception):
    """YAML that is not read: why, what is wanted, and PyYAML's mark of the place if it has one."""

    def __init__(self, message: str, expected: str, mark: Any = None) -> None:
        super().__init__(message)
        self.message, self.expected, self.mark = message, expected, mark

    def problem(self, inner: str) -> Problem:
        """Return the problem, with what is at the place in the front matter."""
        if self.mark is None:
            return Problem(WHOLE, (), self.message, self.expected, "", 1, 1)
        rest = inner[self.mark.index :].partition("\n")[0].strip()
        found = quoted(rest) if rest else ""
        return Problem(WHOLE, (), self.message, self.expected, found, *_spot(self.mark))


class _Loader(yaml.SafeLoader):  # type: ignore[misc]  # PyYAML is untyped
    """Composes one document of plain values; what is more than that is refused where it begins."""

    depth = 0

    def compose_node(self, parent: Any, index: Any) -> Any:
        """Compose a value; the depth is bounded, and so is the stack."""
        event = self.peek_event()
        if isinstance(event, yaml.AliasEvent) or event.anchor:
            what, expected = "anchors and aliases are not supported", "the value itself"
            raise _Refused(what, expected, event.start_mark)
        if event.tag:
            raise _Refused("YAML tags are not supported", "a plain value", event.start_mark)
        if self.depth >= MAX_DEPTH and not isinstance(event, yaml.ScalarEvent):
            raise _Refused(
                f"nested more than {MAX_DEPTH} levels deep", "a flat value", event.start_mark
            )
        self.depth += 1
        node = super().compose_node(parent, index)
        self.depth -= 1
        return node


class _Builder:
    """Builds the values of one document from its nodes and keeps where each value is."""

    def __init__(self, inner: str) -> None:
        self.spots: dict[Path, Spot] = {}
        self.keys: dict[Path, Spot] = {}
        self.problems: list[Problem] = []
        self._inner = inner

    def built(self) -> dict[str, Any]:
        """Return the fields; raise `_Refused` where they cannot be read."""
        try:
            node = _Loader(self._inner).get_single_node()
        except yaml.MarkedYAMLError as error:
            expected = (
                "YAML, with quotes around text that has a colon or starts with * & ! @ % or a "
                "bracket"
            )
            message = f"not YAML: {error.problem}"
            raise _Refused(message, expected, error.problem_mark) from None
        except yaml.YAMLError as error:  # a character that YAML does not allow
            message = visible(str(error).partition("\n")[0])
            raise _Refused(f"not YAML: {message}", "printable text") from None
        root = self._value(node, ()) if node else None
        if root is None:
            return {}
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
    """Read a definition in TOML; where a quoted key is, is not known."""
    masked = _WORDS.sub(_blanked, text)
    if problem := _too_deep(masked):
        return _unreadable(text, 1, problem)
    try:
        values: dict[str, Any] = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        return _unreadable(text, 1, _syntax(error, text))
    keys: dict[Path, Spot] = {}
    spots: dict[Path, Spot] = {}
    in_table = False
    for match in _KEY.finditer(masked):  # those of the first level
        in_table = in_table or match[1] is not None
        if (match[2],) not in keys and (match[1] is not None or not in_table):
            keys[(match[2],)] = _place(text, match.start(2))
            spots[(match[2],)] = _place(text, match.end())
    body = values.get(PROMPT)
    line = keys.get((PROMPT,), (1, 1))[0]
    return Document(values, spots, keys, (), body if isinstance(body, str) else text, line)


def _blanked(match: re.Match[str]) -> str:
    return "\n".join('"' * len(line) for line in match[0].split("\n"))


def _too_deep(masked: str) -> Problem | None:
    """Refuse what the parser takes quadratic time or all of the stack for."""
    depth = 0
    for number, line in enumerate(masked.split("\n"), 1):
        depth += line.count("[") + line.count("{")
        dots = max(part.count(".") for part in re.split(r"[=,]", line))
        if max(depth, dots) > MAX_DEPTH:
            expected = f"at most {MAX_DEPTH} levels"
            return Problem(WHOLE, (), "nested too deeply", expected, "", number, 1)
        depth -= line.count("]") + line.count("}")
    return None


def _syntax(error: Exception, text: str) -> Problem:
    place = _PLACE.search(str(error))
    reason = visible(_PLACE.sub("", str(error)))
    spot = (int(place[1]), int(place[2])) if place and place[1] else (text.count("\n") + 1, 1)
    return Problem(WHOLE, (), f"not TOML: {reason}", "TOML 1.0", "", *spot)


def _place(text: str, offset: int) -> tuple[int, int]:
    return text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)
