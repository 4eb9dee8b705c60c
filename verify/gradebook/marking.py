"""Makes marks of results: what each check came to, what was read, where it stands."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from verify.gradebook.records import Mark, Standing, ungraded
from verify.gradebook.stored import SHORT, outcomes_of
from verify.model import Finding, Outcome, Result, Verdict

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Mapping, Sequence

    from verify.gradebook.records import Learner, Override
    from verify.gradebook.rules import Rules, RuleSet
    from verify.model import CheckInfo, ExerciseInfo

    Overrides = Mapping[tuple[str, str], Override]

PLACE = "s.learner, s.attempt, s.container, s.inner, s.submitted, s.late"
RESULT = (
    *("id", "rules", "run", "outcome", "score", "outcomes", "questions", "answers"),
    "provenance",
)
_FIRST = 6  # columns of PLACE
_EACH = len(RESULT)

_FINDINGS = (
    "SELECT position, waits_for, message, expected, found, file, path, line, column, next_step,"
    " excerpt FROM finding WHERE result = ? ORDER BY position, ordinal"
)
_EARLIER = "SELECT max(attempt) FROM submission WHERE learner = ? AND seen = ? AND attempt < ?"
_HELD = 10_000  # texts of questions in memory; there are a few, unless somebody makes many


class Marker:
    """Makes standings of the rows of one run; `asked` are its rules."""

    def __init__(
        self, connection: sqlite3.Connection, rules: Rules, run: int, asked: Sequence[RuleSet]
    ) -> None:
        self._connection = connection
        self._rules = rules
        self._run = run
        self._asked = [
            (_FIRST + n * _EACH, one, ungraded(one.exercise, _NOT_GRADED))
            for n, one in enumerate(asked)
        ]
        self._reads: dict[int, str] = {}
        self._container = self._folder = ""

    def standing(self, learner: Learner, row: Sequence[Any], overrides: Overrides) -> Standing:
        """Return how a learner stands by one submission, with one mark an exercise."""
        key, attempt, container, inner, submitted, late = row[:_FIRST]
        marks = []
        for at, asked, not_graded in self._asked:
            number, rules, run, outcome, *rest = row[at : at + _EACH]
            if number is None or (rules != asked.id and run <= self._run):
                mark = not_graded
            elif outcome == Outcome.UNRESOLVED:
                mark = self._unresolved(number, rules, key, attempt)
            else:
                mark = self._graded(number, rules, Outcome(outcome), *rest)
            override = overrides.get((key, asked.exercise.name)) if overrides else None
            marks.append(mark if override is None else mark._replace(override=override))
        place = self._place(container, inner)
        return Standing(learner, tuple(marks), attempt, submitted, bool(late), place)

    def _graded(
        self,
        result: int,
        number: int,
        outcome: Outcome,
        score: int | None,
        letters: str,
        *rest: Any,
    ) -> Mark:
        rules = self._rules[number]
        questions, digests, level = rest
        results = rules.passing
        if letters != rules.all_pass:
            results = self._results(rules, result, letters)
        reads = self._text(questions)
        return Mark(rules.exercise, outcome, score, results, reads, digests, provenance=level)

    def _unresolved(self, result: int, rules: int, learner: str, attempt: str) -> Mark:
        """Return the mark of a submission that a person has to look at: why, and what to do."""
        found = self._connection.execute(_FINDINGS, (result,)).fetchone()
        why = Finding(*found[2:]) if found else Finding("")
        reason = why.message
        values = (learner, self._run, attempt)
        (earlier,) = self._connection.execute(_EARLIER, values).fetchone()
        if earlier is not None:
            which = f"the earlier attempt {earlier}".rstrip()
            reason = f"{reason}; {which} does not count"
        exercise = self._rules[rules].exercise
        return Mark(exercise, Outcome.UNRESOLVED, reason=reason, action=why.action)

    def _place(self, container: str, inner: str) -> str:
        if container != self._container:
            self._container = container
            self._folder = os.path.basename(container.rstrip("/")) or container
        return f"{self._folder}/{inner}" if inner else self._folder

    def _results(self, rules: RuleSet, result: int, letters: str) -> tuple[Result[CheckInfo], ...]:
        outcomes = outcomes_of(letters, len(rules.passing))
        found: dict[int, list[Finding]] = {}
        blockers: dict[int, str] = {}
        for position, waits_for, *finding in self._connection.execute(_FINDINGS, (result,)):
            if waits_for:
                blockers[position] = waits_for
            else:
                found.setdefault(position, []).append(Finding(*finding))
        return tuple(
            passing
            if outcome is Outcome.PASS
            else Result(
                passing.check,
                Verdict(outcome, tuple(found.get(position, ()))),
                blockers.get(position, ""),
            )
            for position, (passing, outcome) in enumerate(zip(rules.passing, outcomes, strict=True))
        )

    def _text(self, questions: int) -> str:
        """Return what was read, of its id: the same is read of nearly all."""
        text = self._reads.get(questions)
        if text is None:
            if len(self._reads) > _HELD:
                self._reads.clear()
            query = "SELECT text FROM questions WHERE id = ?"
            (text,) = self._connection.execute(query, (questions,)).fetchone()
            if len(text) <= SHORT:
                self._reads[questions] = text
        return str(text)


_NOT_GRADED = Finding(
    "not graded yet", action="Run verify batch again: it goes on where it was interrupted."
)


def missing(
    learner: str, exercises: Sequence[ExerciseInfo], overrides: Overrides
) -> tuple[Mark, ...]:
    """Return the marks of a learner of the roster who has no submission."""
    return tuple(
        Mark(exercise, Outcome.MISSING, override=overrides.get((learner, exercise.name)))
        for exercise in exercises
    )
