"""The values of the front matter subset: scalars, flat lists in brackets, block scalars."""

from __future__ import annotations

import re
from typing import NamedTuple

from pipeline.protocol.problems import Problem
from pipeline.terminal.display import quoted

SYNTAX = "front-matter-syntax"

_BLANKS = " \t"
_COMMENT = re.compile(r"(?<=[ \t])#")  # a lookbehind: `[ \t]+#` is quadratic on a run of blanks
_NOT_BLANK = re.compile(r"[^ \t]")
_ITEM_END = re.compile(r"[,\[\]{}]")
_QUOTE_OR_ESCAPE = re.compile(r'\\.|"')
_ESCAPE = re.compile(r"\\(?:x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))")
_BLOCK_HEADER = re.compile(r"([|>])([+-]?)[ \t]*(?:(?<=[ \t])#.*)?")
_ESCAPED = dict(
    zip(
        '"\\/ \t0abtnvfreN_LP',
        '"\\/ \t\0\a\b\t\n\v\f\r\x1b\x85\xa0\u2028\u2029',
        strict=True,
    )
)
_RESERVED = {
    "&": "YAML anchors are not read",
    "!": "YAML tags are not read",
    **dict.fromkeys("|>", "a block of text is not read here"),
    **dict.fromkeys(",]}%@`", "YAML reserves this first character"),
}
_CLOSERS = {"[": "]", "{": "}"}


class Line(NamedTuple):
    """One line of the front matter: its 1-based number in the file and its text, no line break."""

    number: int
    text: str


class SubsetError(Exception):
    """A value that stands outside the subset; `problem` says where and why."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem)
        self.problem = problem


def refused(line: Line, start: int, message: str, expected: str, rule: str = SYNTAX) -> SubsetError:
    """Return the error for what stands at index `start` of a line; the text there is quoted."""
    place = line.number, start + 1
    return SubsetError(Problem(rule, (), message, expected, quoted(line.text[start:]), *place))


def content_start(line: Line, start: int) -> int:
    """Return the index of the first character that is not blank, the line's length if none is."""
    match = _NOT_BLANK.search(line.text, start)
    return match.start() if match else len(line.text)


def is_empty(line: Line, start: int = 0) -> bool:
    """Say whether nothing but blanks and a comment stands in a line from index `start`."""
    first = content_start(line, start)
    return first == len(line.text) or (
        line.text[first] == "#" and (first == 0 or line.text[first - 1] in _BLANKS)
    )


_NULLS = frozenset({"~", "null", "Null", "NULL"})  # YAML's ways to write no value


def scalar(line: Line, start: int) -> str:
    """Return the plain or quoted scalar that fills a line from index `start`, which is not blank.

    A plain scalar runs to the end of the line or to a comment (a blank and `#`), so a colon, a
    star or a bracket inside it means nothing.

    Raises:
        SubsetError: the scalar is malformed, or starts like a part of YAML that is not read.
    """
    if line.text[start] in "'\"":
        value, end = _quoted_scalar(line, start)
        if not is_empty(line, end):
            expected = "nothing but a comment; quote the whole value, or none of it"
            raise refused(line, content_start(line, end), "text after the closing quote", expected)
        return value
    comment = _COMMENT.search(line.text, start)
    value = line.text[start : comment.start() if comment else None].rstrip(_BLANKS)
    _refuse_reserved(line, start, value)
    return "" if value in _NULLS else value


def item_scalar(line: Line, start: int) -> str:
    """Return the scalar of a `- item` line; a map as an item is refused (`SubsetError`)."""
    value = scalar(line, start)
    if line.text[start] not in "'\"":
        _refuse_map(line, start, value)
    return value


def _refuse_reserved(line: Line, start: int, value: str) -> None:
    reason = _RESERVED.get(value[0])
    if value[0] in "-?:" and value[1:2] in ("", *_BLANKS):
        reason = "a value cannot start like a list item or a map"
    if (closer := _CLOSERS.get(value[0])) and (value.endswith(closer) or closer not in value):
        reason = "a list or map is not read here"
    if reason:
        raise refused(line, start, reason, "text, in quotes if it starts like this")


def _refuse_map(line: Line, start: int, item: str) -> None:
    if ": " in item or item.endswith(":") or _COMMENT.search(item):
        message = "a map or a comment inside a list is not read"
        raise refused(line, start, message, "text, in quotes if it holds a colon or #")


def _quoted_scalar(line: Line, start: int) -> tuple[str, int]:
    if line.text[start] == "'":
        return _single_quoted(line, start)
    for match in _QUOTE_OR_ESCAPE.finditer(line.text, start + 1):
        if match[0] == '"':
            return _unescaped(line, start + 1, match.start()), match.end()
    raise _unclosed_quote(line, start)


def _single_quoted(line: Line, start: int) -> tuple[str, int]:
    end = line.text.find("'", start + 1)
    while end >= 0 and line.text.startswith("'", end + 1):
        end = line.text.find("'", end + 2)
    if end < 0:
        raise _unclosed_quote(line, start)
    return line.text[start + 1 : end].replace("''", "'"), end + 1


def _unclosed_quote(line: Line, start: int) -> SubsetError:
    return refused(line, start, "the quote is never closed", "the same quote on the same line")


def _unescaped(line: Line, start: int, end: int) -> str:
    parts = []
    for escape in _ESCAPE.finditer(line.text, start, end):
        parts.append(line.text[start : escape.start()])
        parts.append(_escaped_character(line, escape))
        start = escape.end()
    return "".join(parts) + line.text[start:end]


def _escaped_character(line: Line, escape: re.Match[str]) -> str:
    digits = escape[1] or escape[2] or escape[3]
    code = int(digits, 16) if digits else 0
    if digits and code < 0x110000 and not 0xD800 <= code < 0xE000:  # noqa: PLR2004  # Unicode's own limits
        return chr(code)
    if escape[4] in _ESCAPED:
        return _ESCAPED[escape[4]]
    expected = r"one of \" \\ \n \t \xHH \uHHHH that names a character; double a backslash"
    raise refused(line, escape.start(), "unknown escape in a double-quoted value", expected)


def bracketed_list(line: Line, start: int) -> list[str] | None:
    """Return the items of the `[a, "b"]` at index `start`.

    Returns:
        None where the value is only a text that starts with a bracket, such as `[ab]*.ts`.

    Raises:
        SubsetError: the list is not closed on its line, or an item is not a plain or quoted text.
    """
    items: list[str] = []
    at = content_start(line, start + 1)
    while not line.text.startswith("]", at):
        item, at = _list_item(line, start, at)
        items.append(item)
        if line.text.startswith(",", at):
            at = content_start(line, at + 1)
        elif at == len(line.text):
            raise _unclosed_list(line, start)
        elif not line.text.startswith("]", at):
            expected = "a comma or the closing bracket; brackets and braces in quotes"
            raise refused(line, at, "text after an item of a list", expected)
    return items if is_empty(line, at + 1) else None


def _unclosed_list(line: Line, start: int) -> SubsetError:
    expected = "a closing bracket on the same line, or one `- item` a line"
    return refused(line, start, "the list is never closed", expected)


def _list_item(line: Line, start: int, at: int) -> tuple[str, int]:
    if line.text[at : at + 1] in ("'", '"'):
        value, end = _quoted_scalar(line, at)
        return value, content_start(line, end)
    closing = _ITEM_END.search(line.text, at)
    if not closing:
        raise _unclosed_list(line, start)
    end = closing.start()
    value = line.text[at:end].rstrip(_BLANKS)
    if not value and closing[0] in ",]":
        raise refused(line, at, "a list item without a value", "plain or quoted text")
    if value:
        _refuse_reserved(line, at, value)
        _refuse_map(line, at, value)
    return value, end


def block_scalar(line: Line, start: int, below: list[Line]) -> tuple[str, list[Line]]:
    """Return the text of the `|` or `>` block at index `start`, and the lines left below it.

    Raises:
        SubsetError: the header has more than a `-` or `+`, or the block is indented by a tab.
    """
    header = _BLOCK_HEADER.fullmatch(line.text, start)
    if header is None:
        expected = f"only - or + after {line.text[start]}; quote text that starts with it"
        raise refused(line, start, "header of a block that is not read", expected)
    block, left = _indented(below)
    filled = max((index for index, text in enumerate(block, 1) if text), default=0)
    text = "\n".join(block[:filled]) if header[1] == "|" else _folded(block[:filled])
    ending = int(filled > 0)
    breaks = {"": ending, "-": 0, "+": ending + len(block) - filled}[header[2]]
    return text + "\n" * breaks, left


def _indented(lines: list[Line]) -> tuple[list[str], list[Line]]:
    block: list[str] = []
    indent = 0
    for index, line in enumerate(lines):
        text = line.text.lstrip(" ")
        if text.strip(_BLANKS):
            indent = indent or len(line.text) - len(text)
            if indent == 0 and text[0] == "\t":
                raise refused(line, 0, "a tab as indentation", "spaces")
            if indent == 0 or not line.text.startswith(" " * indent):
                return block, lines[index:]
        block.append(line.text[indent:] if text.strip(_BLANKS) else "")
    return block, []


def _folded(lines: list[str]) -> str:
    parts: list[str] = []
    previous, gap = "", 0
    for line in lines:
        if not line:
            gap += 1
            continue
        if previous and (line[0] in _BLANKS or previous[0] in _BLANKS):
            parts.append("\n" * (gap + 1))  # YAML keeps the breaks around lines indented further
        else:
            parts.append("\n" * gap or " " * bool(previous))
        parts.append(line)
        previous, gap = line, 0
    return "".join(parts)
