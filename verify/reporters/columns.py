"""How the columns of a table share the width of a terminal."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

NARROW = 60  # below this many columns symbols and figures give way to the titles
NARROWEST = 40
INDENT = "  "  # of what stands below the table

_GAP = 2  # between columns, and what tabulate adds to the width of a header


def title_room(width: int, others: Sequence[Sequence[str]], headers: Sequence[str]) -> int:
    """Return the columns left for titles in a table of `width` columns.

    `others` are the cells of the columns before the title; those after it are as wide as their
    headers.
    """
    first = sum(
        max(*map(len, cells), len(header) + _GAP) + _GAP
        for cells, header in zip(others, headers, strict=False)
    )
    last = sum(len(header) + 2 * _GAP for header in headers[len(others) + 1 :])
    return max(width, NARROWEST) - first - last


def wrapped(text: str, room: int) -> str:
    """Return a cell's text in lines of at most `room` columns."""
    return "\n".join(textwrap.wrap(text, room, break_on_hyphens=False))


def filled(text: str, width: int, *, initial_indent: str = "", subsequent_indent: str) -> list[str]:
    """Return a paragraph in lines of at most `width` columns."""
    return textwrap.wrap(
        text,
        width,
        initial_indent=initial_indent,
        subsequent_indent=subsequent_indent,
        break_on_hyphens=False,  # a name stays in one piece where it can
    )
