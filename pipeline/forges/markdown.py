"""Puts texts of others into Markdown so that they stay what they are: text, or a quotation."""

from __future__ import annotations

import re

from pipeline.terminal.display import visible

_MARKS = re.compile(r"([\\`*_{}\[\]<>#|~!&])")  # each may be escaped (CommonMark, section 2.4)
_TAG = re.compile(r"<(?=[A-Za-z/!?])")  # where raw HTML may begin (CommonMark, section 6.6)
_LINE = 1000


def plain(text: str) -> str:
    """Return a text as one line that Markdown shows as it is."""
    return _MARKS.sub(r"\\\1", visible(" ".join(text.split()), _LINE))


def code_span(text: str) -> str:
    """Return a text as inline code; a backtick, which would end it, becomes an apostrophe."""
    return f"`{visible(text.strip(), _LINE).replace('`', chr(39)) or ' '}`"


def quotation(text: str) -> str:
    """Return Markdown as a block quotation, which nothing in it can end: no line, no HTML tag."""
    lines = re.split(r"\r\n|[\n\r]", text.strip())
    shown = (visible(_TAG.sub("&lt;", line.replace("\t", "    ")), _LINE) for line in lines)
    return "\n".join(f"> {line}".rstrip() for line in shown)


def code(text: str) -> str:
    """Return a text as an indented code block: unlike a fence, no line of it can be its end."""
    return "\n".join(f"    {visible(line, _LINE)}".rstrip() for line in text.split("\n"))
