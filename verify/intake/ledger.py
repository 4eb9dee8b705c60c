"""Every entry of a run with its one disposition, in a database that takes no memory."""

from __future__ import annotations

import csv
import sqlite3
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from pipeline.display import listed
from verify.files import archive_suffix
from verify.gradebook.records import Enlisted
from verify.intake.collection import ignored, kept
from verify.intake.manifest import ABSENT
from verify.intake.matching import DECISION, is_metadata
from verify.members import FILE, FOLDER

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import TextIO

    from verify.intake.collection import Collection, Entry, Stamp
    from verify.intake.matching import Matcher

    # returns a digest of the content of each submission, empty for one that cannot be opened
    Digests = Callable[[Sequence[Enlisted]], Sequence[str]]

GRADED, OLDER, PART, DUPLICATE = "graded", "older attempt", "part", "duplicate"
UNMATCHED, UNRESOLVED, IGNORED = "unmatched", "unresolved", "ignored"
DISPOSITIONS = (GRADED, OLDER, PART, DUPLICATE, UNMATCHED, UNRESOLVED, IGNORED)
NAMED = (UNMATCHED, UNRESOLVED, IGNORED)  # each entry of these is named on stderr
COLUMNS = ("entry", "learner", "disposition", "reason", "matched by", "collection")

_TABLE = """
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
CREATE TABLE entry (
  at INTEGER PRIMARY KEY, kind TEXT, container TEXT, name TEXT, place TEXT, is_file INTEGER,
  is_weak INTEGER, learner TEXT, matched_by TEXT, account TEXT, attempt TEXT, submitted TEXT,
  late INTEGER, is_further INTEGER, disposition TEXT, reason TEXT
);
"""
_WIDTH = 15  # columns after the number
_AT_ONCE = 2_000  # entries that are updated together


class Row(NamedTuple):
    """One entry as it was matched to one learner; a group's entry has a row a learner.

    `is_weak` is true of a loose file that may be a person's work only where nothing else is: a
    note of the platform, or a file that is not an archive. `is_further` is true of all rows of an
    entry but the first.
    """

    at: int
    kind: str
    container: str
    name: str
    place: str
    is_file: bool
    is_weak: bool
    learner: str
    matched_by: str
    account: str
    attempt: str
    submitted: str
    late: bool
    is_further: bool
    disposition: str
    reason: str


_LEARNER = attrgetter("learner")
_PLACE = attrgetter("learner", "attempt", "kind", "container", "place")


class Unit(NamedTuple):
    """The entries that are one attempt of one account, with those that are opened for it."""

    rows: tuple[Row, ...]
    opened: tuple[Row, ...]

    def enlisted(self, conflict: str = "") -> Enlisted:
        """Return the submission as the gradebook takes it."""
        first = self.opened[0]
        inner = "\n".join(row.place for row in self.opened)
        late = any(row.late for row in self.rows)
        times = [row.submitted for row in self.rows if row.submitted]
        place = (first.kind, first.container, inner)
        return Enlisted(
            first.learner, first.attempt, *place, max(times, default=""), late, conflict
        )


class Ledger:
    """The entries of all collections of a run. `close` it at the end."""

    def __init__(self) -> None:
        self.stamps: dict[tuple[str, str], Stamp] = {}  # of collections, by kind and container
        self._database = sqlite3.connect("", isolation_level=None)
        self._database.executescript(_TABLE)

    def close(self) -> None:
        """Drop everything."""
        self._database.close()

    def read(self, collection: Collection, matcher: Matcher) -> None:
        """Add a collection's entries; raises `UnusableCollection`."""
        self.stamps[collection.kind, kept(collection.container)] = collection.stamp
        marks = ", ".join("?" * _WIDTH)
        rows = (row for each in collection.entries() for row in _rows(collection, each, matcher))
        self._database.execute("BEGIN")
        self._database.executemany(f"INSERT INTO entry VALUES (NULL, {marks})", rows)  # noqa: S608  # marks only
        self._database.execute("COMMIT")

    def collections(self) -> list[tuple[str, str]]:
        """Return kind and container of each collection that has an entry."""
        query = "SELECT kind, container FROM entry GROUP BY 1, 2 ORDER BY min(at)"
        return [(kind, container) for kind, container in self._database.execute(query)]

    def names(self) -> set[str]:
        """Return the names of all entries."""
        return {name for (name,) in self._database.execute("SELECT name FROM entry")}

    def is_empty(self) -> bool:
        """Return whether no entry may be a submission."""
        query = "SELECT EXISTS (SELECT 1 FROM entry WHERE disposition <> ?)"
        return not self._database.execute(query, (IGNORED,)).fetchone()[0]

    def matched(self) -> tuple[int, int]:
        """Return how many entries match a learner, and how many match or do not."""
        query = "SELECT total(learner <> ''), count(*) FROM entry WHERE disposition <> ?"
        matched, of = self._database.execute(query, (IGNORED,)).fetchone()
        return int(matched), of

    def absent(self) -> Iterator[str]:
        """Yield the learners whose path in a manifest leads to nothing, if there are any.

        Then all learners of the table: it says who is in the class.
        """
        query = (
            "SELECT DISTINCT learner FROM entry WHERE kind = 'manifest' AND learner <> ''"
            " AND EXISTS (SELECT 1 FROM entry WHERE reason = ?)"
        )
        return (learner for (learner,) in self._database.execute(query, (ABSENT,)))

    def submissions(self, digests: Digests, *, attempts_all: bool = False) -> Iterator[Enlisted]:
        """Yield what is to be graded, by learner, and give each entry its disposition.

        Args:
            digests: see `Digests`; asked for entries that claim the same learner.
            attempts_all: older attempts are graded as well.
        """
        query = "SELECT * FROM entry WHERE disposition = '' ORDER BY learner, at"
        found = map(Row._make, self._database.execute(query))  # sorted: updates do not disturb it
        disposed: list[tuple[str, str, int]] = []
        self._database.execute("BEGIN")
        for _, rows in groupby(found, key=_LEARNER):
            first, *others = rows
            if others:
                claims = _Claims([first, *others], digests, attempts_all=attempts_all)
                yield from claims.enlisted
                disposed += claims.dispositions
            else:  # as most have it
                yield Enlisted._make((*_PLACE(first), first.submitted, bool(first.late), ""))
                disposed.append((GRADED, "", first.at))
            if len(disposed) >= _AT_ONCE:
                self._dispose(disposed)
        self._dispose(disposed)
        self._database.execute("COMMIT")

    def _dispose(self, disposed: list[tuple[str, str, int]]) -> None:
        query = "UPDATE entry SET disposition = ?, reason = ? WHERE at = ?"
        self._database.executemany(query, disposed)
        disposed.clear()

    def unresolve(self, submissions: Iterable[tuple[str, str, str, str]]) -> None:
        """Note submissions that could not be opened: learner, container, inner, why of each."""
        self._database.executemany(
            f"UPDATE entry SET disposition = '{UNRESOLVED}', reason = ?4"  # noqa: S608  # our own word
            f" WHERE learner = ?1 AND container = ?2 AND disposition IN ('{GRADED}', '{OLDER}')"
            " AND place = CASE instr(?3, char(10)) WHEN 0 THEN ?3"
            " ELSE substr(?3, 1, instr(?3, char(10)) - 1) END",
            submissions,
        )

    def counts(self) -> dict[str, int]:
        """Return how many entries have each disposition; they add up to all entries."""
        query = "SELECT disposition, count(*) FROM entry WHERE NOT is_further GROUP BY 1"
        found = dict(self._database.execute(query).fetchall())
        return {name: found[name] for name in DISPOSITIONS if name in found}

    def rows(self, dispositions: Sequence[str] = DISPOSITIONS) -> Iterator[Row]:
        """Yield the entries of some dispositions, in the order of their collections."""
        marks = ", ".join("?" * len(dispositions))
        query = f"SELECT * FROM entry WHERE disposition IN ({marks}) ORDER BY at"  # noqa: S608  # marks only
        return map(Row._make, self._database.execute(query, dispositions))

    def write(self, file: TextIO, cell: Callable[[str], str]) -> None:
        """Write all entries as CSV with `COLUMNS`; `cell` makes a text safe for a spreadsheet."""
        table = csv.writer(file)
        table.writerow(COLUMNS)
        for row in self.rows():
            who = (row.name, row.learner, row.disposition, row.reason, row.matched_by)
            table.writerow(map(cell, (*who, row.container)))


def _rows(collection: Collection, entry: Entry, matcher: Matcher) -> Iterator[tuple[Any, ...]]:
    is_folder = entry.nature == FOLDER
    container = kept(collection.container)
    place = (collection.kind, container, entry.name, entry.place or entry.name)
    why = _why_ignored(entry)
    if why:
        no_match = (entry.learner, "", "", "", "", False, False)
        yield (*place, not is_folder, True, *no_match, IGNORED, why)
        return
    loose = not is_folder and not archive_suffix(entry.name)
    for further, match in enumerate(matcher.match(entry)):
        reading = match.reading
        stray = loose and reading.platform == "plain"
        learner, why = match.learner, match.why
        disposition = "" if learner else UNMATCHED
        if stray and not (matcher.is_rostered and learner):
            learner, disposition, why = "", IGNORED, "is neither a folder nor an archive"
        account = kept(f"{reading.platform} {reading.account}")
        who = (learner, match.by, account, reading.attempt, reading.submitted, reading.late)
        weak = stray or reading.is_note
        yield (*place, not is_folder, weak, *who, bool(further), disposition, why)


def _why_ignored(entry: Entry) -> str:
    if is_metadata(entry):
        return "is the platform's own table of all submissions"
    if entry.nature not in (FILE, FOLDER):
        return entry.nature if entry.nature == ABSENT else f"is {entry.nature}"
    return "" if entry.learner else ignored(entry.name)


class _Claims:
    """All entries that claim one learner, and what becomes of them."""

    def __init__(self, rows: list[Row], digests: Digests, *, attempts_all: bool) -> None:
        self.dispositions: list[tuple[str, str, int]] = []
        self.enlisted: list[Enlisted] = []
        self._all = attempts_all
        decided = [row for row in rows if row.matched_by == DECISION]
        accounts = self._accounts(rows, decided)
        if len(accounts) == 1:
            self._take(accounts[0])
            return
        newest = [account[-1] for account in accounts]
        contents = set(digests([unit.enlisted() for unit in newest]))
        if len(contents) == 1 and "" not in contents:
            self._take(accounts[0])
            same = f"has the content of {accounts[0][-1].rows[0].name}"
            self._dispose(_rows_of(accounts[1:]), DUPLICATE, same)
            return
        names = [unit.rows[0].name for unit in newest]
        conflict = f"{len(names)} entries claim this learner ({listed(names)}): use --decisions"
        self.enlisted.append(newest[0].enlisted(conflict))
        self._dispose(_rows_of(accounts), UNRESOLVED, conflict)

    def _accounts(self, rows: list[Row], decided: list[Row]) -> list[list[Unit]]:
        """Return the attempts of each account that counts, the newest last."""
        counted = decided or rows
        why = f"the decisions name {decided[0].name} for this learner" if decided else ""
        self._dispose([row for row in rows if row not in counted], IGNORED, why)
        strong = [row for row in counted if not row.is_weak]
        accounts: dict[tuple[str, str], list[Row]] = {}
        for row in strong or counted:
            accounts.setdefault((row.container, row.account), []).append(row)
        for row in counted if strong else ():
            if row.is_weak:
                account = accounts.get((row.container, row.account))
                if account is None:
                    self._dispose([row], IGNORED, f"is beside the submission {strong[0].name}")
                else:
                    account.append(row)
        return [_units(account) for account in accounts.values()]

    def _take(self, units: list[Unit]) -> None:
        """Enlist the newest attempt of an account, or all of them."""
        for unit in units:
            first, *others = unit.opened
            newest = unit is units[-1]
            if newest or self._all:
                self.enlisted.append(unit.enlisted())
            self._dispose([first], GRADED if newest or self._all else OLDER, "")
            rest = [*others, *(row for row in unit.rows if row not in unit.opened)]
            self._dispose(rest, PART, f"is a part of {first.name}")

    def _dispose(self, rows: Iterable[Row], disposition: str, reason: str) -> None:
        self.dispositions += [(disposition, reason, row.at) for row in rows]


def _rows_of(accounts: Iterable[list[Unit]]) -> Iterator[Row]:
    return (row for account in accounts for unit in account for row in unit.rows)


def _units(rows: list[Row]) -> list[Unit]:
    """Return the attempts of an account, the newest last."""
    attempts: dict[str, list[Row]] = {}
    for row in rows:
        attempts.setdefault(row.attempt, []).append(row)
    units = []
    for _, parts in sorted(attempts.items()):
        strong = [row for row in parts if not row.is_weak] or parts
        archives = [row for row in strong if not row.is_file or archive_suffix(row.name)]
        units.append(Unit(tuple(parts), tuple(archives or strong)))
    return units
