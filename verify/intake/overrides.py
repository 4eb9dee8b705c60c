"""Reads a table of what people decided about scores: each row is understood, or none is used."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pipeline.terminal.display import counted, listed, named
from pipeline.terminal.fault import Fault
from verify.intake.roster import RosterColumns
from verify.intake.table import Table, Unusable, headings, number_in

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from verify.intake.roster import Roster
    from verify.intake.table import Row

    Find = Callable[
        [str, str], tuple[str, str]
    ]  # the cells assignment and exercise, as it has them

_EXCUSED = ("ex", "excused")
_YES = (*_EXCUSED, "yes", "y", "true", "x", "1", "ja")
_NO = ("", "no", "n", "false", "0", "nein", "-")
_SHOWN = 50  # bad rows that are named
_KEYS = {"learner", "key"}  # headings of columns with keys of the roster


class RowOverride(NamedTuple):
    """What a row decides about an exercise of a learner."""

    learner: str
    place: tuple[str, str]  #: the assignment and the exercise
    kind: str  #: score, excused or comment
    score: float | None
    text: str  #: the reason, or the comment


def read_overrides(path: str, roster: Roster, find: Find, reason: str) -> list[RowOverride]:
    """Return what a table decides; `reason` is that of rows without one.

    `find` raises `Fault` for an exercise that is not known. Raises `Unusable` with a line for each
    bad row.
    """
    table = Table(path)
    reader = _RowReader(table, roster, find, reason)
    found = [made for row in table.rows() for made in reader.read(row)]
    if wrong := reader.wrong:
        more = [f"and {len(wrong) - _SHOWN:,} more"] if wrong[_SHOWN:] else []
        rows = counted(len(wrong), "row")
        what = f"{table.place}: {rows} cannot be used; nothing was written"
        raise Unusable(what, *wrong[:_SHOWN], *more)
    return found


class _RowReader:
    """Reads the rows of a table; `wrong` has a line for each bad one."""

    def __init__(self, table: Table, roster: Roster, find: Find, reason: str) -> None:
        self._table, self._roster, self._find, self._reason = table, roster, find, reason
        self._lines: dict[tuple[object, ...], int] = {}  # where something is decided about
        self.wrong: list[str] = []
        self._columns = columns = RosterColumns(table.columns)
        self._certain = roster.columns | _KEYS  # a text in them means somebody
        if not (columns.identities or any(columns.names)):
            what = f"none of the columns {listed(table.columns, 20)} identifies a learner"
            raise table.wrong(1, f"{what} (expected a column such as learner, email or name)")
        if not {"score", "excused", "comment"} & table.headings.keys():
            what = f"has the columns {listed(table.columns, 20)}"
            raise table.wrong(1, f"{what} (expected score, excused or comment)")

    def read(self, row: Row) -> list[RowOverride]:
        """Return what a row decides: nothing if it is bad."""
        line = row[0]
        try:
            found = list(self._decided(row))
            for made in found:
                about = (made.learner, made.place, made.kind == "comment")
                before = self._lines.setdefault(about, line)
                _refuse(before != line, f"decides about the same as line {before}")
        except Fault as fault:
            what = str(fault).removeprefix(f"{self._table.place}, line {line}: ")
            self.wrong.append(f"{self._table.place}:{line}: {what}")
            return []
        return found

    def _decided(self, row: Row) -> Iterator[RowOverride]:
        """Yield what a row decides: a score or an excuse, and a comment; nothing if it is blank."""
        score, excused, reason, comment = self._table.cells_of(
            row, "score", "excused", "reason", "comment"
        )
        excuse = _is_yes(excused)
        if score.lower() in _EXCUSED:
            excuse, score = True, ""
        if not (excuse or score or comment or reason):
            return
        both = f"is excused and has the score {named(score)} (expected one of them)"
        _refuse(excuse and bool(score), both)
        learner = self._learner(row)
        place = self._find(*self._table.cells_of(row, "assignment", "exercise"))
        if excuse or score:
            why = reason or self._reason or comment
            _refuse(not why, "has no reason (fill in a column reason, or add --reason TEXT)")
            kind = "excused" if excuse else "score"
            yield RowOverride(learner, place, kind, None if excuse else _score(score), why)
            comment = "" if why == comment else comment
        else:
            _refuse(
                bool(reason), "has a reason, but no score and no excuse (fill in score or excused)"
            )
        if comment:
            yield RowOverride(learner, place, "comment", None, comment)

    def _learner(self, row: Row) -> str:
        """Return whose row it is: all that identifies a learner in it must agree."""
        cells = {
            column: self._table.identity(row, column).removeprefix(self._columns.export.mark)
            for column in self._columns.identities
            if column in row[1]
        }
        meant = {column: self._meant(column, text) for column, text in cells.items()}
        for column in self._columns.names:
            self._table.identity(row, column)  # refuses what no name has
        name = self._columns.name_in(row[1])
        namesakes = self._roster.called(name) if name else []
        keys = {key for key in meant.values() if key}
        keys |= {*namesakes} if not keys or len(namesakes) == 1 else set()
        if not keys:
            texts = [text for text in (*cells.values(), name) if text]
            raise Fault(f"no learner is called {listed(texts)}" if texts else "names no learner")
        if len(keys) > 1:
            raise Fault(f"may mean {len(keys)} learners: {listed(sorted(keys))}")
        return keys.pop()

    def _meant(self, column: str, text: str) -> str | None:
        """Return whom a cell identifies; in a column of the roster, it has to identify one."""
        (heading,) = headings([column])
        find = self._roster.by_own_key if heading in _KEYS else self._roster.by_key
        key = find(text)
        if key is None and heading in self._certain:
            holders = sorted(self._roster.holders(text))
            what = f"the {named(column)} {named(text)}"
            many = f"{what} may mean {len(holders)} learners: {listed(holders)}"
            raise Fault(many if holders else f"no learner has {what}")
        return key


def _refuse(is_wrong: bool, what: str) -> None:  # noqa: FBT001  # what is asked
    if is_wrong:
        raise Fault(what)


def _is_yes(text: str) -> bool:
    if text.lower() in (*_YES, *_NO):
        return text.lower() in _YES
    raise Fault(f"excused is {named(text)} (expected yes or no)")


def _score(text: str) -> float:
    score = number_in(text)
    if score is None:
        raise Fault(f"the score is {named(text)} (expected a number such as 4.5)")
    return score
