"""What the gradebook tells: exercises, learners, and how each stands. Every export reads these."""

from __future__ import annotations

import json
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from verify.gradebook.texts import whole

if TYPE_CHECKING:
    from collections.abc import Mapping


class CheckInfo(NamedTuple):
    """One check as it was graded; `page` is the lesson and anchor that explain it."""

    code: str
    title: str
    points: int
    advisory: bool
    page: str


class ExerciseInfo(NamedTuple):
    """One exercise as it was graded."""

    name: str
    title: str
    points: int
    checks: tuple[CheckInfo, ...]


class Learner(NamedTuple):
    """A learner. `ids` has the roster's other columns by their name; both are empty off it."""

    key: str
    name: str = ""
    email: str = ""
    ids: Mapping[str, str] = MappingProxyType({})
    rostered: bool = False


def learner_row(one: Learner) -> tuple[str, str, str, str]:
    """Return a learner as a row of the gradebook: the key, name, address, and ids as JSON."""
    return whole(one.key), whole(one.name), whole(one.email), json.dumps(dict(one.ids))


class FoundPlace(NamedTuple):
    """One finding of a check: what, and where in which artifact.

    `line` and `column` are 1-based, 0 for the file as a whole. `excerpt` holds lines of the
    artifact, the first of them is line `max(1, line - 2)`.
    """

    message: str
    expected: str
    found: str
    file: str
    path: str
    line: int
    column: int
    next_step: str
    excerpt: str


class CheckMark(NamedTuple):
    """One check's outcome: pass, fail, skip, error or unasked; `waits_for` is a skip's blocker.

    `score` is what the check earned; None for an error, and where it is unasked.
    """

    check: CheckInfo
    outcome: str
    score: int | None
    waits_for: str = ""
    findings: tuple[FoundPlace, ...] = ()


class Override(NamedTuple):
    """A score set by hand: who, when (ISO 8601, UTC), why."""

    score: float
    by: str
    made: str
    reason: str


class Mark(NamedTuple):
    """How one exercise stands for one learner's attempt.

    `outcome` is pass, fail, missing, unresolved or error. `graded` is the score that checks gave:
    None for the last three, which are never a zero. An unresolved one has no checks: `reason` and
    `next_step` say why, and what to do. `submitted` (ISO 8601, or empty) and `late` are as the
    platform has them. `artifacts` are the files that grading read, with
    the hexadecimal digest of each: equal for identical ones, empty for one that cannot be read.
    `place` says where the submission is, for people. `provenance` is the lowest level of its
    artifacts (L0 to L3), empty where nobody asked: it changes no score.
    """

    exercise: ExerciseInfo
    attempt: str
    outcome: str
    graded: int | None
    checks: tuple[CheckMark, ...] = ()
    override: Override | None = None
    artifacts: tuple[tuple[str, str], ...] = ()
    place: str = ""
    provenance: str = ""
    submitted: str = ""
    late: bool = False
    reason: str = ""
    next_step: str = ""

    @property
    def score(self) -> float | None:
        """Return the score that counts: the override's, else what checks gave; None for neither."""
        return self.graded if self.override is None else self.override.score


NO_MARK = Mark(ExerciseInfo("", "", 0, ()), "", "missing", None)


class Standing(NamedTuple):
    """How one learner stands: one mark an exercise, in the order of the cohort's exercises.

    Where all attempts are asked for there is one standing an attempt.
    """

    learner: Learner
    marks: tuple[Mark, ...]

    @property
    def submission(self) -> Mark:
        """Return a mark that says which submission it is: its attempt, when, whether late."""
        return self.marks[0] if self.marks else NO_MARK
