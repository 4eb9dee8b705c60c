"""Every entry of a run with its one disposition, in a temporary database."""

from __future__ import annotations

from functools import partial
from itertools import groupby, islice
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from pipeline.files import FILE, FOLDER
from pipeline.terminal.display import listed
from verify.gradebook.records import FoundSubmission
from verify.gradebook.store import scratch
from verify.intake.collection import REFUSED, ignored, safe_name
from verify.intake.manifest import ABSENT
from verify.intake.matching import DECISION
from verify.intake.platforms import METADATA
from verify.intake.platforms.base import Plain
from verify.submissions.files import archive_suffix

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from verify.intake.collection import Collection as Submissions
    from verify.intake.collection import Entry, Stamp
    from verify.intake.matching import Match, Matcher

    # returns a digest of the content of each submission, empty for one that cannot be opened
    Digests = Callable[[Sequence[FoundSubmission]], Sequence[str]]

Attempt: TypeAlias = "list[MatchedEntry]"  # the parts of one submission
Account: TypeAlias = "list[Attempt]"  # the newest attempt last
Changes: TypeAlias = list[tuple[str, str, int]]  # disposition, reason, number of a row

GRADED, OLDER, PART, DUPLICATE = "graded", "older attempt", "part", "duplicate"
UNMATCHED, UNRESOLVED, IGNORED = "unmatched", "unresolved", "ignored"
DISPOSITIONS = (GRADED, OLDER, PART, DUPLICATE, UNMATCHED, UNRESOLVED, IGNORED)
NAMED = (UNMATCHED, UNRESOLVED, IGNORED)  # each entry of these is named on stderr

_AT_ONCE = 1_000  # learners whose entries are read together
_LOOSE = 1  # the rank of a file that is not an archive
_WEAK = 2  # of a platform's note, or a file that no platform named: work only where nothing else is


class MatchedEntry(NamedTuple):
    """One entry as it was matched to one learner; a group's entry has a row a learner.

    An entry that matches is graded, unless others claim its learner too.
    """

    at: int  #: the number of the row
    collection: int  #: the position among the stamps of the ledger
    name: str
    place: str
    rank: int  #: lowest for what is opened: 1 for a loose file, 2 more for what is hardly work
    learner: str  #: the key, empty without a match
    matched_by: str  #: as in a `Match`
    account: str  #: with its platform: entries of one account are one person's
    attempt: str
    submitted: str
    late: bool
    is_further: bool  #: true of all rows of an entry but the first
    disposition: str
    reason: str  #: for the disposition; empty where nothing needs to be said


_TABLE = f"CREATE TABLE entry (at INTEGER PRIMARY KEY, {', '.join(MatchedEntry._fields[1:])});"
_INSERT = f"INSERT INTO entry VALUES (NULL{', ?' * (len(MatchedEntry._fields) - 1)})"  # noqa: S608  # our own words


class Ledger:
    """The entries of all collections of a run, whose stamps are by kind and container."""

    def __init__(self) -> None:
        self.stamps: dict[tuple[str, str], Stamp] = {}
        self._database = scratch(_TABLE)
        self._doubts: dict[str, tuple[int, str, str]] = {}  # entries that may be a learner's

    def close(self) -> None:
        """Drop everything."""
        self._database.close()

    def read(self, collection: Submissions, matcher: Matcher) -> None:
        """Add a collection's entries; raises `Unusable`."""
        place = collection.kind, safe_name(collection.container)
        self.stamps[place] = collection.stamp
        number = list(self.stamps).index(place)
        rows = (
            (number, *row)
            for entry in collection.entries()
            for row in _rows(entry, matcher, partial(self._doubt, number))
        )
        self._database.executemany(_INSERT, rows)
        self._database.execute("CREATE INDEX IF NOT EXISTS by_learner ON entry (learner)")

    def _doubt(self, number: int, entry: Entry, match: Match) -> None:
        """Note whose an entry may be: each of them is unresolved without another one."""
        place, why = entry.place or entry.name, f"{entry.name} {match.why}"
        self._doubts |= dict.fromkeys(match.candidates, (number, place, why))

    def among(self, names: Collection[str]) -> set[str]:
        """Return those of the names that an entry has."""
        found = self._database.execute("SELECT name FROM entry")
        return {name for (name,) in found if name in names}

    def learners_by(self, *by: str) -> set[str]:
        """Return the learners whose entries were matched in one of these ways."""
        found = self._database.execute("SELECT DISTINCT matched_by, learner FROM entry")
        return {learner for matched_by, learner in found if matched_by in by}

    def absent(self) -> Iterator[str]:
        """Yield all learners if a path in a manifest leads to nothing: it says who is missing."""
        if self._database.execute("SELECT 1 FROM entry WHERE reason = ?", (ABSENT,)).fetchone():
            query = "SELECT DISTINCT learner FROM entry WHERE learner <> ''"
            yield from (learner for (learner,) in self._database.execute(query))

    def submissions(
        self, digests: Digests, *, attempts_all: bool = False
    ) -> Iterator[FoundSubmission]:
        """Yield what is to be graded, by learner, and give each entry its disposition.

        `digests` is called for entries that claim the same learner. With `attempts_all` older
        attempts are graded as well.
        """
        query = "SELECT * FROM entry WHERE disposition = ? ORDER BY learner, collection, name, at"
        found = map(MatchedEntry._make, self._database.execute(query, (GRADED,)))
        groups = (list(rows) for _, rows in groupby(found, key=attrgetter("learner")))
        doubts = dict(self._doubts)
        while some := list(islice(groups, _AT_ONCE)):
            changes: Changes = []
            claims = [_accounts(rows, changes) for rows in some]
            disputed = [accounts for accounts in claims if len(accounts) > 1]
            newest = [
                self._submission(account[-1]) for accounts in disputed for account in accounts
            ]
            contents = iter(digests(newest) if newest else ())
            for rows, accounts in zip(some, claims, strict=True):
                doubts.pop(rows[0].learner, None)
                same = set(islice(contents, len(accounts))) if len(accounts) > 1 else ()
                if len(same) > 1 or "" in same:
                    names = listed([account[-1][0].name for account in accounts])
                    why = f"{len(accounts)} entries claim this learner ({names}): use --decisions"
                    changes += _changed(_flat(accounts), UNRESOLVED, why)
                    yield self._submission(accounts[0][-1], why)
                    continue
                graded = accounts[0] if attempts_all else accounts[0][-1:]
                changes += _settled(accounts, graded) if len(rows) > 1 else ()
                yield from map(self._submission, graded)
            update = "UPDATE entry SET disposition = ?, reason = ? WHERE at = ?"
            self._database.executemany(update, changes)
        for learner, (number, inner, why) in doubts.items():
            yield FoundSubmission(learner, "", *list(self.stamps)[number], inner, conflict=why)

    def _submission(self, attempt: Attempt, conflict: str = "") -> FoundSubmission:
        """Return an attempt as the gradebook takes it."""
        opened = _opened(attempt)
        first = opened[0]
        place = (*list(self.stamps)[first.collection], "\n".join(row.place for row in opened))
        late = any(row.late for row in attempt)
        submitted = max(row.submitted for row in attempt)
        return FoundSubmission(first.learner, first.attempt, *place, submitted, late, conflict)

    def unresolve(self, submissions: Iterable[tuple[str, str, str]]) -> None:
        """Note submissions that could not be opened: learner, inner place, why of each."""
        update = "UPDATE entry SET disposition = ?, reason = ? WHERE learner = ? AND place = ?"
        rows = ((UNRESOLVED, why, who, inner.partition("\n")[0]) for who, inner, why in submissions)
        self._database.executemany(f"{update} AND disposition = '{GRADED}'", rows)

    def counts(self) -> dict[str, int]:
        """Return how many entries have each disposition; they add up to all entries."""
        query = "SELECT disposition, count(*) FROM entry WHERE NOT is_further GROUP BY 1"
        found = dict(self._database.execute(query).fetchall())
        return {name: found[name] for name in DISPOSITIONS if name in found}

    def platforms(self) -> list[str]:
        """Return the platforms that named the entries which are graded."""
        query = """SELECT DISTINCT substr(account, 1, instr(account, ' ') - 1) FROM entry
            WHERE disposition = ? ORDER BY 1"""
        return [name for (name,) in self._database.execute(query, (GRADED,))]

    def accounts(self) -> tuple[int, int]:
        """Return how many accounts match a learner, and how many do or do not."""
        query = """SELECT total(matched), count(*) FROM (
            SELECT max(disposition = ?) AS matched FROM entry
            WHERE disposition IN (?, ?) GROUP BY collection, account)"""
        matched, of = self._database.execute(query, (GRADED, GRADED, UNMATCHED)).fetchone()
        return int(matched), of

    def rows(self, dispositions: Sequence[str] = DISPOSITIONS) -> Iterator[MatchedEntry]:
        """Yield the entries of some dispositions by collection and name, unmatched ones last."""
        marks = ", ".join("?" * len(dispositions))
        order = f"disposition = '{UNMATCHED}', collection, name, at"
        query = f"SELECT * FROM entry WHERE disposition IN ({marks}) ORDER BY {order}"  # noqa: S608  # our own words
        return map(MatchedEntry._make, self._database.execute(query, dispositions))


def _rows(
    entry: Entry, matcher: Matcher, doubt: Callable[[Entry, Match], None]
) -> Iterator[tuple[Any, ...]]:
    """Yield the columns of an entry's rows behind the number of its collection."""
    is_loose = entry.nature != FOLDER and not archive_suffix(entry.name)
    place = (entry.name, entry.place or entry.name)
    why = _why_ignored(entry)
    if why:
        no_match = (entry.learner, "", "", "", "", False, False)
        what = UNRESOLVED if entry.nature in REFUSED else IGNORED
        yield (*place, _WEAK, *no_match, what, why)
        return
    for further, match in enumerate(matcher.match(entry)):
        parsed, learner, why = match.parsed, match.learner, match.why
        is_stray = is_loose and parsed.platform == Plain.name
        disposition = GRADED if learner else UNMATCHED
        if match.is_unclear:
            disposition = UNRESOLVED
            doubt(entry, match)
        if is_stray and not (matcher.is_rostered and (learner or match.likely)):
            learner, disposition, why = "", IGNORED, "is not a folder or an archive"
        rank = is_loose * _LOOSE + (is_stray or parsed.is_note) * _WEAK
        account = safe_name(f"{parsed.platform} {parsed.account}")
        who = (learner, match.by, account, parsed.attempt, parsed.submitted, parsed.late)
        yield (*place, rank, *who, bool(further), disposition, why)


def _why_ignored(entry: Entry) -> str:
    if entry.name in METADATA:
        return "is the platform's own list of submissions"
    if entry.nature not in (FILE, FOLDER):
        return entry.nature if entry.nature == ABSENT else f"is {entry.nature}"
    return "" if entry.learner else ignored(entry.name)


def _accounts(rows: list[MatchedEntry], changes: Changes) -> list[Account]:
    """Return the entries that claim one learner by account; some may be ignored."""
    if len(rows) == 1:
        return [[rows]]
    decided = [row for row in rows if row.matched_by == DECISION]
    if decided:
        why = f"the decisions name {decided[0].name} for this learner"
        changes += _changed((row for row in rows if row.matched_by != DECISION), IGNORED, why)
    accounts: dict[tuple[int, str], dict[str, Attempt]] = {}
    claiming = sorted(decided or rows, key=_is_weak)
    for row in claiming:
        account = (row.collection, row.account)
        if _is_weak(row) and not _is_weak(claiming[0]) and account not in accounts:
            changes += _changed([row], IGNORED, f"is not part of the submission {claiming[0].name}")
        else:
            accounts.setdefault(account, {}).setdefault(row.attempt, []).append(row)
    return [[attempts[label] for label in sorted(attempts)] for attempts in accounts.values()]


def _settled(accounts: list[Account], graded: Account) -> Iterator[tuple[str, str, int]]:
    """Yield what is not graded itself: other accounts, older attempts, and parts."""
    attempts, *duplicates = accounts
    yield from _changed(
        _flat(duplicates), DUPLICATE, f"has the same content as {attempts[-1][0].name}"
    )
    for attempt in attempts:
        first = _opened(attempt)[0]
        if attempt not in graded:
            yield OLDER, "", first.at
        rest = (row for row in attempt if row is not first)
        yield from _changed(rest, PART, f"belongs to the same submission as {first.name}")


def _changed(
    rows: Iterable[MatchedEntry], disposition: str, reason: str
) -> Iterator[tuple[str, str, int]]:
    return ((disposition, reason, row.at) for row in rows)


def _is_weak(row: MatchedEntry) -> bool:
    return row.rank >= _WEAK


def _opened(attempt: Attempt) -> list[MatchedEntry]:
    """Return the entries that are opened for an attempt, its folders and archives first."""
    weak = min(map(_is_weak, attempt))
    return sorted((row for row in attempt if _is_weak(row) == weak), key=attrgetter("rank"))


def _flat(accounts: Iterable[Account]) -> Iterator[MatchedEntry]:
    return (row for account in accounts for attempt in account for row in attempt)
