"""Fills learners' cells into the rows of an instructor's table, and tells what found no place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipeline.display import listed, named, visible

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from verify.exports.matching import Rows
    from verify.gradebook.values import Learner

_NAMED = 100  # of those without a place, so many are kept to be named
_TOLD = 20  # rows that are told in a line each
_WHO = 3  # columns that tell who a row is about


class Filling:
    """The rows while they are filled in; a row that two learners claim stays as it was."""

    def __init__(self, rows: list[list[str]], found: Rows) -> None:
        self._rows = rows
        self._found = found
        self._before: dict[int, list[str] | None] = {}  # as it was; None once two have claimed it
        self._without: list[str] = []
        self._more = 0
        self._doubted: list[str] = []

    def row_of(self, learner: Learner) -> list[str] | None:
        """Return the learner's row as it stands, None where there is none."""
        number = self._found.row_of(learner)
        return None if number is None else self._rows[number]

    def fill(self, learner: Learner, cells: Mapping[int, str]) -> bool:
        """Put a learner's cells, by their positions, into the learner's row; tell if it could."""
        number = self._found.row_of(learner)
        if number is None:
            if learner.key in self._found.contradicted:
                self._doubt(learner)
            else:
                self._leave(learner.key)
            return False
        if number in self._before:
            before = self._before[number]
            if before is not None:
                self._rows[number][:] = before
                self._before[number] = None
            self._leave(learner.key)
            return False
        row = self._rows[number]
        self._before[number] = list(row)
        row.extend([""] * (max(cells, default=0) + 1 - len(row)))
        for position, text in cells.items():
            row[position] = text
        return True

    def tell(self, option: str, note: Callable[[str], None]) -> None:
        """Tell of learners without a row of their own, and of rows without a learner."""
        for line in self._doubted:
            note(f"{option}: {line}")
        more = len(self._found.contradicted) - len(self._doubted)
        if more > 0:
            note(f"{option}: {more} more rows are another's by their names and left as before")
        number = len(self._without) + self._more
        if number:
            who = listed(self._without) if number <= _NAMED else f"{number} learners"
            note(f"{option} has no row that is surely theirs for {who}: see --csv-wide")
        shared = sum(before is None for before in self._before.values())
        if shared:
            rows = "row is" if shared == 1 else "rows are"
            note(f"{option}: {shared} {rows} claimed by several learners and left as before")

    def _doubt(self, learner: Learner) -> None:
        """Note that a row was found for a learner which is another's by what else it says."""
        if len(self._doubted) < _TOLD:
            number = self._found.contradicted[learner.key]
            there = ", ".join(cell for cell in self._rows[number][:_WHO] if cell.strip())
            line = f"row {number + 2} ({visible(there, 200)}) was found for {named(learner.key)}"
            name = f", {visible(learner.name, 100)}" if learner.name else ""
            self._doubted.append(f"{line}{name}, and is another's: left as before")

    def _leave(self, key: str) -> None:
        if len(self._without) < _NAMED:
            self._without.append(key)
        else:
            self._more += 1


def told_unlisted(number: int, option: str, note: Callable[[str], None]) -> None:
    """Tell that learners who are not on the roster were left out."""
    if number:
        who = "1 learner is" if number == 1 else f"{number} learners are"
        note(f"{option} leaves out who is not on the roster: {who}; see --csv-wide")
