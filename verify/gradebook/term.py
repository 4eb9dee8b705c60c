"""The cohort of a term: a standing has a mark for each assignment, scaled and rounded once."""

from __future__ import annotations

import os
from collections import Counter
from datetime import datetime, timezone
from fractions import Fraction
from functools import lru_cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from pipeline.terminal.fault import Fault
from verify.gradebook.lateness import adjusted, moment, rounded
from verify.gradebook.reading import (
    Counts,
    ExerciseCount,
    GradebookCohort,
    by_learner,
    holding,
    with_overrides,
)
from verify.gradebook.records import DECISIONS, Mark, Standing, score_text
from verify.grading.model import ExerciseInfo, Outcome

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from verify.gradebook.copies import Copies
    from verify.gradebook.lateness import LatePolicy
    from verify.gradebook.records import Override
    from verify.gradebook.term_file import AssignmentPlan, Term
    from verify.grading.model import CheckInfo, Result

EXAMPLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "new_term.toml")
# of an assignment, by the outcomes of its exercises: the first that one of them has
_GRAVEST_FIRST = (
    *(Outcome.ERROR, Outcome.UNRESOLVED, Outcome.MISSING),
    *(Outcome.FAIL, Outcome.PASS, Outcome.EXCUSED),
)


class TermCohort:
    """The cohort of a term, or of some of its assignments: those that have been graded.

    `now` decides what is missing after its due time. Raises `Fault` if nothing has been graded.
    """

    attempts_all = False  # one attempt of each assignment counts
    unit = "assignment"

    def __init__(
        self,
        connection: sqlite3.Connection,
        term: Term,
        names: Collection[str] = (),
        now: datetime | None = None,
    ) -> None:
        self._term = term
        known = {name for (name,) in connection.execute("SELECT assignment FROM last_run")}
        self._parts = [
            _AssignmentCohort.of(connection, term, name)
            for name in term.assignments
            if name in known and (not names or name in names)
        ]
        if not self._parts:
            raise Fault("this gradebook has no results of the term: run verify batch first")
        self._now = now or datetime.now(timezone.utc)
        self.exercises = tuple(part.info for part in self._parts)
        self.has_roster = self._parts[0].cohort.has_roster
        self.options = self._parts[0].cohort.options
        self.complete = all(part.cohort.complete for part in self._parts)
        at = {part.info.name: number for number, part in enumerate(self._parts)}
        self._groups = [
            (name, group.drop_lowest, [at[member] for member in group.assignments if member in at])
            for name, group in term.groups.items()
        ]

    def options_of(self, assignment: str) -> Mapping[str, Any]:
        """Return the options with which an assignment was graded."""
        return next(part.cohort.options for part in self._parts if part.info.name == assignment)

    def standings(self) -> Iterator[Standing]:
        """Yield the standing of each learner, sorted by the learner's key."""
        streams = [by_learner(part.cohort) for part in self._parts]
        heads = [next(stream, None) for stream in streams]  # the next learner of each assignment
        while any(heads):
            learner = min((head[0].learner for head in heads if head), key=attrgetter("key"))
            key = learner.key
            attempts: dict[int, Sequence[Standing]] = {}
            for number, head in enumerate(heads):
                if head and head[0].learner.key == key:
                    attempts[number] = head
                    heads[number] = next(streams[number], None)
            nothing = [Standing(learner, ())]
            marks = [
                part.mark(key, attempts.get(number, nothing), self._now)
                for number, part in enumerate(self._parts)
            ]
            for name, count, members in self._groups:
                _drop(marks, members, count, name)
            late = any(standings[-1].late for standings in attempts.values())
            whole = Standing(learner, tuple(marks), late=late, decimals=self._term.decimals)
            if len(self._parts) == 1:
                _, _, _, submitted, _, place, _ = attempts[0][-1]
                whole = whole._replace(submitted=submitted, place=place)
            yield whole

    def copies(self) -> Iterator[Copies]:
        """Yield who submitted the same, assignment by assignment."""
        for part in self._parts:
            for copies in part.cohort.copies():
                members = dict.fromkeys((learner, "") for learner, _ in copies.members)
                yield copies._replace(
                    exercise=f"{part.info.name} {copies.exercise}", members=tuple(members)
                )

    def counts(self) -> Counts:
        """Return the sums of the cohort, for a summary."""
        outcomes = [Counter[Outcome]() for _ in self._parts]
        scores: list[list[float]] = [[] for _ in self._parts]
        standings = late = 0
        for standing in self.standings():
            standings, late = standings + 1, late + standing.late
            for number, mark in enumerate(standing.marks):
                outcomes[number][mark.outcome] += 1
                if mark.score is not None:
                    scores[number].append(mark.score)
        counts = (
            ExerciseCount(part.info.name, outcomes[at], sum(known) / len(known) if known else None)
            for at, (part, known) in enumerate(zip(self._parts, scores, strict=True))
        )
        return Counts(tuple(counts), standings, late)


class _AssignmentCohort(NamedTuple):
    """An assignment of the term, and its cohort."""

    cohort: GradebookCohort
    info: ExerciseInfo  #: the assignment as if it was an exercise, with the checks of all its own
    assignment: AssignmentPlan
    due: datetime | None  #: in the zone that the file says
    limit: datetime | None  #: the same in UTC
    extensions: Mapping[str, datetime]  #: other due times, by the learner's key
    policy: LatePolicy
    overrides: Mapping[tuple[str, str], Sequence[Override]]  #: of the whole assignment
    term: Term

    @classmethod
    def of(cls, connection: sqlite3.Connection, term: Term, name: str) -> _AssignmentCohort:
        """Return an assignment of a gradebook."""
        assignment = term.assignments[name]
        cohort = GradebookCohort(connection, assignment=name)
        points = assignment.points or sum(exercise.points for exercise in cohort.exercises)
        title = assignment.title or ", ".join(e.title for e in cohort.exercises)
        checks = tuple(check for exercise in cohort.exercises for check in exercise.checks)
        due = term.at(assignment.due)
        extensions = {key: term.at(time) for key, time in assignment.extensions.items()}
        overrides = holding(connection, name)
        return cls(
            cohort,
            ExerciseInfo(name, title, points, checks, cohort.exercises),
            assignment,
            due,
            due and due.astimezone(timezone.utc),
            {key: time for key, time in extensions.items() if time},
            term.policy(assignment),
            {whose: made for whose, made in overrides.items() if not whose[1]},
            term,
        )

    def mark(self, key: str, attempts: Sequence[Standing], now: datetime) -> Mark:
        """Return a learner's mark, of the attempt that counts."""
        made = self.overrides.get((key, ""), ())
        if not made and key not in self.assignment.excused:
            return self._counting(key, attempts, now)
        score = next((override.score for override in made if override.score is not None), None)
        is_excused = score is None and key in self.assignment.excused
        is_decided = is_excused or any(override.kind in DECISIONS for override in made)
        mark = self._counting(key, attempts, None if is_decided else now)
        if is_excused:
            mark = mark._replace(outcome=Outcome.EXCUSED, graded=None)
        elif score is not None and mark.outcome is Outcome.EXCUSED:  # of its exercises only
            passed = score >= self.info.points
            mark = mark._replace(outcome=Outcome.PASS if passed else Outcome.FAIL)
        return with_overrides(mark, made)

    def _counting(self, key: str, attempts: Sequence[Standing], now: datetime | None) -> Mark:
        if len(attempts) == 1:
            return self._of(key, attempts[0], now)
        marks = [self._of(key, standing, now) for standing in attempts]
        way, at = self.assignment.attempts, len(marks) - 1
        if way == "best":
            order = [(mark.score is not None, mark.score or 0) for mark in marks]
            at = max(range(len(marks)), key=lambda number: (order[number], number))
        elif way == "last before due":
            in_time = (at for at in reversed(range(len(marks))) if self._in_time(key, attempts[at]))
            at = next(in_time, 0)
        label = attempts[at].attempt or "first"
        words = f"attempt {label} counts, {way} of {len(marks)}"
        mark = marks[at]
        return mark._replace(words=(words, *mark.words), attempt=attempts[at].attempt)

    def _in_time(self, key: str, standing: Standing) -> bool:
        limit, submitted = self._limit(key), moment(standing.submitted, self.due)
        return limit is None or submitted is None or self.policy.excuses(submitted - limit)

    def _limit(self, key: str) -> datetime | None:
        """Return until when a learner is in time, in UTC."""
        extension = self.extensions.get(key)
        return extension.astimezone(timezone.utc) if extension else self.limit

    def _is_over(self, key: str, now: datetime | None) -> bool:
        """Return whether what is missing gets zero points now; None for never."""
        limit = self._limit(key)
        return self.term.missing == "zero" and None not in (now, limit) and now > limit  # type: ignore[operator]  # neither is None

    def _of(self, key: str, standing: Standing, now: datetime | None) -> Mark:
        """Return the mark of one attempt: scaled to the points, less what is deducted, rounded."""
        marks = standing.marks or [Mark(e, Outcome.MISSING) for e in self.cohort.exercises]
        mark = _united(marks, self.info)
        counted = [part for part in marks if part.counts]
        scores = tuple([score for part in counted if (score := part.score) is not None])
        words = [*mark.words]
        if key in self.extensions:
            words.append(f"extension until {self.extensions[key]:%Y-%m-%d %H:%M}")
        if len(scores) < len(counted) and self._is_over(key, now):
            missing = [part for part in counted if part.score is None and _is_missing(part)]
            scores += (0,) * len(missing)
            words += ["missing after the due time: 0 points"] * bool(missing)
        graded = None
        if scores and len(scores) == len(counted):
            most = sum([part.exercise.points for part in counted])
            exact = _scaled(scores, most, self.info.points, self.term.decimals)
            graded = self._after_policy(key, standing, exact, words)
        return mark._replace(
            exercise=self.info, weight=self.assignment.weight, graded=graded, words=tuple(words)
        )

    def _after_policy(
        self, key: str, standing: Standing, exact: tuple[Fraction, float], words: list[str]
    ) -> float:
        """Return what the late policy leaves of a score, given exactly and rounded."""
        submitted = moment(standing.submitted, self.due)
        score, final = exact
        if submitted is None:
            if standing.late and self.policy.percent_a_day:
                words.append("late by an unknown time: nothing is deducted")
            return final
        limit = self._limit(key)
        if limit is None or submitted <= limit:  # most are in time
            return final
        after = adjusted(score, self.info.points, submitted - limit, self.policy)
        if not after.words:
            return final
        left = _rounded(after.score, self.term.decimals)
        words.append(f"{after.words} ({score_text(final)} -> {score_text(left)})")
        return left


@lru_cache(10_000)
def _scaled(
    scores: tuple[float, ...], most: int, points: int, decimals: int
) -> tuple[Fraction, float]:
    """Return scores of `most` points as one of `points`, exactly and rounded."""
    whole = sum((Fraction(str(score)) for score in scores), Fraction(0))
    score = whole * points / most if most else Fraction(0)
    return score, rounded(score, decimals)


_rounded = lru_cache(10_000)(rounded)


def _united(marks: Sequence[Mark], assignment: ExerciseInfo) -> Mark:
    """Return one mark for the exercises of an assignment, without its score and its exercise."""
    if len(marks) == 1 and not (marks[0].override or marks[0].comment):
        return marks[0]  # the rest of which is replaced
    outcomes = {mark.outcome for mark in marks}
    outcome = next(outcome for outcome in _GRAVEST_FIRST if outcome in outcomes)
    gravest = next(mark for mark in marks if mark.outcome is outcome)
    results: tuple[Result[CheckInfo], ...] = ()
    if any(mark.results for mark in marks):
        results = tuple(result for mark in marks for result in mark.checks)
    reads = (mark.reads.strip()[1:-1].strip() for mark in marks)
    levels = [mark.provenance for mark in marks if mark.provenance]
    said = (mark for mark in marks if mark.override or mark.comment)
    return Mark(
        assignment,
        outcome,
        results=results,
        reads=f"[{', '.join(filter(None, reads))}]",
        digests=b"".join([mark.digests for mark in marks]),
        reason=gravest.reason,
        action=gravest.action,
        provenance=min(levels, default=""),
        crashes=tuple(crash for mark in marks for crash in mark.crashes),
        words=tuple(f"{mark.exercise.name}: {note}" for mark in said for note in mark.told),
    )


def _drop(marks: list[Mark], members: Sequence[int], count: int, group: str) -> None:
    """Mark the lowest of a group as dropped; one stays, and what has no score yet is not known."""
    counting = [at for at in members if marks[at].counts]
    ranked = [at for at in counting if marks[at].score is not None or _is_missing(marks[at])]
    ranked.sort(key=lambda at: (marks[at].score or 0) / marks[at].exercise.points)
    for at in ranked[: max(0, min(count, len(counting) - 1))]:
        words = (*marks[at].words, f"dropped: one of the lowest of {group}")
        marks[at] = marks[at]._replace(dropped=True, words=words)


def _is_missing(mark: Mark) -> bool:
    return mark.outcome is Outcome.MISSING


def scores_of(connection: sqlite3.Connection, now: datetime) -> dict[tuple[str, str], str]:
    """Return what counts in a gradebook's term, as text by the learner's key and the assignment.

    Work that is missing or could not be graded is left out, and all of a gradebook without results.
    """
    term = term_of(connection)
    if term is None or connection.execute("SELECT 1 FROM last_run").fetchone() is None:
        return {}
    return {
        (standing.learner.key, mark.exercise.name): score_text(mark.score) or mark.outcome
        for standing in TermCohort(connection, term, now=now).standings()
        for mark in standing.marks
        if mark.override or mark.outcome not in (Outcome.MISSING, Outcome.ERROR)
    }


def term_of(connection: sqlite3.Connection) -> Term | None:
    """Return the term that a gradebook keeps; None for one without; raises `NotOurs`."""
    found = connection.execute("SELECT document FROM term").fetchone()
    if found is None:
        return None
    from verify.gradebook.term_file import kept_term  # pydantic, which no other gradebook needs

    return kept_term(found[0])
