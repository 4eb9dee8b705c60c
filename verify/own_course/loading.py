"""Loads a course from its folder: levels, exercises in order, and what contradicts itself."""

from __future__ import annotations

import os
import re
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

from pipeline.protocol.issue import MalformedIssue, read_issue
from pipeline.terminal.display import listed, quoted, visible
from verify.model import Exercise
from verify.own_course.faults import CourseFault, fault_at, fault_of_code
from verify.own_course.modules import package_of

if TYPE_CHECKING:
    from collections.abc import Mapping

EXERCISES, ISSUES, FIXTURES = "exercises", "issues", "fixtures"
_LEVEL = re.compile(r"[a-z][a-z0-9-]*")
_FILE = re.compile(r"ex([0-9]{2})_([a-z0-9]+(?:_[a-z0-9]+)*)\.py")
_ALMOST = re.compile(r"ex_?[0-9].*\.py", re.IGNORECASE)
_NUMBERS = re.compile(r"([0-9]+)")


class OwnCourse(NamedTuple):
    """A course in the folder `root`: its exercises by level, levels and exercises in order."""

    root: str
    exercises: Mapping[str, tuple[Exercise, ...]]

    @property
    def levels(self) -> tuple[str, ...]:
        """Return the names of the levels, in order."""
        return tuple(self.exercises)

    @property
    def issues(self) -> str:
        """Return the folder of the issues' texts."""
        return os.path.join(self.root, ISSUES)


@cache
def load(root: str) -> OwnCourse:
    """Return the course in a folder, once in a process; `root` is an absolute path.

    The course's Python files are run: they are the instructor's, and trusted as this program is.
    Levels are in the order of their names, numbers in them compared as numbers.

    Raises:
        CourseFault: what is wrong with it, the first thing in order, in one line.
    """
    folder = os.path.join(root, EXERCISES)
    levels = sorted((name for name in _folders(folder)), key=_natural)
    exercises: dict[str, tuple[Exercise, ...]] = {}
    seen: dict[str, str] = {}
    for level in levels:
        if not _LEVEL.fullmatch(level):
            expected = "lower-case letters, digits and -, a letter first"
            raise fault_at(os.path.join(folder, level), f"no name of a level (expected {expected})")
        own = _level(root, level)
        for exercise in own:
            _refuse_repeated(exercise, seen, root)
            _refuse_wrong_issue(exercise, root)
        if own:
            exercises[level] = own
    if not exercises:
        raise fault_at(folder, "no exercise (expected <level>/ex01_name.py)")
    return OwnCourse(root, exercises)


def _folders(folder: str) -> list[str]:
    try:
        with os.scandir(folder) as entries:
            names = [entry.name for entry in entries if entry.is_dir()]
    except OSError as error:
        what = (error.strerror or "cannot be read").lower()
        raise fault_at(folder, f"{what} (expected the levels of a course)") from None
    return [name for name in names if not name.startswith((".", "_"))]


def _natural(name: str) -> list[tuple[int, str]]:
    """Return what sorts week-10 after week-9."""
    parts = _NUMBERS.split(name)
    return [(int(part), "") if part.isdigit() else (0, part) for part in parts]


def _level(root: str, level: str) -> tuple[Exercise, ...]:
    folder = os.path.join(root, EXERCISES, level)
    exercises = []
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name)
        match = _FILE.fullmatch(name)
        if match:
            exercises.append(_exercise(root, level, name, (int(match[1]), match[2])))
        elif _ALMOST.fullmatch(name):
            raise fault_at(path, "no name of an exercise (expected ex01_name.py)")
    return tuple(exercises)


def _exercise(root: str, level: str, name: str, numbered: tuple[int, str]) -> Exercise:
    path = os.path.join(root, EXERCISES, level, name)
    module = f"{package_of(root)}.{EXERCISES}.{level}.{name.removesuffix('.py')}"
    try:
        found = getattr(import_module(module), "EXERCISE", None)
    except CourseFault:
        raise
    except (Exception, SystemExit) as error:  # noqa: BLE001  # whatever a file of the course raises is told in one line
        raise fault_of_code(error, root, path) from None
    if not isinstance(found, Exercise):
        raise fault_at(path, "no exercise is declared (expected EXERCISE = Exercise(…))")
    said = {"level": found.level, "number": found.number, "slug": found.slug}
    due = {"level": level, "number": numbered[0], "slug": numbered[1].replace("_", "-")}
    for field, value in due.items():
        if said[field] != value:
            what = (
                f"{field} is {quoted(said[field])} (expected {quoted(value)}, as the file's path)"
            )
            raise fault_at(path, what)
    return found


def _refuse_repeated(exercise: Exercise, seen: dict[str, str], root: str) -> None:
    """Refuse codes that another exercise has: levels with one initial share their numbers."""
    other = seen.setdefault(exercise.code, exercise.name)
    if other != exercise.name or exercise.number < 1:
        what = (
            f"{exercise.name} and {other} have the codes {exercise.code}.…: number it otherwise, "
            "or name a level with another initial (levels with one initial share their numbers, "
            "which begin with 01)"
        )
        raise fault_at(os.path.join(root, EXERCISES, exercise.level), what)


def _refuse_wrong_issue(exercise: Exercise, root: str) -> None:
    """Refuse an exercise whose issue has no text where its criteria are asked for."""
    folder = os.path.join(root, ISSUES)
    if exercise.issue is None:
        return
    try:
        issue = read_issue(folder, exercise.issue)
    except MalformedIssue as error:
        raise CourseFault(visible(str(error), 500)) from None
    if issue is None:
        raise fault_at(folder, f"{exercise.name} is about {listed([exercise.issue])}: no such text")
