"""Writes text of the catalogue as Markdown that shows it as it is."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def plain(text: str) -> str:
    """Return a text with what Markdown or HTML would take for markup escaped."""
    return text.replace("<", "&lt;").replace("_", "\\_").replace("*", "\\*")


def fenced(code: str, language: str = "") -> str:
    """Return a code block; its language is that of its first characters unless it is given."""
    if not language:
        other = "yaml" if ": " in code else "text"
        language = "json" if code.startswith(("{", "[", '"')) else other
    longest = max(map(len, re.findall("^`{3,}", code, re.MULTILINE)), default=2)
    fence = "`" * (longest + 1)  # code that has fences of its own needs a longer one
    return f"{fence}{language}\n{code}\n{fence}"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table of cells that are Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
