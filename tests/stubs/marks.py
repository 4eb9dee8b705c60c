"""Cohorts and marks for tests of what reads a gradebook: a mark from one letter a check."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from verify.gradebook.values import CheckMark, ExerciseInfo, FoundPlace, Mark, Standing

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from verify.gradebook.copies import Copies

OUTCOMES = {"p": "pass", "f": "fail", "s": "skip", "e": "error"}
CRASH = FoundPlace("the check E01.1 itself failed", "", "", "", "", 0, 0, "Report it.", "")


class FakeCohort(NamedTuple):
    """Standings that are given; they may be walked over again."""

    exercises: tuple[ExerciseInfo, ...]
    made: Sequence[Standing]
    has_roster: bool = True
    alike: Sequence[Copies] = ()

    def copies(self) -> Iterator[Copies]:
        """Yield who submitted the same."""
        return iter(self.alike)

    def standings(self) -> Iterator[Standing]:
        """Yield each standing."""
        return iter(self.made)


def mark_of(
    exercise: ExerciseInfo, letters: str, finding: FoundPlace, blocker: int = 0, /, **more: Any
) -> Mark:
    """Return a mark with an outcome for each check: p, f, s, e; without letters it is missing.

    A failure has the finding, and a check that is skipped waits for the one at `blocker`.
    """
    if not letters:
        return Mark(exercise, "", "missing", None)._replace(**more)
    findings = {"f": (finding,), "e": (CRASH,)}
    checks = tuple(
        CheckMark(
            check,
            OUTCOMES[letter],
            None if letter == "e" else check.points * (letter == "p"),
            waits_for=exercise.checks[blocker].code if letter == "s" else "",
            findings=findings.get(letter, ()),
        )
        for check, letter in zip(exercise.checks, letters, strict=True)
    )
    required = {each.outcome for each in checks if not each.check.advisory}
    outcome = "pass" if required == {"pass"} else "fail"
    graded = sum(each.score or 0 for each in checks)
    made = Mark(exercise, "", outcome, graded, checks)
    if "e" in letters:
        made = Mark(exercise, "", "error", None, checks)
    return made._replace(**more)
