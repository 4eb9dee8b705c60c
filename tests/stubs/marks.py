"""Cohorts and marks for tests of what reads a gradebook: a mark from one letter a check."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from verify.gradebook.columns import OUTCOMES
from verify.gradebook.records import Mark, Results, Standing
from verify.grading.model import CheckInfo, ExerciseInfo, Finding, Outcome, Result, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from verify.gradebook.copies import Copies

WRONG = Finding("wrong")
CRASH = Finding("the check E01.1 itself failed", action="Report it.")


class FakeCohort(NamedTuple):
    """Standings that are given; they may be walked over again."""

    exercises: tuple[ExerciseInfo, ...]
    made: Sequence[Standing]
    has_roster: bool = True
    alike: Sequence[Copies] = ()
    unit: str = "exercise"

    def copies(self) -> Iterator[Copies]:
        """Yield who submitted the same."""
        return iter(self.alike)

    def standings(self) -> Iterator[Standing]:
        """Yield each standing."""
        return iter(self.made)


def result_of(
    check: CheckInfo, letter: str, *findings: Finding, waits_for: str = ""
) -> Result[CheckInfo]:
    """Return a result with the outcome of a letter: p, f, s, e, u."""
    return Result(check, Verdict(OUTCOMES[letter], findings), waits_for)


def mark_of(
    exercise: ExerciseInfo, letters: str, finding: Finding = WRONG, blocker: int = 0, /, **more: Any
) -> Mark:
    """Return a mark with an outcome for each check: p, f, s, e; without letters it is missing.

    A failure has the finding, and a check that is skipped waits for the one at `blocker`.
    """
    if not letters:
        return Mark(exercise, Outcome.MISSING)._replace(**more)
    findings = {"f": (finding,), "e": (CRASH,)}
    given = [
        result_of(
            check,
            letter,
            *findings.get(letter, ()),
            waits_for=exercise.checks[blocker].code if letter == "s" else "",
        )
        for check, letter in zip(exercise.checks, letters, strict=True)
    ]
    results = Results.of(exercise.checks, given)
    required = {each.outcome for each in results if not each.check.advisory}
    outcome = Outcome.PASS if required == {Outcome.PASS} else Outcome.FAIL
    graded = sum(each.score or 0 for each in results)
    made = Mark(exercise, outcome, graded, results)
    if "e" in letters:
        made = Mark(exercise, Outcome.ERROR, None, results)
    return made._replace(**more)
