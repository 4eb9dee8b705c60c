"""Reads a gradebook: the standing of each learner, and the submissions to grade again."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from pipeline.terminal.fault import Fault
from verify.gradebook.columns import ids_of, options_of
from verify.gradebook.copies import LAST, compared_of, copies_in
from verify.gradebook.near_copies import near_copies_in
from verify.gradebook.records import (
    COMMENTS,
    Learner,
    Mark,
    Override,
    Pending,
    Standing,
    ungraded,
)
from verify.gradebook.stored_results import StoredResults, with_results
from verify.grading.model import Finding, Outcome

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from verify.gradebook.copies import Copies
    from verify.grading.model import ExerciseInfo

_AT_ONCE = 200  # standings whose findings are read together
_PIECE = 4_000  # submissions read at a time: no reader stays open while results are written
_STANDING = "k.key, l.name, l.email, l.ids, s.attempt, s.container, s.inner, s.submitted, s.late"
_KNOWN = (  # who is on the roster, or has a submission of a run
    "(SELECT key FROM learner"
    " UNION SELECT learner FROM submission WHERE assignment = ? AND seen = ?) k"
    " LEFT JOIN learner l ON l.key = k.key"
    " LEFT JOIN submission s ON s.assignment = ? AND s.learner = k.key AND s.seen = ?{last}"
)
_SCORE = "iif(o.kind = 'excused', NULL, coalesce(o.score, r.score))"
_SUMS = """
SELECT CASE WHEN o.kind = 'excused' THEN o.kind WHEN s.id IS NULL THEN 'missing'
    ELSE coalesce(r.outcome, 'error') END,
  count(*), total(s.late), count({score}), total({score})
FROM {source}
  LEFT JOIN result r ON r.submission = s.id AND r.exercise = ? AND r.superseded IS NULL
    AND (r.rules = ? OR r.run > ?)
  LEFT JOIN override o ON o.assignment = ? AND o.learner = k.key AND o.exercise = ?
    AND o.withdrawn IS NULL AND o.kind <> 'comment'
GROUP BY 1
"""
LEFT_OUT = "not in the last run"
_ATTEMPTS = f"""
SELECT s.assignment, attempt, submitted, late, kind, container, inner,
  CASE WHEN seen <> l.run THEN '{LEFT_OUT}' WHEN EXISTS (
    SELECT 1 FROM submission t WHERE t.assignment = s.assignment AND t.learner = s.learner
    AND t.attempt > s.attempt AND t.seen = s.seen) THEN 'an earlier attempt' ELSE '' END,
  r.exercise, coalesce(printf('%.12g', r.score), r.outcome)
FROM submission s JOIN last_run l USING (assignment)
  LEFT JOIN result r ON r.submission = s.id AND r.superseded IS NULL
WHERE s.learner = ? ORDER BY s.assignment, attempt, r.exercise
"""  # noqa: S608  # our own words
_NOT_GRADED = Finding(
    "not graded yet", action="Run verify batch again: it continues where it stopped."
)


class Cohort(Protocol):
    """What exports and reports are made from."""

    @property
    def exercises(self) -> tuple[ExerciseInfo, ...]:
        """Return the exercises of the run, in their order."""

    @property
    def has_roster(self) -> bool:
        """Return whether there is a roster: only then can a learner be missing."""

    @property
    def unit(self) -> str:
        """Return what each mark is for: an exercise, or an assignment of a term."""

    def standings(self) -> Iterator[Standing]:
        """Yield the standing of each learner, sorted by the learner's key, then by the attempt.

        It can be iterated again, and holds one learner at a time.
        """

    def copies(self) -> Iterator[Copies]:
        """Yield who submitted the same, exercise by exercise, then whose work is alike."""


def by_learner(cohort: Cohort) -> Iterator[tuple[Standing, ...]]:
    """Yield the standings of each learner in turn: one per attempt, the latest last."""
    for _, attempts in groupby(cohort.standings(), key=lambda standing: standing.learner.key):
        yield tuple(attempts)


class ExerciseCount(NamedTuple):
    """The sums of one exercise."""

    exercise: str
    outcomes: Mapping[Outcome, int]
    mean: float | None  #: of the scores that count, None if there are none


class Counts(NamedTuple):
    """The sums of a cohort."""

    exercises: tuple[ExerciseCount, ...]
    standings: int  #: of learners, or of attempts if all are read; with those who are missing
    late: int  #: how many of the standings are late


class StoredAttempt(NamedTuple):
    """A submission that a run found."""

    assignment: str  #: empty without a term
    attempt: str  #: a label; as text, the latest is the last
    submitted: str  #: as the platform has it, ISO 8601, or empty; so has it `late`
    late: bool
    place: tuple[str, str, str]  #: see `open_entry`
    why_not: str  #: why it is not the latest of the last run, empty if it is
    results: Mapping[str, str]  #: its score, or the outcome without one, by the exercise


class GradebookCohort:
    """The cohort of one run of grading, as the gradebook has it now.

    `run` is the id of a run that graded, by default the last one: of the `assignment`, or of all.
    A submission belongs to the last run that met it. Regradings after it count. It is `complete`
    unless it was interrupted: then the rest is an error, not graded yet. If the run graded
    `attempts_all` there is a standing for each attempt, else for each learner's last one. Raises
    `Fault` if the run does not exist.
    """

    unit = "exercise"

    def __init__(
        self,
        connection: sqlite3.Connection,
        *,
        run: int | None = None,
        assignment: str | None = None,
    ) -> None:
        self._connection = connection
        found = connection.execute(
            "SELECT id, assignment, finished, options FROM run WHERE kind = 'grade'"
            " AND id = coalesce(?, id) AND assignment = coalesce(?, assignment)"
            " ORDER BY id DESC LIMIT 1",
            (run, assignment),
        ).fetchone()
        if found is None:
            raise Fault("this gradebook has no results: run verify batch first")
        self.run, self.assignment, finished, options = found
        self._place = (self.assignment, self.run) * 2  # as `_KNOWN` takes it
        self.complete = finished is not None
        self.options = options_of(options)
        self.attempts_all = self.options.get("attempts") == "all"
        query = "SELECT EXISTS (SELECT 1 FROM learner)"
        self.has_roster = bool(connection.execute(query).fetchone()[0])
        self._results = StoredResults(connection)
        query = "SELECT rules, compared FROM run_exercise WHERE run = ? ORDER BY position"
        asked = connection.execute(query, (self.run,)).fetchall()
        self._rules = [number for number, _ in asked]
        self._compared = [text for _, text in asked]
        self._graded = [self._results.rules(number).exercise for number in self._rules]
        self.exercises = tuple(map(self._regraded, self._graded))
        self._known = _KNOWN.format(last="" if self.attempts_all else LAST)

    def options_of(self, _exercise: str) -> Mapping[str, Any]:
        """Return the options with which an exercise was graded."""
        return self.options

    def _regraded(self, exercise: ExerciseInfo) -> ExerciseInfo:
        """Return an exercise of the run under the rules of the last regrading after it."""
        found = self._connection.execute(
            "SELECT e.rules FROM run_exercise e JOIN rules r ON r.id = e.rules"
            " JOIN run ON run.id = e.run WHERE r.exercise = ? AND e.run > ?"
            " AND run.kind = 'regrade' AND run.assignment = ? ORDER BY e.run DESC LIMIT 1",
            (exercise.name, self.run, self.assignment),
        ).fetchone()
        return exercise if found is None else self._results.rules(found[0]).exercise

    def standings(self) -> Iterator[Standing]:
        """Yield the standing of each learner, sorted by the learner's key, then by the attempt."""
        names = [exercise.name for exercise in self._graded]
        query = f"{with_results(_STANDING, self._known, len(names))} ORDER BY k.key, s.attempt"
        rows = self._connection.execute(query, (*self._place, *names))
        overrides = holding(self._connection, self.assignment)
        while piece := rows.fetchmany(_AT_ONCE):
            for standing, found in self._results.marked(piece, len(names)):
                key, name, email, ids, attempt, container, inner, submitted, late = standing
                learner = Learner(key) if name is None else _learner(key, name, email, ids)
                about: tuple[Any, ...] = ()
                if attempt is None:
                    marks = [Mark(exercise, Outcome.MISSING) for exercise in self.exercises]
                else:
                    marks = self._marks(found)
                    folder = _name_of(container)
                    about = attempt, submitted, bool(late), f"{folder}/{inner}" if inner else folder
                if overrides:
                    marks = [
                        with_overrides(m, overrides.get((key, m.exercise.name), ())) for m in marks
                    ]
                yield Standing(learner, tuple(marks), *about)

    def _marks(self, found: Iterable[tuple[Mark | None, int, int]]) -> list[Mark]:
        """Return the marks of one submission; what was not graded yet is an error."""
        return [
            mark if mark and (rules == asked or run > self.run) else ungraded(exercise, _NOT_GRADED)
            for (mark, rules, run), asked, exercise in zip(
                found, self._rules, self._graded, strict=True
            )
        ]

    def copies(self) -> Iterator[Copies]:
        """Yield who submitted the same, exercise by exercise, then whose work is alike."""
        latest = not self.attempts_all
        for exercise, text in zip(self._graded, self._compared, strict=True):
            if text:
                found = copies_in(
                    self._connection, self.run, exercise.name, compared_of(text), latest=latest
                )
                yield from found
        for exercise in self._graded:
            yield from near_copies_in(self._connection, self.run, exercise.name, latest=latest)

    def counts(self) -> Counts:
        """Return the sums of the cohort, for a summary."""
        counts, standings, late = [], 0, 0
        query = _SUMS.format(source=self._known, score=_SCORE)
        for exercise, rules in zip(self.exercises, self._rules, strict=True):
            asked = exercise.name, rules, self.run, self.assignment, exercise.name
            rows = self._connection.execute(query, (*self._place, *asked)).fetchall()
            outcomes = Counter({Outcome(outcome): number for outcome, number, *_ in rows})
            scored, total = (sum(row[at] for row in rows) for at in (3, 4))
            mean = total / scored if scored else None
            counts.append(ExerciseCount(exercise.name, outcomes, mean))
            standings, late = outcomes.total(), int(sum(row[2] for row in rows))
        return Counts(tuple(counts), standings, late)


@dataclass(frozen=True)
class Submissions:
    """The submissions that a run met, by their ids, each with its marks, None where not graded.

    What was graded under today's rules, without an error, is known.
    """

    connection: sqlite3.Connection
    run: int
    rules: Sequence[tuple[str, str]]  #: the exercises, each with the digest of today's rules
    latest: bool  #: the last attempt of each learner only
    learner: str = ""  #: whose they are, empty for everybody's

    def __len__(self) -> int:
        """Return how many submissions there are."""
        query = f"SELECT count(*) FROM submission s WHERE s.seen = ?{self._chosen}"  # noqa: S608  # our own words
        values = (self.run, self.learner)
        return int(self.connection.execute(query, values).fetchone()[0])

    @property
    def _chosen(self) -> str:
        return f" AND ? IN ('', s.learner){LAST if self.latest else ''}"

    def __iter__(self) -> Iterator[tuple[Pending, tuple[Mark | None, ...]]]:
        """Yield the submissions; results may be written meanwhile."""
        results = StoredResults(self.connection)
        place = "s.id, s.kind, s.container, s.inner, s.conflict, s.learner, s.attempt"
        joined = with_results(place, "submission s", len(self.rules))
        query = f"{joined} WHERE s.seen = ?{self._chosen} AND s.id > ? ORDER BY s.id LIMIT ?"
        after = -1
        values = (*(name for name, _ in self.rules), self.run, self.learner)
        while piece := self.connection.execute(query, (*values, after, _PIECE)).fetchall():
            after = piece[-1][0]
            for submission, found in results.marked(piece, len(self.rules)):
                number, kind, container, inner, conflict, learner, attempt = submission
                keys = tuple(
                    mark.cache_key
                    if mark
                    and mark.outcome is not Outcome.ERROR
                    and results.rules(rules).digest == digest
                    else None
                    for (mark, rules, _), (_, digest) in zip(found, self.rules, strict=True)
                )
                known = keys if any(keys) else ()
                pending = Pending(number, kind, container, inner, known, conflict, learner, attempt)
                yield pending, tuple(mark for mark, *_ in found)


def holding(
    connection: sqlite3.Connection, assignment: str = ""
) -> dict[tuple[str, str], list[Override]]:
    """Return the overrides in force, by learner and exercise: a score or an excuse, a comment."""
    found: dict[tuple[str, str], list[Override]] = {}
    for learner, exercise, *made in connection.execute(
        "SELECT learner, exercise, score, by, made, reason, kind FROM override"
        " WHERE assignment = ? AND withdrawn IS NULL ORDER BY learner, exercise, kind = 'comment'",
        (assignment,),
    ):
        found.setdefault((learner, exercise), []).append(Override(*made))
    return found


def with_overrides(mark: Mark, overrides: Iterable[Override]) -> Mark:
    """Return a mark with what people decided about it."""
    for made in overrides:
        if made.kind in COMMENTS:
            mark = mark._replace(comment=made)
        elif made.score is None:
            mark = mark._replace(override=made, outcome=Outcome.EXCUSED)
        else:
            mark = mark._replace(override=made)
    return mark


def attempts_of(connection: sqlite3.Connection, learner: str) -> Iterator[StoredAttempt]:
    """Yield what a learner has submitted, the latest last."""
    rows = connection.execute(_ATTEMPTS, (learner,))
    for (assignment, attempt, submitted, late, *place, why), found in groupby(
        rows, lambda row: row[:8]
    ):
        results = {name: text for *_, name, text in found if name is not None}
        where = tuple(place)
        yield StoredAttempt(assignment, attempt, submitted, bool(late), where, why, results)


def learners(connection: sqlite3.Connection) -> Iterator[Learner]:
    """Yield the learners of the roster, sorted by their keys."""
    query = "SELECT key, name, email, ids FROM learner ORDER BY key"
    return (_learner(*row) for row in connection.execute(query))


@lru_cache(256)
def _name_of(container: str) -> str:
    return os.path.basename(container.rstrip("/")) or container


@lru_cache(256)  # the cohorts of a term meet each learner one after the other
def _learner(key: str, name: str, email: str, ids: str) -> Learner:
    return Learner(key, name, email, ids_of(ids), rostered=True)


def unresolved_places(connection: sqlite3.Connection, run: int) -> Iterator[tuple[str, str, str]]:
    """Yield the submissions of a run that are unresolved: learner, place, why and what to do."""
    return connection.execute(
        "SELECT DISTINCT s.learner, s.inner, f.message || '. ' || f.next_step"
        " FROM submission s JOIN result r ON r.submission = s.id AND r.superseded IS NULL"
        " AND r.outcome = 'unresolved'"
        " JOIN finding f ON f.result = r.id AND f.position = 0 AND f.ordinal = 0"
        " WHERE s.seen = ?",
        (run,),
    )
