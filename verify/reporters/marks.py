"""How an outcome looks: a word, so that colour is not needed, a symbol, a colour."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING

from verify.model import Outcome

if TYPE_CHECKING:
    from verify.model import Report, Result


class Mark(enum.Enum):
    """A result as people see it; a NOTE is an advisory check that did not pass."""

    PASS = ("pass", "✓", "32")
    FAIL = ("FAIL", "✗", "1;31")
    SKIP = ("skipped", "\N{EN DASH}", "2")
    NOTE = ("note", "!", "33")
    ERROR = ("ERROR", "?", "1;35")
    UNASKED = ("unasked", "\N{EN DASH}", "2")

    @property
    def word(self) -> str:
        """Return the mark's word."""
        return self.value[0]

    def label(self, *, symbols: bool) -> str:
        """Return the word behind its symbol, where symbols can be shown."""
        return f"{self.value[1]} {self.word}" if symbols else self.word


def mark_of(result: Result, report: Report) -> Mark:
    """Return the mark of a result; strict grading makes notes failures."""
    if result.outcome is Outcome.FAIL and result.check.advisory and not report.strict:
        return Mark.NOTE
    return Mark[result.outcome.name]


def painted(text: str, mark: Mark, *, colour: bool) -> str:
    """Return the text in the mark's colour where colour is wanted."""
    return f"\x1b[{mark.value[2]}m{text}\x1b[0m" if colour else text
