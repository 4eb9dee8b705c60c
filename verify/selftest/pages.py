"""Proves the checkout: hints and anchors for every check, no stray file and no missing one."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from pipeline.files import MAX_BYTES, MISSING, Unreadable, read_file
from verify.artifacts import ArtifactRef
from verify.selftest.course import FILES, HINTS, TUTORIALS, Defect, submissions_of
from verify.selftest.fixtures import ENDING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verify.model import Exercise
    from verify.selftest.course import Course

_INDEX_PAGES = frozenset({"README.md", "index.md"})
_BESIDE_TUTORIALS = _INDEX_PAGES | {"verify.py", "outputs"}
_ANCHOR = re.compile(r'<a id="([^"]*)">')
_TABLE = "verify/selftest/shipped.py"


def hint_defects(course: Course, exercise: Exercise) -> Iterator[Defect]:
    """Yield the checks whose hints say nothing, and those that are wrongly said to have none."""
    for check in exercise.checks:
        for name, text in (("look", check.look), ("hint", check.hint)):
            if not text.strip():
                what = f"the check has no {name}"
                yield Defect(HINTS, check.code, what, f"Give it `{name}` in its declaration.")
        if not check.example and check.code not in course.without_example:
            to_do = f"Give it `example` in its declaration, or say in {_TABLE} why it has none."
            yield Defect(HINTS, check.code, "the check shows no example", to_do)
    exampled = {check.code: check.example for check in exercise.checks}
    for code in course.without_example:
        if code.startswith(f"{exercise.code}.") and exampled.get(code, code):
            what = f"{_TABLE} says why {code} shows no example, and it "
            what += "shows one" if code in exampled else f"is no check of {exercise.name}"
            yield Defect(HINTS, code, what, f"Take it out of {_TABLE}.")


def page_defects(course: Course, exercise: Exercise) -> Iterator[Defect]:
    """Yield what is wrong with the tutorial of an exercise: missing, or its anchors."""
    page = exercise.checks_page or exercise.page
    text = ""
    for path in dict.fromkeys((exercise.page, page)):
        text, wrong, to_do = _text(os.path.join(course.root, path))
        if wrong:
            yield Defect(TUTORIALS, path, f"the tutorial of {exercise.name} {wrong}", to_do)
            return
    yield from _anchor_defects(exercise, page, _ANCHOR.findall(text))


def _text(path: str) -> tuple[str, str, str]:
    """Return the text of a page, or what is wrong with it and what to do."""
    try:
        return read_file(path, MAX_BYTES).decode(), "", ""
    except Unreadable as error:
        return "", "is missing" if error.reason == MISSING else str(error), "Write it."
    except UnicodeDecodeError:
        return "", "is not UTF-8", "Save it as UTF-8."


def _anchor_defects(exercise: Exercise, page: str, anchors: list[str]) -> Iterator[Defect]:
    wanted = [check.anchor for check in exercise.checks]
    if exercise.checks_page:  # a page of the whole level
        anchors = [each for each in anchors if each.startswith(f"{exercise.code.lower()}-")]
    for check, anchor in zip(exercise.checks, wanted, strict=True):
        if anchors.count(anchor) != 1:
            what = f"{check.code} has {anchors.count(anchor) or 'no'} anchors in its tutorial"
            to_do = f'Write <a id="{anchor}"></a> once, where the page explains the check.'
            yield Defect(TUTORIALS, page, what, to_do)
    for anchor in dict.fromkeys(anchors):
        if anchor not in wanted:
            what = f"the anchor {anchor!r} belongs to no check of {exercise.name}"
            yield Defect(TUTORIALS, page, what, "Remove it, or spell the check's code.")


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
    own = [a.own for a in artifacts if isinstance(a, ArtifactRef) and a.own]
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
