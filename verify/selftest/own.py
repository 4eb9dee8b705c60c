"""An instructor's own course as the self-test looks at it: what to change is seen by grading."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

from pipeline.host import FixedHost
from pipeline.issues import read_issue
from verify import catalog
from verify.attempt import Attempt
from verify.runner import grade
from verify.selftest.course import HOST, Course
from verify.selftest.overlay import Overlay, files_below
from verify.selftest.subjects import Subject

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pipeline.host import Version
    from verify.model import Exercise


def own_course(folder: str, selection: Sequence[tuple[str, str]] = ()) -> Course:
    """Return the course in a folder, with those of its exercises to prove that are selected.

    No table says what its mutants are made of: they are made of whatever grading looks at in the
    solution of an exercise, files, folders and programs.

    Raises:
        UnknownExercise: a selection names none.
        UnusableCourse: the folder holds no course, or a damaged one.
    """
    chosen = [catalog.find(level, number, folder).name for level, number in selection]
    levels = catalog.levels(folder)
    exercises = tuple(e for level in levels for e in catalog.level(level, folder))
    checks = [check for exercise in exercises for check in exercise.checks]
    course = Course(
        root=os.path.realpath(folder),
        exercises=exercises,
        subjects={},
        without_example={check.code: "left out" for check in checks if not check.example},
        only=frozenset(chosen),
        attributed=False,
        fixtures="fixtures",
        texts="issues",
        schemas="artifacts",
    )
    subjects = {exercise.name: tuple(_subjects(course, exercise)) for exercise in exercises}
    return Course(**{**vars(course), "subjects": subjects})


class _Noting(Overlay):
    """A submission that notes which files and folders were asked for."""

    def __init__(self, files: dict[str, bytes]) -> None:
        super().__init__("solved", files)
        self.read_paths: dict[str, None] = {}
        self.folders: dict[str, None] = {}

    def read(self, path: str) -> bytes:
        self.read_paths[path] = None
        return super().read(path)

    def names(self, path: str) -> list[str]:
        self.folders[path] = None
        return super().names(path)


class _NotingHost(FixedHost):
    """The machine of the fixtures; it notes which programs were asked for."""

    def __init__(self) -> None:
        super().__init__(HOST)
        self.programs: dict[str, None] = {}

    def version(self, program: str) -> Version | None:
        """Return the version of a program."""
        self.programs[program] = None
        return super().version(program)


def _subjects(course: Course, exercise: Exercise) -> Iterator[Subject]:
    files = files_below(os.path.join(course.folder_of(exercise), "solved"))
    door, host = _Noting(files), _NotingHost()
    issue = read_issue(course.issues, exercise.issue) if exercise.issue else None
    grade(Attempt(exercise, door, issue, host), strict=True)
    for path in door.read_paths:
        if path in files:
            kind = "document" if _is_json(files[path]) else "text"
            yield Subject(path, kind, {})
    for path in door.folders:
        if any(file.startswith(f"{path}/") for file in files):
            yield Subject(path, "folder", {})
    for program in host.programs:
        if program in HOST:
            yield Subject(program, "program", {})


def _is_json(data: bytes) -> bool:
    try:
        json.loads(data)
    except (ValueError, RecursionError):
        return False
    return True
