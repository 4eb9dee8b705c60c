"""Grades the mutants of one exercise: a check must fail for each, or an excuse explains it."""

from __future__ import annotations

import os
from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING

from pipeline.files import MISSING, Unreadable, read_file
from verify.grading.model import Outcome
from verify.selftest.course import HOST, TABLE, Defect, Excuse, crash_of, matches, submissions_of
from verify.selftest.fixtures import failed_by_broken
from verify.selftest.operators import OPERATORS, Target
from verify.submissions.files import MAX_FOLDER_ENTRIES
from verify.submissions.history.faults import BUNDLE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pipeline.terminal.programs import Version
    from verify.grading.model import Exercise
    from verify.selftest.course import ProvenCourse
    from verify.selftest.operators import Mutation
    from verify.submissions.history.history import History

_SHOWN = 8  # survivors that are named


class Overlay:
    """A submission in memory: files by their paths, some replaced, added or (None) removed.

    `looked_at` are the paths that were asked for, and as what: `document`, `file` or `folder`.
    """

    def __init__(
        self, root: str, files: Mapping[str, bytes], changes: Mapping[str, bytes | None] = {}
    ) -> None:
        self.root = root
        self.looked_at: dict[str, str] = {}
        self._files = {path: d for path, d in {**files, **changes}.items() if d is not None}

    def read(self, path: str) -> bytes:
        """Return the bytes at a path; raises `Unreadable`."""
        self.looked_at[path] = "document"
        if path not in self._files:
            raise Unreadable(MISSING, "does not exist")
        return self._files[path]

    def is_file(self, path: str) -> bool:
        """Return whether there is a file at the path."""
        self.looked_at.setdefault(path, "file")
        return path in self._files

    def names(self, path: str) -> list[str]:
        """Return the sorted names in a folder, not too many; raises `Unreadable`."""
        self.looked_at.setdefault(path, "folder")
        below = f"{path}/" if path else ""
        inside = [file[len(below) :] for file in self._files if file.startswith(below)]
        if not inside:
            raise Unreadable(MISSING, "does not exist")
        return sorted({name.partition("/")[0] for name in inside})[:MAX_FOLDER_ENTRIES]

    def history(self) -> History | None:
        """Return the history of the bundle among the files; raises `Unreadable`."""
        return _opened(self.read(BUNDLE)) if self.is_file(BUNDLE) else None


@lru_cache(maxsize=8)  # mutants have the history of their solution
def _opened(data: bytes) -> History:
    from verify.submissions.history.history import of_bundle  # few exercises ask a history

    return of_bundle(data)


def files_below(folder: str) -> dict[str, bytes]:
    """Return every file below a folder by its POSIX path relative to it, in sorted order."""
    paths = sorted(os.path.join(path, name) for path, _, names in os.walk(folder) for name in names)
    return {os.path.relpath(path, folder).replace(os.sep, "/"): read_file(path) for path in paths}


class MutationRun:
    """The mutants of one exercise, graded; `complete` is false if a solution does not pass."""

    def __init__(self, course: ProvenCourse, exercise: Exercise) -> None:
        self.mutants = self.kills = 0
        self.complete = False
        self.excused: Counter[Excuse] = Counter()
        self.defects: list[Defect] = []
        self._refusing: set[str] = set()  # codes of checks that refused a mutant
        self._course = course
        self._exercise = exercise
        self._refused: dict[Excuse, list[str]] = {}  # killed mutants that an excuse covers too
        self._survivors: dict[str, int] = {}

    def judge(self, solution: str, target: Target, fault: Mutation) -> None:
        """Grade one mutant strictly, so that advisory checks count, and record the result."""
        self.mutants += 1
        change = f"{target.name} {fault.label}"
        name = f"{self._exercise.name} {solution}: {change}"
        submission = Overlay("mutant", target.files, fault.files)
        version_of = {**HOST, **fault.programs}.get
        report = self._course.grade(self._exercise, submission, version_of, strict=True)
        failed = [result.check.code for result in report.results if result.outcome is Outcome.FAIL]
        excuses = [e for e in self._course.excuses if matches(e.pattern, name)]
        if report.crashed:
            first = report.crashed[0]
            to_do = f"Fix {first.check.code}: a check may fail, but must not raise an exception."
            self._add(name, crash_of(first), to_do)
        elif failed:
            self.kills += 1
            self._refusing.update(failed)
            for excuse in excuses:
                self._refused.setdefault(excuse, []).append(name)
        elif excuses:
            self.excused[excuses[0]] += 1
        elif self._course.excuses:
            to_do = f"Make a check catch the fault, or explain in {TABLE} why it is acceptable."
            self._add(name, "every check passes", to_do)
        elif target.path in self._exercise.paths and fault.label.startswith(
            ("file: ", "text: ") if target.kind == "document" else "file: "
        ):
            to_do = "Add a check that the artifact exists and is valid JSON."
            self._add(name, "every check passes", to_do)
        else:
            self._survivors[change] = self._survivors.get(change, 0) + 1

    def _add(self, where: str, what: str, to_do: str) -> None:
        self.defects.append(Defect("mutants", where, what, to_do))

    def close(self) -> None:
        """Note survivors without an excuse, excuses that are too wide, checks that kill nothing."""
        self.complete = True
        if self._survivors:
            names = list(self._survivors)
            more = f"; and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
            name = self._exercise.name
            reason = f"No check of {name} catches them: {'; '.join(names[:_SHOWN])}{more}."
            self.excused[Excuse(f"{name} *", reason)] += sum(self._survivors.values())
        for excuse, names in self._refused.items():
            more = f", and {len(names) - 1} more that the excuse covers" if names[1:] else ""
            what = f"this excuse is too broad: a check catches {names[0]}{more}"
            to_do = "Narrow its pattern to the survivors, or write one pattern for each."
            self._add(excuse.pattern, what, to_do)
        codes = [check.code for check in self._exercise.checks]
        if idle := [code for code in codes if code not in self._refusing]:
            by_fixtures = failed_by_broken(self._course, self._exercise)
            what = "this check catches no mutant of a solution, and no broken-… submission fails it"
            to_do = "Add what it looks at to solved/, or a broken-… submission, or fix the check."
            for code in idle:
                if code not in by_fixtures:
                    self._add(code, what, to_do)


def mutation_run(course: ProvenCourse, exercise: Exercise) -> MutationRun:
    """Return the results of all mutants of all solutions of an exercise."""
    run = MutationRun(course, exercise)
    names = submissions_of(course, exercise)
    for solution in (name for name in names if name.partition("-")[0] == "solved"):
        files = files_below(os.path.join(course.folder_of(exercise), solution))
        targets = targets_of(course, exercise, files)
        if targets is None:
            return run  # a defect of the fixture, reported there: its mutants would prove nothing
        made: set[object] = set()
        operators = {kind: (*generic, *course.operators) for kind, generic in OPERATORS.items()}
        faults = (
            (target, f) for target in targets for o in operators[target.kind] for f in o(target)
        )
        for target, fault in faults:  # each change once, and none that changes nothing
            change = (*fault.files.items(), *fault.programs.items())
            same = all(files.get(path) == data for path, data in fault.files.items())
            if change not in made and (fault.programs or not same):
                made.add(change)
                run.judge(solution, target, fault)
    run.close()
    return run


def targets_of(
    course: ProvenCourse, exercise: Exercise, files: Mapping[str, bytes]
) -> list[Target] | None:
    """Return what grading looks at in a solution; None if the solution does not pass."""
    seen, programs = Overlay("solved", files), dict[str, None]()

    def version_of(program: str) -> Version | None:
        programs[program] = None
        return HOST.get(program)

    if not course.grade(exercise, seen, version_of, strict=True).passed:
        return None
    targets = [
        Target(path, how if how != "document" or path.endswith(".json") else "text", files)
        for path, how in seen.looked_at.items()
        if path in files or (how == "folder" and any(f.startswith(f"{path}/") for f in files))
    ]
    return [*targets, *(Target(name, "program", files) for name in programs if name in HOST)]
