"""Makes marks of results: what each check came to, what was read, where it stands."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from verify.gradebook.records import UNREADABLE
from verify.gradebook.stored import DIGEST, SHORT, questions_of, words_of
from verify.gradebook.values import CheckMark, FoundPlace, Mark

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Mapping, Sequence

    from verify.gradebook.rules import Rules, RuleSet
    from verify.gradebook.values import ExerciseInfo, Override

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
    """Makes marks of the rows of one run; `asked` are its rules."""

    def __init__(
        self, connection: sqlite3.Connection, rules: Rules, run: int, asked: Sequence[RuleSet]
    ) -> None:
        self._connection = connection
        self._rules = rules
        self._run = run
        self._asked = [
            (_FIRST + n * _EACH, one, _not_graded(one.exercise)) for n, one in enumerate(asked)
        ]
        self._read: dict[int, tuple[tuple[str, int], ...]] = {}
        self._container = self._folder = ""

    def marks(self, row: Sequence[Any], overrides: Overrides) -> tuple[Mark, ...]:
        """Return the marks of one submission, one an exercise."""
        learner, attempt, container, inner, submitted, late = row[:_FIRST]
        place = self._place(container, inner)
        marks = []
        read: tuple[tuple[str, str], ...]
        for at, asked, not_graded in self._asked:
            number, rules, run, outcome, *rest = row[at : at + _EACH]
            override = overrides.get((learner, asked.exercise.name)) if overrides else None
            why = ("", "")
            if number is None or (rules != asked.id and run <= self._run):
                exercise, _, outcome, score, checks, *_ = not_graded
                read, level = (), ""
            elif outcome == "unresolved":
                exercise, score, checks, read, level = self._rules[rules].exercise, None, (), (), ""
                why = self._why(number, learner, attempt)
            else:
                exercise, score, checks, read, level = self._graded(number, rules, *rest)
            said = (override, read, place, level, submitted, bool(late), *why)
            marks.append(Mark(exercise, attempt, outcome, score, checks, *said))
        return tuple(marks)

    def _graded(
        self, result: int, number: int, score: int | None, outcomes: str, *rest: Any
    ) -> tuple[ExerciseInfo, int | None, tuple[CheckMark, ...], tuple[tuple[str, str], ...], str]:
        rules = self._rules[number]
        questions, answers, level = rest
        checks = rules.passing
        if outcomes != rules.all_pass:
            checks = self._checks(rules, result, outcomes)
        return rules.exercise, score, checks, self._artifacts(questions, answers), level

    def _why(self, result: int, learner: str, attempt: str) -> tuple[str, str]:
        """Return why a submission is unresolved, and what to do."""
        found = self._connection.execute(_FINDINGS, (result,)).fetchone()
        place = FoundPlace(*found[2:]) if found else _NOWHERE
        values = (learner, self._run, attempt)
        (earlier,) = self._connection.execute(_EARLIER, values).fetchone()
        if earlier is None:
            return place.message, place.next_step
        which = f"the earlier attempt {earlier}".rstrip()
        return f"{place.message}; {which} does not count", place.next_step

    def _place(self, container: str, inner: str) -> str:
        if container != self._container:
            self._container = container
            self._folder = os.path.basename(container.rstrip("/")) or container
        return f"{self._folder}/{inner}" if inner else self._folder

    def _checks(self, rules: RuleSet, result: int, outcomes: str) -> tuple[CheckMark, ...]:
        words = words_of(outcomes, len(rules.passing))
        found: dict[int, list[FoundPlace]] = {}
        waiting: dict[int, str] = {}
        for position, waits_for, *place in self._connection.execute(_FINDINGS, (result,)):
            if waits_for:
                waiting[position] = waits_for
            else:
                found.setdefault(position, []).append(FoundPlace(*place))
        return tuple(
            passing
            if word == "pass"
            else CheckMark(
                passing.check,
                word,
                None if word in ("error", "unasked") else 0,
                waiting.get(position, ""),
                tuple(found.get(position, ())),
            )
            for position, (passing, word) in enumerate(zip(rules.passing, words, strict=True))
        )

    def _artifacts(self, questions: int, answers: bytes) -> tuple[tuple[str, str], ...]:
        """Return the files that were read, with the digest of each."""
        read = self._read.get(questions)
        if read is None:
            read = self._read_questions(questions)
        return tuple(
            [
                (
                    path,
                    "" if answers.startswith(UNREADABLE, at) else answers[at : at + DIGEST].hex(),
                )
                for path, at in read
            ]
        )

    def _read_questions(self, questions: int) -> tuple[tuple[str, int], ...]:
        if len(self._read) > _HELD:
            self._read.clear()
        query = "SELECT text FROM questions WHERE id = ?"
        (text,) = self._connection.execute(query, (questions,)).fetchone()
        places: dict[str, int] = {}
        for number, (operation, path) in enumerate(questions_of(text)):
            if operation == "read":
                places.setdefault(path, number * DIGEST)
        read = tuple(places.items())
        if len(text) <= SHORT:
            self._read[questions] = read
        return read


_NOWHERE = FoundPlace("", "", "", "", "", 0, 0, "", "")


def _not_graded(exercise: ExerciseInfo) -> Mark:
    step = "Run verify batch again: it goes on where it was interrupted."
    reason = _NOWHERE._replace(message="not graded yet", next_step=step)
    first, *others = exercise.checks
    told = CheckMark(first, "error", None, "", (reason,))
    untold = (CheckMark(check, "error", None) for check in others)
    return Mark(exercise, "", "error", None, (told, *untold))


def missing(
    learner: str, exercises: Sequence[ExerciseInfo], overrides: Overrides
) -> tuple[Mark, ...]:
    """Return the marks of a learner of the roster who has no submission."""
    return tuple(
        Mark(exercise, "", "missing", None, override=overrides.get((learner, exercise.name)))
        for exercise in exercises
    )
