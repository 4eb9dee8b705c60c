"""A course in a folder of an instructor's: made from the template, and loaded in order."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import sys
import traceback
from dataclasses import replace
from functools import cache
from importlib import import_module, invalidate_caches
from types import ModuleType

from pipeline.files import is_inside
from pipeline.protocol.issue import MalformedIssue, read_issue
from pipeline.terminal.display import quoted, raised_text, visible
from pipeline.terminal.fault import Fault
from verify.grading.model import COURSE_PACKAGE, Check, Exercise

TEMPLATE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "template")
EXERCISES = "exercises"
_LEVEL = re.compile(r"[a-z][a-z0-9-]*")
_FILE = re.compile(r"ex(0[1-9]|[1-9][0-9])_([a-z0-9]+(?:_[a-z0-9]+)*)\.py")
_ALMOST = re.compile(r"ex_?[0-9].*\.py", re.IGNORECASE)
_NUMBERS = re.compile(r"([0-9]+)")
_TEXTS = ("title", "look_at", "hint", "why", "example")  # of a check
_SHOWN = 300  # characters of what an exception says


class CourseFault(Fault):
    """A course that cannot be loaded; the message is one line: where, and what is wrong."""


def fault_at(path: str, what: str, line: int = 0) -> CourseFault:
    """Return the fault of a file or folder of the course."""
    spot = f":{line}" if line else ""
    return CourseFault(f"{visible(path, _SHOWN)}{spot}: {what}")


@cache
def load(root: str) -> dict[str, tuple[Exercise, ...]]:
    """Return the exercises of the course in a folder by level, read once; raises CourseFault.

    `root` is an absolute path. The course's Python files are run: they are the instructor's, and
    trusted as this program is. Levels are in the order of their names, numbers in them compared as
    numbers; exercises are in the order of theirs.
    """
    folder = os.path.join(root, EXERCISES)
    try:
        with os.scandir(folder) as entries:
            names = [e.name for e in entries if e.is_dir() and not e.name.startswith((".", "_"))]
    except OSError as error:
        what = (error.strerror or "cannot be read").lower()
        raise fault_at(folder, f"{what} (expected a folder with the levels of a course)") from None
    exercises: dict[str, tuple[Exercise, ...]] = {}
    seen: dict[str, str] = {}
    for level in sorted(names, key=_natural):
        if not _LEVEL.fullmatch(level):
            expected = "lower-case letters, digits and -, starting with a letter"
            what = f"not a valid level name (expected {expected})"
            raise fault_at(os.path.join(folder, level), what)
        found = _level(root, level)
        for exercise in found:
            _refuse_repeated(exercise, seen, root)
            _refuse_wrong_issue(exercise, root)
        if found:
            exercises[level] = found
    if not exercises:
        raise fault_at(folder, "there are no exercises (expected <level>/ex01_name.py)")
    return exercises


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
            raise fault_at(path, "not a valid name for an exercise file (expected ex01_name.py)")
    return tuple(exercises)


def _exercise(root: str, level: str, name: str, numbered: tuple[int, str]) -> Exercise:
    path = os.path.join(root, EXERCISES, level, name)
    try:
        found = getattr(_imported(root, level, name.removesuffix(".py")), "EXERCISE", None)
    except CourseFault:
        raise
    except (Exception, SystemExit) as error:  # noqa: BLE001  # any fault in a file of the course is one line
        raise _fault_of_code(error, root, path) from None
    if not isinstance(found, Exercise):
        raise fault_at(path, "no exercise is declared (expected EXERCISE = Exercise(…))")
    due = {"level": level, "number": numbered[0], "slug": numbered[1].replace("_", "-")}
    for field, value in due.items():
        declared = getattr(found, field)
        if declared != value:
            what = (
                f"{field} is {quoted(declared)} (expected {quoted(value)}, as in the file's path)"
            )
            raise fault_at(path, what)
    texts: list[tuple[Exercise | Check, str]] = [(found, "title")]
    texts += [(check, field) for check in found.checks for field in _TEXTS]
    for part, attribute in texts:
        text: object = getattr(part, attribute)
        if not isinstance(text, str):
            what = f"{attribute} of {part.code} is {quoted(text)} (expected a text)"
            raise fault_at(path, what)
    return replace(found, checks_page=found.page)


def _imported(root: str, level: str, name: str) -> ModuleType:
    """Return a module of the course. It may import the course's other files by relative imports.

    The course's folder is a package whose name no other course has, the same in any process, and
    `sys.path` stays as it is. No bytecode is left in the course.
    """
    package = COURSE_PACKAGE + hashlib.sha256(os.fsencode(root)).hexdigest()[:16]
    if package not in sys.modules:
        sys.modules[package] = ModuleType(package)
        sys.modules[package].__path__ = [root]
    was, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    try:
        invalidate_caches()
        return import_module(f"{package}.{EXERCISES}.{level}.{name}")
    finally:
        sys.dont_write_bytecode = was


def _refuse_repeated(exercise: Exercise, seen: dict[str, str], root: str) -> None:
    """Refuse codes of a different exercise: levels with the same initial share their numbers."""
    holder = seen.setdefault(exercise.code, exercise.name)
    if holder != exercise.name:
        shared = f"the codes of {exercise.name} and {holder} both begin with {exercise.code}"
        step = "give one of them a different number, or a level with a different first letter"
        raise fault_at(os.path.join(root, EXERCISES, exercise.level), f"{shared}: {step}")


def _refuse_wrong_issue(exercise: Exercise, root: str) -> None:
    """Refuse an exercise whose issue has no text."""
    folder = os.path.join(root, "issues")
    if exercise.issue is None:
        return
    try:
        issue = read_issue(folder, exercise.issue)
    except MalformedIssue as error:
        raise CourseFault(visible(str(error), 500)) from None
    if issue is None:
        what = f"there is no text for {visible(exercise.issue)}, the issue of {exercise.name}"
        raise fault_at(folder, f"{what} (expected {visible(exercise.issue)}.md)")


def _fault_of_code(error: BaseException, root: str, path: str) -> CourseFault:
    """Return the fault of a Python file that raised, at the last line within the course."""
    if isinstance(error, SyntaxError) and is_inside(error.filename or "", root):
        what = f"this is not valid Python: {visible(error.msg, _SHOWN)}"
        return fault_at(error.filename or path, what, error.lineno or 0)
    frames = traceback.extract_tb(error.__traceback__)
    inside = [frame for frame in frames if is_inside(frame.filename, root)]
    place = (inside[-1].filename, inside[-1].lineno or 0) if inside else (path, 0)
    return fault_at(place[0], raised_text(error, _SHOWN), place[1])


def make_course(folder: str) -> int:
    """Write the files of the template into a new or empty folder, and return how many."""
    skipped = shutil.ignore_patterns("__pycache__")
    try:
        if os.path.lexists(folder) and os.listdir(folder):
            raise fault_at(folder, "this folder is not empty (expected a new or empty folder)")
        shutil.copytree(
            TEMPLATE, folder, ignore=skipped, copy_function=shutil.copyfile, dirs_exist_ok=True
        )
    except OSError as error:
        what = (error.strerror or "cannot be written").lower()
        raise fault_at(folder, f"cannot create a course here: {what}") from None
    return sum(len(files) for _, _, files in os.walk(folder))
