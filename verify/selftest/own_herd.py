"""Grades the mutants of an instructor's own exercise: each refused by some check, if one asks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from verify.selftest.course import HOST
from verify.selftest.defects import MUTANTS, Defect
from verify.selftest.excuses import Excuse
from verify.selftest.herd import Herd
from verify.selftest.overlay import Overlay
from verify.selftest.subjects import JSON, THERE
from verify.verdicts import Outcome

if TYPE_CHECKING:
    from collections.abc import Mapping

    from verify.model import Exercise
    from verify.selftest.course import Course
    from verify.selftest.mutants import Mutant

_NAMED = 8  # survivors that are named


class OwnHerd(Herd):
    """The mutants of an exercise of which no table says which check answers for which fault.

    A check has killed every mutant that it refuses. A mutant that no check refuses is counted, and
    no defect, unless an artifact of the exercise is gone or is not JSON.
    """

    def __init__(self, course: Course, exercise: Exercise) -> None:
        super().__init__(course, exercise)
        self._kills = 0
        self._survivors: list[str] = []

    @property
    def kills(self) -> int:
        """Return how many mutants were killed, by one check or by several."""
        return self._kills

    def judge(self, mutant: Mutant, solution: Mapping[str, bytes]) -> None:
        """Grade one mutant strictly and note what came of it."""
        self.mutants += 1
        submission = Overlay("mutant", solution, mutant.files)
        report = self._course.grade(
            self._exercise, submission, {**HOST, **mutant.programs}, strict=True
        )
        failed = [r.check.code for r in report.results if r.outcome is Outcome.FAIL]
        if report.crashed:
            self._crashed(mutant, report)
        elif failed:
            self._kills += 1
            self.killed.update(failed)
        elif mutant.concern in (THERE, JSON) and mutant.files.keys() & {*self._exercise.paths}:
            what = f"the fault is about {mutant.concern}, and every check passes"
            self._found(mutant, what, "Add a check that the artifact is there, and is JSON.")
        else:
            self._survivors.append(mutant.name.partition(": ")[2])

    def close(self) -> None:
        """Note that all mutants were graded, which of them survived, what killed none."""
        self.complete = True
        if self._survivors:
            self.excused[self._excuse()] += len(self._survivors)
        for check in self._exercise.checks:
            if not self.killed[check.code]:
                what = "no mutant of a solution is refused by this check"
                to_do = "Let solved/ hold what the check looks at, or mend the check."
                self.defects.append(Defect(MUTANTS, check.code, what, to_do))

    def _excuse(self) -> Excuse:
        names = list(dict.fromkeys(self._survivors))
        more = f"; and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
        asked = "; ".join(names[:_NAMED])
        reason = f"No check of {self._exercise.name} asks about them: {asked}{more}."
        return Excuse(f"{self._exercise.name} *", reason)
