"""Grades the mutants of one exercise: each must be refused by the check that it is about."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from verify.selftest.course import HOST
from verify.selftest.defects import MUTANTS, Defect
from verify.selftest.overlay import Overlay
from verify.verdicts import Outcome

if TYPE_CHECKING:
    from collections.abc import Mapping

    from verify.model import Exercise, Report
    from verify.selftest.course import Course
    from verify.selftest.excuses import Excuse
    from verify.selftest.mutants import Mutant

TABLE = "verify/selftest/concerns.py"
_EXCUSES = "verify/selftest/excuses.py"


class Herd:
    """The mutants of one exercise, graded: how many, how many each check killed, what is wrong."""

    def __init__(self, course: Course, exercise: Exercise) -> None:
        self.mutants = 0
        self.complete = False
        self.killed: Counter[str] = Counter()
        self.excused: Counter[Excuse] = Counter()
        self.refused: dict[Excuse, list[str]] = {}  # killed mutants that an excuse covers too
        self.defects: list[Defect] = []
        self._course = course
        self._exercise = exercise

    @property
    def kills(self) -> int:
        """Return how many mutants were killed."""
        return self.killed.total()

    def judge(self, mutant: Mutant, solution: Mapping[str, bytes]) -> None:
        """Grade one mutant strictly, so that advisory checks count, and note what came of it."""
        self.mutants += 1
        submission = Overlay("mutant", solution, mutant.files)
        host = {**HOST, **mutant.programs}
        report = self._course.grade(self._exercise, submission, host, strict=True)
        if report.crashed:
            self._crashed(mutant, report)
        elif mutant.check in _codes(report, Outcome.FAIL):
            self._killed(mutant)
        elif report.passed:
            self._survived(mutant)
        else:
            self._misattributed(mutant, report)

    def _killed(self, mutant: Mutant) -> None:
        self.killed[mutant.check] += 1
        for excuse in self._covering(mutant):
            self.refused.setdefault(excuse, []).append(mutant.name)

    def _covering(self, mutant: Mutant) -> list[Excuse]:
        return [excuse for excuse in self._course.excuses if excuse.covers(mutant.name)]

    def _survived(self, mutant: Mutant) -> None:
        excuses = self._covering(mutant)
        if excuses:
            self.excused[excuses[0]] += 1
            return
        about = f"the fault is about {mutant.concern}"
        if mutant.check:
            what = f"{about}, which is {mutant.check}'s, and every check passes"
            to_do = f"Make {mutant.check} refuse it, or say in {_EXCUSES} why it is right."
        else:
            what = f"{about}, for which the exercise names no check, and every check passes"
            to_do = f"Add a check and name it in {TABLE}, or say in {_EXCUSES} why it is right."
        self._found(mutant, what, to_do)

    def _misattributed(self, mutant: Mutant, report: Report) -> None:
        refused = " and ".join(_codes(report, Outcome.FAIL))
        asked = f"{mutant.check} does not fail" if mutant.check else "the exercise names no check"
        what = f"refused by {refused}, but the fault is about {mutant.concern} and {asked}"
        self._found(mutant, what, f"Mend the check that answers for it, or {TABLE}.")

    def _crashed(self, mutant: Mutant, report: Report) -> None:
        codes = " and ".join(result.check.code for result in report.crashed)
        self._found(mutant, f"{codes} crashed", f"Mend {codes}: a check may fail, never raise.")

    def _found(self, mutant: Mutant, what: str, to_do: str) -> None:
        self.defects.append(Defect(MUTANTS, mutant.name, what, to_do))

    def close(self) -> None:
        """Note that all mutants were graded, what killed none, what excuses too much."""
        self.complete = True
        for excuse, names in self.refused.items():
            more = f", and {len(names) - 1} more that it covers" if names[1:] else ""
            what = f"this excuse is too wide: a check refuses {names[0]}{more}"
            to_do = "Narrow its pattern to the survivors, or write one for each."
            self.defects.append(Defect(MUTANTS, excuse.pattern, what, to_do))
        for check in self._exercise.checks:
            if not self.killed[check.code]:
                what = "no mutant of a solution is killed by this check"
                to_do = f"Give it a concern in {TABLE}, and the concern an operator."
                self.defects.append(Defect(MUTANTS, check.code, what, to_do))


def _codes(report: Report, outcome: Outcome) -> list[str]:
    return [result.check.code for result in report.results if result.outcome is outcome]
