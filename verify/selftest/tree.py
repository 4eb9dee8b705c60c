"""Proves that no file is stray: fixtures, tutorials and issues are those of the exercises."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from verify.attempt import Source
from verify.selftest.course import submissions_of
from verify.selftest.defects import FILES, Defect
from verify.selftest.fixtures import ENDING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verify.model import Exercise
    from verify.selftest.course import Course

_INDEX_PAGES = frozenset({"README.md", "index.md"})
_BESIDE_TUTORIALS = _INDEX_PAGES | {"verify.py", "outputs"}


def tree_defects(course: Course) -> list[Defect]:
    """Return the files of the checkout that belong to no exercise, and those that are missing."""
    return [
        *_fixture_folders(course),
        *(defect for exercise in course.exercises for defect in _submissions(course, exercise)),
        *_empty_folders(course),
        *_tutorials(course),
        *_issues(course),
        *_schemas(course),
    ]


def _fixture_folders(course: Course) -> Iterator[Defect]:
    wanted = {course.shown(course.folder_of(exercise)) for exercise in course.exercises}
    levels = {path.rpartition("/")[0] for path in wanted}
    found = {course.shown(os.path.join(course.submissions, n)) for n in _listed(course.submissions)}
    for level in sorted(levels & found):
        names = _listed(os.path.join(course.root, level))
        found |= {f"{level}/{name}" for name in names}
    for path in sorted(found - wanted - levels):
        yield _stray(path, "fixtures of an exercise")
    for path in sorted(wanted - found):
        yield _missing(path, "the exercise has no fixtures")


def _submissions(course: Course, exercise: Exercise) -> Iterator[Defect]:
    folder = course.folder_of(exercise)
    names = submissions_of(course, exercise)
    wanted = {*names, *(name + ENDING for name in names)}
    for name in sorted(set(_listed(folder)) - wanted):
        yield _stray(course.shown(os.path.join(folder, name)), "a submission or its expectation")
    for name in names:
        variant = name.startswith(("broken-", "solved-")) and name == name.lower()
        if not variant and name not in ("solved", "unsolved"):
            kinds = "solved, solved-…, unsolved or broken-…, in lower case"
            yield _stray(course.shown(os.path.join(folder, name)), kinds)
    for name in ("solved", "unsolved"):
        if names and name not in names:
            path = course.shown(os.path.join(folder, name))
            yield _missing(path, f"the exercise has no submission {name}")


def _empty_folders(course: Course) -> Iterator[Defect]:
    for path, folders, files in sorted(os.walk(course.submissions)):
        if not folders and not files:
            what = "the folder is empty: git does not keep it"
            yield Defect(FILES, course.shown(path), what, "Put a file into it, or remove it.")


def _tutorials(course: Course) -> Iterator[Defect]:
    for level in sorted({exercise.level for exercise in course.exercises}):
        pages = {os.path.basename(e.page) for e in course.exercises if e.level == level}
        folder = os.path.join(course.root, "docs", level, "tutorials")
        for name in sorted(set(_listed(folder)) - pages - _BESIDE_TUTORIALS):
            path = course.shown(os.path.join(folder, name))
            yield _stray(path, f"a tutorial, {', '.join(sorted(_BESIDE_TUTORIALS))}")


def _issues(course: Course) -> Iterator[Defect]:
    wanted = {f"{issue}.md" for issue in course.issues_in_use()}
    allowed = wanted | {f"{issue}.md" for issue in course.practice_issues}
    found = set(_listed(course.issues))
    for name in sorted(found - allowed):
        path = course.shown(os.path.join(course.issues, name))
        yield _stray(path, "the text of an issue that an exercise is about")
    for name in sorted(wanted - found):
        path = course.shown(os.path.join(course.issues, name))
        yield _missing(path, "an exercise is about this issue")


def _schemas(course: Course) -> Iterator[Defect]:
    """Yield the schemas that describe no artifact of an exercise."""
    if not course.schemas:
        return
    artifacts = [a for exercise in course.exercises for a in exercise.artifacts]
    own = [a.own for a in artifacts if isinstance(a, Source) and a.own]
    wanted = {f"{each.kind.name}.schema.json" for each in own}
    folder = os.path.join(course.root, course.schemas)
    for name in sorted(set(_listed(folder)) - wanted):
        path = course.shown(os.path.join(folder, name))
        yield _stray(path, "the schema of an artifact that an exercise declares")


def _stray(path: str, expected: str) -> Defect:
    return Defect(FILES, path, f"stray: not {expected}", "Remove it, or declare what it is for.")


def _missing(path: str, what: str) -> Defect:
    return Defect(FILES, path, f"missing: {what}", "Add it.")


def _listed(folder: str) -> list[str]:
    """Return a folder's names without what tools leave behind, none where it is missing."""
    try:
        names = os.listdir(folder)
    except FileNotFoundError:
        return []
    return [name for name in names if not name.startswith((".", "__pycache__"))]
