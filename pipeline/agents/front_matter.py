"""The front matter of a definition file: a small, safe subset of YAML, read line by line."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from pipeline.agents.front_matter_values import (
    Line,
    SubsetError,
    block_scalar,
    bracketed_list,
    content_start,
    is_empty,
    item_scalar,
    refused,
    scalar,
)
from pipeline.protocol.problems import Problem
from pipeline.terminal.display import quoted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

MAX_BYTES = 16 * 1024
MAX_LINES = 200
WHOLE = "front-matter"
DUPLICATE = "front-matter-duplicate"

Value = str | bool | list[str] | dict[str, str]

_BREAK = re.compile(r"\r\n|\r|\n")
_OPENING = re.compile(r"---[ \t]*(?=[\r\n]|\Z)")
_CLOSING = re.compile(r"(?:\r\n|\r|\n)---[ \t]*(?:\r\n|\r|\n|\Z)")
_KEY = re.compile(r"([A-Za-z0-9_][A-Za-z0-9_.-]*)[ \t]*:")
_BOOLEANS = {"true": True, "false": False}
# what YAML calls not printable; a tab and the line breaks are
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]")


@dataclass(frozen=True, kw_only=True, slots=True)
class Field:
    """One `key: value` of a front matter.

    `line` is the key's line in the file, `column` where the value starts on it (1-based, in
    characters); the column is 1, the key's, where the value is empty or starts on a later line.
    """

    value: Value
    line: int
    column: int


class FrontMatter(NamedTuple):
    """What was read of a file: its fields by key, the problems in document order, the rest.

    `body` starts on the 1-based line `body_line`. A file whose front matter does not open or
    close is all body.
    """

    fields: Mapping[str, Field]
    problems: tuple[Problem, ...]
    body: str
    body_line: int


class Parts(NamedTuple):
    """A text at its `---` lines: what stands between them, from the first one's end, and the rest.

    `problem` says why there is no front matter to read; the text is then all body, or, where the
    front matter is only too large, its body.
    """

    inner: str
    body: str
    body_line: int
    problem: Problem | None


def read_front_matter(text: str) -> FrontMatter:
    """Read the front matter between the `---` lines at the start of any text, in linear time.

    Read are `key: value` lines whose value is a plain, single- or double-quoted scalar, `true` or
    `false`, a flat list (`[a, b]` or `- item` lines), a `|` or `>` block or one level of indented
    `key: scalar` lines. An empty value is `""`. Whatever else YAML has (anchors, aliases, tags,
    merge keys, nesting, values over several lines) gives one problem for the key and no field.
    At most `MAX_BYTES` of UTF-8 and `MAX_LINES` lines are read.

    Returns:
        The fields, and problems of the rules `front-matter` (there is no readable front matter at
        all: no fields), `front-matter-syntax` and `front-matter-duplicate` (one key each).
    """
    parts = split(text)
    if parts.problem:
        return FrontMatter({}, (parts.problem,), parts.body, parts.body_line)
    lines = [Line(number, line) for number, line in enumerate(_BREAK.split(parts.inner), 1)]
    return FrontMatter(*_read_entries(lines[1:]), parts.body, parts.body_line)


def split(text: str) -> Parts:
    """Split any text at the `---` lines of its front matter, in linear time."""
    opening = _OPENING.match(text)
    if not opening:
        first = _BREAK.split(text, maxsplit=1)[0]
        return _unreadable(text, "no front matter", "a first line of three hyphens", quoted(first))
    closing = _CLOSING.search(text, opening.end())
    if not closing:
        expected = "a line of three hyphens after the last field"
        return _unreadable(text, "the front matter is never closed", expected, "the end of file")
    inner = text[opening.end() : closing.start()]
    count = len(_BREAK.findall(inner))
    return Parts(inner, text[closing.end() :], count + 3, _size_problem(inner, count))


def _unreadable(text: str, message: str, expected: str, found: str) -> Parts:
    return Parts("", text, 1, Problem(WHOLE, (), message, expected, found, 1, 1))


def _size_problem(inner: str, lines: int) -> Problem | None:
    size = len(inner.encode("utf-8", "surrogatepass"))
    if size <= MAX_BYTES and lines <= MAX_LINES:
        return None
    limits = f"at most {MAX_BYTES} bytes and {MAX_LINES} lines"
    found = f"{size} bytes and {lines} lines"
    return Problem(WHOLE, (), "the front matter is too large", limits, found, 1, 1)


def _read_entries(lines: list[Line]) -> tuple[dict[str, Field], tuple[Problem, ...]]:
    fields: dict[str, Field] = {}
    first_lines: dict[str, int] = {}
    problems: list[Problem] = []
    for head, below in _entries(lines):
        key = _KEY.match(head.text)
        name = key[1] if key else ""
        try:
            field = _read_entry(head, key, below)
            if name in first_lines:
                raise _duplicate(head, 0, first_lines[name])
            fields[name] = field
        except SubsetError as error:
            inner = error.problem.path
            problems.append(error.problem._replace(path=(name, *inner) if name else ()))
        first_lines.setdefault(name, head.number)
    return fields, tuple(problems)


def _entries(lines: list[Line]) -> Iterator[tuple[Line, list[Line]]]:
    """Yield each line that should hold a key, with the lines below that cannot hold one."""
    index = 0
    while index < len(lines):
        head, index = lines[index], index + 1
        if is_empty(head):
            continue
        start = index
        while index < len(lines) and lines[index].text[:1] in ("", *" \t-]}#"):
            index += 1
        yield head, lines[start:index]


def _read_entry(head: Line, key: re.Match[str] | None, below: list[Line]) -> Field:
    start = _value_start(head, key)
    for line in (head, *below):
        control = _CONTROL.search(line.text)
        if control:
            expected = "printable text, or an escape in double quotes"
            raise refused(line, control.start(), "a control character", expected)
    if is_empty(head, start):
        return Field(value=_value_below(below), line=head.number, column=1)
    return Field(value=_value(head, start, below), line=head.number, column=start + 1)


def _value_start(line: Line, key: re.Match[str] | None) -> int:
    """Return the index after the colon and its blanks."""
    if key is None:
        start = content_start(line, 0)
        expected = "`key: value` from the first column, the key of letters, digits, - _ and ."
        raise refused(line, start, "not a field", expected)
    if line.text[key.end() : key.end() + 1] not in ("", " ", "\t"):
        raise refused(line, key.end() - 1, "no space after the colon of the key", "a space")
    return content_start(line, key.end())


def _value(head: Line, start: int, below: list[Line]) -> Value:
    first = head.text[start]
    if first in "|>":
        block, left = block_scalar(head, start, below)
        _refuse_content(left, "text outside the block above", "the indentation of its first line")
        return block
    items = bracketed_list(head, start) if first == "[" else None
    value = scalar(head, start) if items is None else ""
    expected = "a value on one line, or a block: > after the colon and indented lines"
    _refuse_content(below, "the value above goes on over several lines", expected)
    if items is not None:
        return items
    return value if first in "'\"" else _BOOLEANS.get(value, value)


def _refuse_content(lines: list[Line], message: str, expected: str) -> None:
    for line in lines:
        if not is_empty(line):
            raise refused(line, content_start(line, 0), message, expected)


def _value_below(below: list[Line]) -> str | list[str] | dict[str, str]:
    lines = [line for line in below if not is_empty(line)]
    if not lines:
        return ""
    start = content_start(lines[0], 0)
    for line in lines:
        indent = content_start(line, 0)
        if "\t" in line.text[:indent]:
            raise refused(line, 0, "a tab as indentation", "spaces")
        if indent != start:
            expected = "lines indented alike: one flat list or one flat map"
            raise refused(line, indent, "nested values are not read", expected)
    return _items(lines, start) if lines[0].text[start] == "-" else _pairs(lines, start)


def _items(lines: list[Line], start: int) -> list[str]:
    items = []
    for line in lines:
        if line.text[start : start + 2] not in ("-", "- ", "-\t"):
            raise refused(line, start, "not an item of the list above", "`- item`")
        first = content_start(line, start + 1)
        if is_empty(line, first):
            raise refused(line, start, "a list item without a value", "plain or quoted text")
        items.append(item_scalar(line, first))
    return items


def _pairs(lines: list[Line], indent: int) -> dict[str, str]:
    pairs: dict[str, str] = {}
    first_lines: dict[str, int] = {}
    for line in lines:
        key = _KEY.match(line.text, indent)
        start = _value_start(line, key)
        name = key[1] if key else ""
        if name in pairs:
            raise _duplicate(line, indent, first_lines[name], (name,))
        pairs[name] = "" if is_empty(line, start) else scalar(line, start)
        first_lines[name] = line.number
    return pairs


def _duplicate(line: Line, start: int, first: int, path: tuple[str, ...] = ()) -> SubsetError:
    problem = refused(line, start, "the key stands twice", "each key once", DUPLICATE).problem
    return SubsetError(problem._replace(path=path, found=f"the same key on line {first}"))
