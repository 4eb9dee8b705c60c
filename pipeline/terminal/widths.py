"""How many columns of a terminal a text takes, and tables that are aligned by them."""

from __future__ import annotations

import re
from itertools import zip_longest
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

# letters of Europe, quotes, dashes and our own symbols: one column each, which needs no look-up
_ONE_COLUMN = re.compile("[ -\xac\xae-\u02ff\u2010-\u2026\u2713\u2717\n]*")
_COLOUR = re.compile("\x1b\\[[0-9;]*m")
_VOWELS = range(0x1160, 0x1200)  # of Hangul, and its finals: they are drawn into the letter before
_STAND_IN = "\ue000"  # private: text that is shown to a person never has it, see `visible`


def width_of(text: str) -> int:
    """Return how many columns a line takes: wide letters two, marks and joiners none."""
    text = _COLOUR.sub("", text)
    return len(text) if _ONE_COLUMN.fullmatch(text) else sum(map(_width, text))


def _width(character: str) -> int:
    from unicodedata import category, east_asian_width  # most text needs none

    if ord(character) in _VOWELS or category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if east_asian_width(character) in "WF" else 1


def fitted(text: str, columns: int) -> str:
    """Return a line that takes at most so many columns; what is cut ends with an ellipsis."""
    if width_of(text) <= columns:
        return text
    while text and width_of(text) >= columns:
        text = text[:-1]
    return f"{text}…"


def aligned(
    rows: Sequence[Sequence[str]], laid_out: Callable[[Sequence[Sequence[str]]], str]
) -> str:
    """Return a table of texts, in which `laid_out` puts them by their numbers of columns.

    It counts characters itself, and writes the lines of all cells from left to right.
    """
    if all(_ONE_COLUMN.fullmatch(_COLOUR.sub("", cell)) for row in rows for cell in row):
        return laid_out(rows)
    texts = _lines(rows)
    table = laid_out([[_stand_in(cell) for cell in row] for row in rows])
    return re.sub(f"{_STAND_IN}+", lambda _: next(texts), table)


def _stand_in(cell: str) -> str:
    lines = map(str.strip, cell.split("\n"))
    return "\n".join(_STAND_IN * max(width_of(line), bool(line)) for line in lines)


def _lines(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield the lines of cells that have a text, in the order in which a table has them."""
    for row in rows:
        for lines in zip_longest(*(cell.split("\n") for cell in row), fillvalue=""):
            yield from filter(None, map(str.strip, lines))
