"""Untrusted text as Markdown in which it is only text."""

from __future__ import annotations

import re

from pipeline.terminal.display import visible

_MARKS = re.compile(r"([\\`*_{}\[\]<>#|~!&])")  # each may be escaped (CommonMark, section 2.4)
_TAG = re.compile(r"<(?=[A-Za-z/!?])")  # where raw HTML may begin (CommonMark, section 6.6)
_BACKTICKS = re.compile("`+")
_LINE = 1000  # letters


def plain(text: str) -> str:
    """Return a text as one line that Markdown shows as it is."""
    return _MARKS.sub(r"\\\1", visible(" ".join(text.split()), _LINE))


def code_span(text: str) -> str:
    """Return a text as inline code on one line, in which nothing of it acts (CommonMark, 6.1)."""
    shown = visible(text.strip(), _LINE) or " "
    fence = "`" * (1 + max(map(len, _BACKTICKS.findall(shown)), default=0))
    gap = " " if "`" in (shown[0], shown[-1]) else ""
    return f"{fence}{gap}{shown}{gap}{fence}"


def quotation(text: str) -> str:
    """Return Markdown as a block quotation, which nothing in it can end: no line, no HTML tag."""
    lines = re.split(r"\r\n|[\n\r]", text.strip())
    shown = (visible(_TAG.sub("&lt;", line.replace("\t", "    ")), _LINE) for line in lines)
    return "\n".join(f"> {line}".rstrip() for line in shown)


def code(text: str) -> str:
    """Return a text as an indented code block: unlike a fence, no line of it can be its end."""
    return "\n".join(f"    {visible(line, _LINE)}".rstrip() for line in text.split("\n"))
