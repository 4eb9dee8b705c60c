"""Writes text of the catalogue as Markdown that shows it as it is."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_ESCAPED = {"<": "&lt;", "_": "\\_", "*": "\\*"}


def plain(text: str) -> str:
    """Return a text with markup of Markdown or HTML escaped, apart from its code spans."""
    return re.sub("`[^`]+`|[<_*]", lambda found: _ESCAPED.get(found[0], found[0]), text)


def code(text: str) -> str:
    """Return a text as a code span, in a longer fence if it has backticks; empty for none."""
    if "`" in text:
        return f"`` {text} ``"
    return f"`{text}`" if text else ""


def fenced(text: str, language: str = "") -> str:
    """Return a code block; its language is that of its first characters unless it is given."""
    if not language:
        language = "yaml" if ": " in text else "text"
        language = "json" if text.startswith(("{", "[", '"')) else language
    longest = max(map(len, re.findall("^`{3,}", text, re.MULTILINE)), default=2)
    fence = "`" * (longest + 1)  # a text with fences needs a longer one
    return f"{fence}{language}\n{text}\n{fence}"


def table(head: Sequence[str], rows: Iterable[Sequence[str]], *, right: Sequence[str] = ()) -> str:
    """Return a table of cells that are Markdown; the columns named in `right` are aligned there."""
    rules = ["---:" if name in right else "---" for name in head]
    escaped = ([cell.replace("|", "\\|") for cell in row] for row in rows)
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (head, rules, *escaped))
