"""Grades the mutants of one exercise: each must be refused, by the check that answers for it."""

from __future__ import annotations

import json
import os
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from pipeline.terminal.host import FixedHost
from verify.model import Outcome
from verify.selftest.course import HOST, MUTANTS, Defect, Excuse, matches, solutions_of
from verify.selftest.operators import OPERATORS, Scene, Target
from verify.selftest.overlay import Overlay, files_below

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pipeline.terminal.host import Version
    from verify.model import Exercise
    from verify.selftest.course import Course
    from verify.selftest.operators import Fault

TABLE = "verify/selftest/shipped.py"
_SOLVED = "solved"
_NAMED = 8  # survivors that are named


class Mutant(NamedTuple):
    """A solution with one fault. Without its exercise and solution, `name` is `short`."""

    name: str
    short: str
    path: str
    fault: Fault


class Run:
    """The mutants of one exercise, graded.

    `complete` is false if a solution does not pass. `killed` counts by the code of the check that
    a mutant shows to work.
    """

    def __init__(self, course: Course, exercise: Exercise) -> None:
        self.mutants = 0
        self.kills = 0
        self.complete = False
        self.killed: Counter[str] = Counter()
        self.excused: Counter[Excuse] = Counter()
        self.defects: list[Defect] = []
        self._course = course
        self._exercise = exercise
        self._refused: dict[Excuse, list[str]] = {}  # killed mutants that an excuse covers too
        self._survivors: list[str] = []

    def judge(self, mutant: Mutant, files: Mapping[str, bytes]) -> None:
        """Grade one mutant strictly, so that advisory checks count, and note what comes of it."""
        self.mutants += 1
        submission = Overlay("mutant", files, mutant.fault.files)
        host = FixedHost({**HOST, **mutant.fault.programs})
        report = self._course.grade(self._exercise, submission, host, strict=True)
        failed = [result.check.code for result in report.results if result.outcome is Outcome.FAIL]
        wanted = self._course.answering(self._exercise, mutant.name.partition(" ")[2])
        if report.crashed:
            codes = " and ".join(result.check.code for result in report.crashed)
            to_do = f"Fix {codes}: a check may fail, never raise."
            self._found(mutant, f"{codes} crashed", to_do)
        elif not failed:
            self._survived(mutant, wanted)
        elif not {*wanted} <= {*failed}:
            blind = " and ".join(code for code in wanted if code not in failed)
            what = f"refused by {' and '.join(failed)}; {blind} answers for it and does not fail"
            self._found(mutant, what, f"Fix {blind}, or its row in {TABLE}.")
        else:
            self.kills += 1
            self.killed.update(wanted if self._course.attributions else failed)
            for excuse in self._covering(mutant):
                self._refused.setdefault(excuse, []).append(mutant.name)

    def _survived(self, mutant: Mutant, wanted: list[str]) -> None:
        what = "every check passes"
        unread = mutant.fault.label.startswith(("file: ", "text: "))
        for excuse in self._covering(mutant)[:1]:
            self.excused[excuse] += 1
            return
        if self._course.attributions:
            codes = " and ".join(wanted) or "a check"
            to_do = f"Make {codes} refuse it, or say in {TABLE} why it is right."
            self._found(mutant, what, to_do)
        elif unread and mutant.path in self._exercise.paths:
            self._found(mutant, what, "Add a check that the artifact is there, and is JSON.")
        else:
            self._survivors.append(mutant.short)

    def _covering(self, mutant: Mutant) -> list[Excuse]:
        return [e for e in self._course.excuses if matches(e.pattern, mutant.name)]

    def _found(self, mutant: Mutant, what: str, to_do: str) -> None:
        self.defects.append(Defect(MUTANTS, mutant.name, what, to_do))

    def close(self) -> None:
        """Note which survivors nobody declared, what excuses too much, what kills nothing."""
        self.complete = True
        if self._survivors:
            names = list(dict.fromkeys(self._survivors))
            more = f"; and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
            about = f"No check of {self._exercise.name} asks about them"
            excuse = Excuse(
                f"{self._exercise.name} *", f"{about}: {'; '.join(names[:_NAMED])}{more}."
            )
            self.excused[excuse] += len(self._survivors)
        for excuse, names in self._refused.items():
            more = f", and {len(names) - 1} more that it covers" if names[1:] else ""
            what = f"this excuse is too wide: a check refuses {names[0]}{more}"
            to_do = "Narrow its pattern to the survivors, or write one for each."
            self.defects.append(Defect(MUTANTS, excuse.pattern, what, to_do))
        for check in self._exercise.checks:
            if not self.killed[check.code]:
                what = "no mutant of a solution is refused by this check"
                to_do = "Let solved/ hold what the check looks at, or fix the check."
                if self._course.attributions:
                    what = "no mutant shows that this check refuses what it answers for"
                    to_do = f"Say in {TABLE} which mutants it must refuse."
                self.defects.append(Defect(MUTANTS, check.code, what, to_do))


def mutation_run(course: Course, exercise: Exercise) -> Run:
    """Return what comes of every mutant of every solution of an exercise."""
    run = Run(course, exercise)
    for solution in solutions_of(course, exercise):
        files = files_below(os.path.join(course.folder_of(exercise), solution))
        targets = targets_of(course, exercise, files)
        if targets is None:
            return run  # a defect of the fixture, reported there: its mutants would prove nothing
        made: set[object] = set()
        for target in targets:
            scene = Scene(files, target)
            operators = (*OPERATORS[target.kind], *course.operators)
            for fault in (each for operator in operators for each in operator(scene)):
                change = (*fault.files.items(), *fault.programs.items())
                same = all(files.get(path) == data for path, data in fault.files.items())
                if change not in made and (fault.programs or not same):
                    made.add(change)
                    short = f"{target.name} {fault.label}"
                    name = f"{exercise.name} {solution}: {short}"
                    run.judge(Mutant(name, short, target.path, fault), files)
    run.close()
    return run


class _Noting(Overlay):
    """A submission that notes which files and folders are asked for."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        super().__init__(_SOLVED, files)
        self.asked: dict[str, str] = {}  # how each path was asked for last

    def read(self, path: str) -> bytes:
        self.asked[path] = "read"
        return super().read(path)

    def is_file(self, path: str) -> bool:
        self.asked.setdefault(path, "file")
        return super().is_file(path)

    def names(self, path: str) -> list[str]:
        self.asked.setdefault(path, "folder")
        return super().names(path)


class _NotingHost(FixedHost):
    """The machine of the fixtures; it notes which programs are asked for."""

    def __init__(self) -> None:
        super().__init__(HOST)
        self.programs: dict[str, None] = {}

    def version(self, program: str) -> Version | None:
        """Return the version of a program."""
        self.programs[program] = None
        return super().version(program)


def targets_of(
    course: Course, exercise: Exercise, files: Mapping[str, bytes]
) -> list[Target] | None:
    """Return what grading looks at in a solution; None if the solution does not pass."""
    submission, host = _Noting(files), _NotingHost()
    if not course.grade(exercise, submission, host, strict=True).passed:
        return None
    targets = [
        Target(path, _kind(files, path) if how == "read" else how)
        for path, how in submission.asked.items()
        if (how == "folder" and any(file.startswith(f"{path}/") for file in files)) or path in files
    ]
    return [*targets, *(Target(program, "program") for program in host.programs if program in HOST)]


def _kind(files: Mapping[str, bytes], path: str) -> str:
    try:
        json.loads(files[path].decode())
    except (ValueError, RecursionError):
        return "text"
    return "document"
