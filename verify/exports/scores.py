"""Scores, totals and the words for them: all exports use these, so that they agree."""

from __future__ import annotations

from itertools import groupby
from math import fsum
from typing import TYPE_CHECKING

from verify.model import CheckInfo, Result, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from verify.gradebook.reading import Cohort
    from verify.gradebook.records import Mark, Standing

UNGRADED = "not graded: the grader failed, which is our fault"


def number(score: float | None) -> float | None:
    """Return a score as it is written: whole ones without a fraction, None where there is none."""
    return int(score) if score is not None and float(score).is_integer() else score


def score_text(score: float | None) -> str:
    """Return a score as text, empty where there is none."""
    return "" if score is None else str(number(score))


def scaled(score: float, points: int, largest: float) -> float:
    """Return a score out of `points` on a scale that goes to `largest`, to five decimals."""
    return score if largest == points or not points else round(score * largest / points, 5)


def total(standing: Standing) -> float | None:
    """Return the sum of the scores; None where a mark has none: a part is not the whole."""
    scores = [mark.score for mark in standing.marks if mark.score is not None]
    return number(round(fsum(scores), 6)) if len(scores) == len(standing.marks) else None


def worth(standing: Standing) -> int:
    """Return the points that the standing's exercises are worth together."""
    return sum(mark.exercise.points for mark in standing.marks)


def notes_of(mark: Mark) -> list[str]:
    """Return why a mark has no score, and who set one by hand, when and why."""
    notes = []
    if mark.score is None:
        words = {"missing": "missing: no submission was found"}
        words["unresolved"] = f"unresolved: {mark.reason}. {mark.action.rstrip('.')}"
        notes.append(words.get(mark.outcome, UNGRADED))
    if override := mark.override:
        graded = "nothing" if mark.graded is None else score_text(mark.graded)
        made = f"set to {score_text(override.score)} by {override.by}, {override.made}"
        notes.append(f"score {made} (checks gave {graded}): {override.reason}")
    return notes


def checks_of(mark: Mark) -> tuple[Result[CheckInfo], ...]:
    """Return a mark's checks; where nothing was graded, all of its exercise's without a score."""
    return mark.results or mark.exercise.results(Verdict(mark.outcome))


def is_note(check: Result[CheckInfo], mark: Mark) -> bool:
    """Return whether an advisory check that failed is only advice.

    In strict grading it is the reason where nothing else explains that the exercise failed.
    """
    if not (check.check.advisory and check.outcome == "fail"):
        return False
    required = any(c.outcome == "fail" for c in mark.results if not c.check.advisory)
    return required or mark.outcome != "fail"


def by_learner(standings: Iterable[Standing]) -> Iterator[tuple[Standing, ...]]:
    """Yield the standings of one learner after the other: one an attempt, the latest last."""
    for _, attempts in groupby(standings, key=lambda standing: standing.learner.key):
        yield tuple(attempts)


def latest(standings: Iterable[Standing]) -> Iterator[Standing]:
    """Yield each learner's standing, of several attempts the latest: the one that counts."""
    for attempts in by_learner(standings):
        yield attempts[-1]


def is_sole(cohort: Cohort) -> bool:
    """Return whether the cohort has exactly one learner."""
    learners = by_learner(cohort.standings())
    return next(learners, None) is not None and next(learners, None) is None
