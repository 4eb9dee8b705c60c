"""Every entry of a run with its one disposition, in a database that takes no memory."""

from __future__ import annotations

from itertools import groupby, islice
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from pipeline.files import FILE, FOLDER
from pipeline.terminal.display import listed
from verify.files import archive_suffix
from verify.gradebook.records import Enlisted
from verify.gradebook.store import scratch
from verify.intake.collection import ignored, safe_name
from verify.intake.manifest import ABSENT
from verify.intake.matching import DECISION
from verify.intake.platforms.gradescope import METADATA

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from verify.intake.collection import Collection as Submissions
    from verify.intake.collection import Entry, Stamp
    from verify.intake.matching import Matcher

    # returns a digest of the content of each submission, empty for one that cannot be opened
    Digests = Callable[[Sequence[Enlisted]], Sequence[str]]

GRADED, OLDER, PART, DUPLICATE = "graded", "older attempt", "part", "duplicate"
UNMATCHED, UNRESOLVED, IGNORED = "unmatched", "unresolved", "ignored"
DISPOSITIONS = (GRADED, OLDER, PART, DUPLICATE, UNMATCHED, UNRESOLVED, IGNORED)
NAMED = (UNMATCHED, UNRESOLVED, IGNORED)  # each entry of these is named on stderr

_AT_ONCE = 1_000  # learners whose entries are read together
_LOOSE, _WEAK = 1, 2


class Row(NamedTuple):
    """One entry as it was matched to one learner; a group's entry has a row a learner.

    `rank` is lowest for what is opened: a loose file counts 1, and what may be a person's work
    only where nothing else is (a note of the platform, a file that no platform named) 2 more.
    `is_further` is true of all rows of an entry but the first. An entry that matches is graded,
    unless others claim its learner too.
    """

    at: int
    collection: int
    name: str
    place: str
    rank: int
    learner: str
    matched_by: str
    account: str
    attempt: str
    submitted: str
    late: bool
    is_further: bool
    disposition: str
    reason: str


_TABLE = f"CREATE TABLE entry (at INTEGER PRIMARY KEY, {', '.join(Row._fields[1:])});"
_INSERT = f"INSERT INTO entry VALUES (NULL{', ?' * (len(Row._fields) - 1)})"  # noqa: S608  # our own words


class Ledger:
    """The entries of all collections of a run. `close` it at the end.

    `stamps` are those of the collections, by kind and container, in their order.
    """

    def __init__(self) -> None:
        self.stamps: dict[tuple[str, str], Stamp] = {}
        self._database = scratch(_TABLE)

    def close(self) -> None:
        """Drop everything."""
        self._database.close()

    def read(self, collection: Submissions, matcher: Matcher) -> None:
        """Add a collection's entries; raises `UnusableCollection`."""
        place = collection.kind, safe_name(collection.container)
        self.stamps[place] = collection.stamp
        number = list(self.stamps).index(place)
        rows = ((number, *row) for each in collection.entries() for row in _rows(each, matcher))
        self._database.executemany(_INSERT, rows)
        self._database.execute("CREATE INDEX IF NOT EXISTS by_learner ON entry (learner)")

    def among(self, names: Collection[str]) -> set[str]:
        """Return those of the names that an entry has."""
        found = self._database.execute("SELECT name FROM entry")
        return {name for (name,) in found if name in names}

    def absent(self) -> Iterator[str]:
        """Yield all learners if a path in a manifest leads to nothing: it says who is missing."""
        query = (
            "SELECT DISTINCT learner FROM entry WHERE learner <> ''"
            " AND EXISTS (SELECT 1 FROM entry WHERE reason = ?)"
        )
        return (learner for (learner,) in self._database.execute(query, (ABSENT,)))

    def submissions(self, digests: Digests, *, attempts_all: bool = False) -> Iterator[Enlisted]:
        """Yield what is to be graded, by learner, and give each entry its disposition.

        Args:
            digests: see `Digests`; called for entries that claim the same learner.
            attempts_all: older attempts are graded as well.
        """
        query = "SELECT * FROM entry WHERE disposition = ? ORDER BY learner, at"
        found = map(Row._make, self._database.execute(query, (GRADED,)))
        groups = (list(rows) for _, rows in groupby(found, key=attrgetter("learner")))
        while some := list(islice(groups, _AT_ONCE)):
            claims = {rows[0].learner: _Claims(rows) for rows in some if len(rows) > 1}
            self._compare(list(claims.values()), digests)
            for rows in some:
                claim = claims.get(rows[0].learner)
                settled = claim.settled(attempts_all=attempts_all) if claim else [(rows, "")]
                for attempt, conflict in settled:
                    yield self._enlisted(attempt, conflict)
            changes = [change for claim in claims.values() for change in claim.changes]
            update = "UPDATE entry SET disposition = ?, reason = ? WHERE at = ?"
            self._database.executemany(update, changes)

    def _compare(self, claims: list[_Claims], digests: Digests) -> None:
        """Ask for the content of what several accounts claim to be one learner's."""
        disputed = [each for each in claims if len(each.accounts) > 1]
        newest = [self._enlisted(account[-1]) for each in disputed for account in each.accounts]
        contents = iter(digests(newest) if newest else ())
        for each in disputed:
            each.contents = set(islice(contents, len(each.accounts)))

    def _enlisted(self, attempt: Sequence[Row], conflict: str = "") -> Enlisted:
        """Return an attempt as the gradebook takes it."""
        opened = _opened(attempt)
        first = opened[0]
        place = (*list(self.stamps)[first.collection], "\n".join(row.place for row in opened))
        late = any(row.late for row in attempt)
        submitted = max(row.submitted for row in attempt)
        return Enlisted(first.learner, first.attempt, *place, submitted, late, conflict)

    def unresolve(self, submissions: Iterable[tuple[str, str, str]]) -> None:
        """Note submissions that could not be opened: learner, inner place, why of each."""
        query = (
            "UPDATE entry SET disposition = ?, reason = ?"
            " WHERE learner = ? AND disposition = ? AND place = ?"
        )
        rows = (
            (UNRESOLVED, why, learner, GRADED, inner.partition("\n")[0])
            for learner, inner, why in submissions
        )
        self._database.executemany(query, rows)

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


def _rows(entry: Entry, matcher: Matcher) -> Iterator[tuple[Any, ...]]:
    """Yield the columns of an entry's rows behind the number of its collection."""
    is_loose = entry.nature != FOLDER and not archive_suffix(entry.name)
    place = (entry.name, entry.place or entry.name)
    why = _why_ignored(entry)
    if why:
        no_match = (entry.learner, "", "", "", "", False, False)
        yield (*place, _WEAK, *no_match, IGNORED, why)
        return
    for further, match in enumerate(matcher.match(entry)):
        reading, learner, why = match.reading, match.learner, match.why
        is_stray = is_loose and reading.platform == "plain"
        disposition = GRADED if learner else UNMATCHED
        if is_stray and not (matcher.is_rostered and learner):
            learner, disposition, why = "", IGNORED, "is not a folder or an archive"
        rank = is_loose * _LOOSE + (is_stray or reading.is_note) * _WEAK
        account = safe_name(f"{reading.platform} {reading.account}")
        who = (learner, match.by, account, reading.attempt, reading.submitted, reading.late)
        yield (*place, rank, *who, bool(further), disposition, why)


def _why_ignored(entry: Entry) -> str:
    if entry.name == METADATA:
        return "is the platform's own list of submissions"
    if entry.nature not in (FILE, FOLDER):
        return entry.nature if entry.nature == ABSENT else f"is {entry.nature}"
    return "" if entry.learner else ignored(entry.name)


class _Claims:
    """The entries that claim one learner, and what becomes of them.

    `accounts` has the attempts of each account, the newest last; an attempt is a list of rows.
    `contents` are the digests of the newest ones, once they are known. `changes` are rows that
    are not graded: disposition, reason, number of each.
    """

    def __init__(self, rows: list[Row]) -> None:
        self.changes: list[tuple[str, str, int]] = []
        self.contents: set[str] = set()
        decided = [row for row in rows if row.matched_by == DECISION]
        if decided:
            others = [row for row in rows if row.matched_by != DECISION]
            why = f"the decisions name {decided[0].name} for this learner"
            self._change(others, IGNORED, why)
        self.accounts = self._accounts(sorted(decided or rows, key=_is_weak))

    def _accounts(self, rows: list[Row]) -> list[list[list[Row]]]:
        accounts: dict[tuple[int, str], dict[str, list[Row]]] = {}
        first = rows[0]
        for row in rows:
            account = (row.collection, row.account)
            if _is_weak(row) and not _is_weak(first) and account not in accounts:
                self._change([row], IGNORED, f"is next to the submission {first.name}")
            else:
                accounts.setdefault(account, {}).setdefault(row.attempt, []).append(row)
        return [[each[label] for label in sorted(each)] for each in accounts.values()]

    def settled(self, *, attempts_all: bool) -> list[tuple[list[Row], str]]:
        """Return the attempts to grade, each with the conflict that it is in, if any."""
        attempts, *others = self.accounts
        if others and (len(self.contents) > 1 or "" in self.contents):
            names = [account[-1][0].name for account in self.accounts]
            conflict = f"{len(names)} entries claim this learner ({listed(names)}): use --decisions"
            self._change(_flat(self.accounts), UNRESOLVED, conflict)
            return [(attempts[-1], conflict)]
        self._change(_flat(others), DUPLICATE, f"has the same content as {attempts[-1][0].name}")
        for attempt in attempts:
            first = _opened(attempt)[0]
            if attempt is not attempts[-1] and not attempts_all:
                self._change([first], OLDER, "")
            rest = (row for row in attempt if row is not first)
            self._change(rest, PART, f"belongs to the same submission as {first.name}")
        return [(attempt, "") for attempt in (attempts if attempts_all else attempts[-1:])]

    def _change(self, rows: Iterable[Row], disposition: str, reason: str) -> None:
        self.changes += [(disposition, reason, row.at) for row in rows]


def _is_weak(row: Row) -> bool:
    return row.rank >= _WEAK


def _opened(attempt: Sequence[Row]) -> list[Row]:
    """Return the entries that are opened for an attempt: its folders and archives, if any."""
    lowest = min(row.rank for row in attempt)
    return [row for row in attempt if row.rank == lowest]


def _flat(accounts: Iterable[list[list[Row]]]) -> Iterator[Row]:
    return (row for account in accounts for attempt in account for row in attempt)
