"""Writes to the gradebook: a run, its submissions and results, and scores set by hand."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any

from verify.gradebook.copies import text_of
from verify.gradebook.records import COMMENTS, DECISIONS, DIGEST, Override
from verify.gradebook.store import transaction, utf8_row
from verify.grading.model import Finding, Outcome

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Mapping, Sequence

    from verify.gradebook.copies import Compared
    from verify.gradebook.records import FoundSubmission, Mark
    from verify.grading.model import ExerciseInfo

MAX_READS = 16 << 20  # characters: artifacts of the largest size name paths of so many
# Kept in place of reads that are too long to be read back: no grading has this answer, so the
# submission is graded again by every run.
_UNKNOWN_READS, _UNKNOWN_DIGESTS = "[]", bytes(DIGEST)
_UPSERT = (
    "INSERT INTO submission VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
    " ON CONFLICT (assignment, learner, attempt) DO UPDATE SET kind = excluded.kind,"
    " container = excluded.container, inner = excluded.inner, submitted = excluded.submitted,"
    " late = excluded.late, conflict = excluded.conflict, seen = excluded.seen"
)
_RESULT = "INSERT INTO result VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL)"
_SUPERSEDE = (
    "UPDATE result SET superseded = ? WHERE submission = ? AND exercise = ? AND superseded IS NULL"
)
_IDENTITIES = "SELECT learner, heading, value FROM identity"
HELD = ("override", "decision", "earlier", "submission")  # what a learner has
_KNOWN_BY_KEY = (*HELD, "identity")
_IS_KNOWN = " UNION ALL ".join(
    f"SELECT 1 FROM {table} WHERE learner = :key"  # noqa: S608  # our own words
    for table in _KNOWN_BY_KEY
)
_LEFT = (
    "DELETE FROM identity WHERE learner NOT IN holder AND learner NOT IN (SELECT key FROM learner)"
)
_FINDING = "INSERT INTO finding VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"


def follow(
    connection: sqlite3.Connection,
    moved: Sequence[tuple[str, str]],
    place: str = "",
    tables: Sequence[str] = HELD,
) -> None:
    """Give what learners have to their new keys, each with the old one, unless that has its own.

    `place` is that of an attached gradebook, with its dot.
    """
    for table in tables:
        update = f"UPDATE OR IGNORE {place}{table} SET learner = ? WHERE learner = ?"  # noqa: S608  # our own words
        connection.executemany(update, moved)


def identities_beside_keys(
    rows: Iterable[tuple[str, str, str]],
) -> dict[str, dict[str, str]]:
    """Return what identifies learners besides their keys, by the learner and the heading."""
    found: dict[str, dict[str, str]] = {}
    for learner, heading, value in rows:
        if value.casefold() != learner.casefold():
            found.setdefault(learner, {})[heading] = value
    return found


def all_differing(old: Mapping[str, str], new: Mapping[str, str]) -> frozenset[str]:
    """Return the headings that both have: none where one of them agrees, or the name is missing."""
    common = frozenset(old.keys() & new.keys())
    agrees = any(old[heading] == new[heading] for heading in common)
    return frozenset() if agrees or "name" not in common else common


def _by_name(known: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    """Return the keys of learners by their names, without those that several have."""
    names = Counter(values.get("name") for values in known.values())
    pairs = ((values.get("name", ""), key) for key, values in known.items())
    return {name: key for name, key in pairs if name and names[name] == 1}


class RunRecorder:
    """One run's view of a gradebook that is open for writing; `by` is the user.

    The run grades the submissions of one `assignment` of the term.

    Each call that writes is one transaction, or part of the caller's.
    """

    def __init__(self, connection: sqlite3.Connection, by: str, assignment: str = "") -> None:
        self._connection = connection
        self._by = by
        self._assignment = assignment
        self.run = 0
        self._rules: dict[str, int] = {}  # their ids, by exercise

    def begin(
        self,
        kind: str,
        *,
        started: str,
        options: Mapping[str, Any],
        rules: Sequence[tuple[ExerciseInfo, str]],
        sources: Sequence[tuple[str, str]] = (),
        compared: Sequence[Compared] = (),
    ) -> None:
        """Begin a run.

        `rules` are its exercises and the digest that each is graded under; `compared` says what is
        compared of each.
        """
        with transaction(self._connection):
            cursor = self._connection.execute(
                "INSERT INTO run (assignment, kind, started, sources, options, by)"
                " VALUES (?, ?, ?, ?, ?, ?)",
                (self._assignment, kind, started, *map(json.dumps, (sources, options)), self._by),
            )
            self.run = cursor.lastrowid or 0
            self._rules = {info.name: self._rules_id(info, digest) for info, digest in rules}
            texts = map(text_of, compared)
            numbers = enumerate(self._rules.values())
            self._connection.executemany(
                "INSERT INTO run_exercise (run, position, rules, compared) VALUES (?, ?, ?, ?)",
                [(self.run, at, number, next(texts, "")) for at, number in numbers],
            )

    def _rules_id(self, info: ExerciseInfo, digest: str) -> int:
        checks = json.dumps([check._asdict() for check in info.checks])
        self._connection.execute(
            "INSERT OR IGNORE INTO rules (exercise, digest, title, points, checks)"
            " VALUES (?, ?, ?, ?, ?)",
            (info.name, digest, info.title, info.points, checks),
        )
        query = "SELECT id FROM rules WHERE exercise = ? AND digest = ?"
        return int(self._connection.execute(query, (info.name, digest)).fetchone()[0])

    def enrol(
        self,
        rows: Iterable[tuple[str, str, str, str]],
        identities: Iterable[tuple[str, str, str]] = (),
    ) -> list[tuple[str, str]]:
        """Replace the roster by the rows of learners; of two with one key the later is kept.

        What learners have follows to their new keys: return each new key with the old one.
        """
        execute, many = self._connection.execute, self._connection.executemany
        identities = list(identities)
        with transaction(self._connection):
            for key in self._taken_over(identities):  # what the former learner has is not theirs
                former = self._key_of_former(key)
                for table in _KNOWN_BY_KEY:
                    text = f"UPDATE {table} SET learner = ? WHERE learner = ?"  # noqa: S608  # our own words
                    execute(text, (former, key))
                repeated = "DELETE FROM identity WHERE learner = ? AND value = ?"
                execute(repeated, (former, key.casefold()))
            execute("DELETE FROM learner")
            many("INSERT OR REPLACE INTO learner VALUES (?, ?, ?, ?)", rows)
            execute("DELETE FROM identity WHERE learner IN (SELECT key FROM learner)")
            many("INSERT OR REPLACE INTO identity VALUES (?, ?, ?)", identities)
            moved = execute("SELECT learner, former FROM successor ORDER BY 2").fetchall()
            follow(self._connection, moved)
            execute(_LEFT)
        return moved

    def _key_of_former(self, key: str) -> str:
        """Return a key that nobody has for the one whose key is somebody else's now."""
        former, number = f"{key} (earlier)", 1
        while self._connection.execute(_IS_KNOWN, {"key": former}).fetchone():
            number += 1
            former = f"{key} (earlier {number})"
        return former

    def _taken_over(self, identities: Sequence[tuple[str, str, str]]) -> list[str]:
        """Return the keys that stand for somebody else than before: nothing but the key agrees.

        That needs the name and one more column, since one of them alone may have been corrected, or
        that the name, which nobody shares, is under another key now.
        """
        new = identities_beside_keys(identities)
        old = identities_beside_keys(self._connection.execute(_IDENTITIES))
        former, present = _by_name(old), _by_name(new)
        moved = {name for name in former.keys() & present.keys() if former[name] != present[name]}
        keys = {key for name in moved for key in (former[name], present[name])}
        return [
            key
            for key, values in new.items()
            if (common := all_differing(old.get(key, {}), values))
            and (len(common) > 1 or key in keys)
        ]

    def add_submissions(self, rows: Iterable[FoundSubmission]) -> None:
        """Write the submissions that this run met, one for each learner and attempt.

        One that an earlier run met is updated, wherever it is now.
        """
        with transaction(self._connection):
            self._connection.executemany(
                _UPSERT, ((self._assignment, *utf8_row(row), self.run) for row in rows)
            )

    def record(self, graded: Iterable[tuple[int, Sequence[Mark | None]]]) -> None:
        """Keep a batch of results, one transaction; an earlier result is kept as superseded.

        There is one mark an exercise, None where the earlier result stays.
        """
        with transaction(self._connection):
            query = "SELECT coalesce(max(id), 0) FROM result"
            (last,) = self._connection.execute(query).fetchone()
            rows: list[tuple[Any, ...]] = []
            findings: list[tuple[Any, ...]] = []
            sketches: list[tuple[int, bytes]] = []
            reads: dict[str, int] = {}  # those of this batch, by their text
            for submission, marks in graded:
                for (exercise, rules), mark in zip(self._rules.items(), marks, strict=True):
                    if mark is None:
                        continue
                    last += 1
                    stored = mark.stored
                    key = self._key(mark, reads)
                    result = (mark.outcome.value, mark.graded, stored.letters, *key)
                    about = (last, submission, exercise, rules, self.run)
                    rows.append((*about, *result, mark.provenance, mark.fingerprint))
                    sketches += [(last, mark.sketch)] if mark.sketch else []
                    found = stored.rows
                    if mark.outcome is Outcome.UNRESOLVED:
                        why = Finding(mark.reason, action=mark.action)
                        found = (utf8_row((0, 0, *why, "")),)
                    findings += [(last, *row) for row in found]
            self._connection.executemany(_SUPERSEDE, [row[:3] for row in rows])
            self._connection.executemany(_RESULT, rows)
            self._connection.executemany(_FINDING, findings)
            self._connection.executemany("INSERT INTO sketch VALUES (?, ?)", sketches)

    def _key(self, mark: Mark, known: dict[str, int]) -> tuple[int, bytes]:
        """Return the id of what was read of a submission, and the digests of the answers."""
        text, digests = mark.reads, mark.digests
        if len(text) > MAX_READS:  # an own course that reads very much
            text, digests = _UNKNOWN_READS, _UNKNOWN_DIGESTS
        if text not in known:
            self._connection.execute("INSERT OR IGNORE INTO reads (text) VALUES (?)", (text,))
            query = "SELECT id FROM reads WHERE text = ?"
            (known[text],) = self._connection.execute(query, (text,)).fetchone()
        return known[text], digests

    def finish(self, finished: str) -> None:
        """Record that the run graded all its submissions."""
        with transaction(self._connection):
            query = "UPDATE run SET finished = ? WHERE id = ?"
            self._connection.execute(query, (finished, self.run))


def override(
    connection: sqlite3.Connection,
    learner: str,
    exercise: str,
    made: Override,
    assignment: str = "",
) -> Override | None:
    """Keep a decision of a person; withdraw and return the one that it replaces, which stays.

    A score replaces an excuse and the other way round; a comment replaces a comment only.
    """
    kinds = COMMENTS if made.kind in COMMENTS else DECISIONS
    with transaction(connection):
        place = (assignment, learner, exercise)
        before = withdraw(connection, *place, kinds, by=made.by, when=made.made)
        connection.execute(
            "INSERT INTO override (assignment, learner, exercise, score, by, made, reason, kind)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (*place, *made),
        )
    return before


def withdraw(  # noqa: PLR0913  # where, what, by whom and when
    connection: sqlite3.Connection,
    assignment: str,
    learner: str,
    exercise: str,
    kinds: Sequence[str] = DECISIONS,
    *,
    by: str,
    when: str,
) -> Override | None:
    """Withdraw what is in force of some kinds, and return it; None if there is none."""
    found = connection.execute(
        "UPDATE override SET withdrawn = ?, withdrawn_by = ?"
        " WHERE assignment = ? AND learner = ? AND exercise = ? AND withdrawn IS NULL"
        " AND kind IN (SELECT value FROM json_each(?))"
        " RETURNING score, by, made, reason, kind",
        (when, by, assignment, learner, exercise, json.dumps(kinds)),
    ).fetchall()
    return Override(*found[0]) if found else None
