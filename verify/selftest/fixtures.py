"""Proves what a checkout has beside the code: fixtures, hints, tutorials, no stray file."""

from __future__ import annotations

import difflib
import json
import os
import re
from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from pipeline.files import MAX_BYTES, Unreadable, read_file, write_whole
from pipeline.terminal.host import FixedHost
from verify.artifacts import ArtifactRef
from verify.model import Outcome
from verify.selftest.course import FILES, FIXTURES, HINTS, OLDEST, TUTORIALS, Defect, submissions_of
from verify.submission import open_folder

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from verify.model import Exercise, Finding, Report
    from verify.selftest.course import Course

ENDING = ".expected.json"
_BESIDE_TUTORIALS = ("README.md", "index.md", "outputs", "verify.py")
_ANCHOR = re.compile(r'<a id="([^"]*)">')


def fixture_defects(course: Course, exercise: Exercise) -> Iterator[Defect]:
    """Yield what is wrong with the fixtures of an exercise."""
    failed: set[str] = set()
    folder = course.folder_of(exercise)
    for name in submissions_of(course, exercise):
        path = os.path.join(folder, name)
        report = graded(course, exercise, path)
        lines = _difference(course, path, report)[1]
        changed = [" ".join(each.split()) for each in lines[2:] if each[:1] in ("+", "-")]
        if changed:
            what = f"not graded as expected: {'; '.join(changed)}"
            to_do = "Fix the check, or run this again with --update to write the expectation."
            yield Defect(FIXTURES, course.shown(path), what, to_do)
        yield from _broken_promises(course.shown(path), name, report)
        failed |= _codes(report, Outcome.FAIL)
    what = f"no submission in {course.shown(folder)} fails this check"
    to_do = "Add a submission broken-… that fails it, with its expectation."
    codes = (check.code for check in exercise.checks if check.code not in failed)
    yield from (Defect(FIXTURES, code, what, to_do) for code in codes)


def updated(course: Course, exercise: Exercise) -> Iterator[str]:
    """Write beside each submission what grading finds; yield how each changed file differs.

    A submission on which a check crashes keeps the expectation that it has.

    Raises:
        OSError: a file cannot be written.
    """
    for name in submissions_of(course, exercise):
        path = os.path.join(course.folder_of(exercise), name)
        report = graded(course, exercise, path)
        text, lines = _difference(course, path, report)
        if lines and not report.crashed:
            write_whole(path + ENDING, text.encode())
            yield "\n".join(lines)


def graded(course: Course, exercise: Exercise, path: str) -> Report:
    """Return the report on a submission, on the machine that its expectation names."""
    programs = _expectation(path)[1]
    host = OLDEST
    if programs is not None:
        host = FixedHost({name: (major, minor) for name, (major, minor) in programs.items()})
    with open_folder(path) as submission:
        return course.grade(exercise, submission, host)


def _expectation(path: str) -> tuple[str, dict[str, list[int]] | None]:
    """Return the text beside a submission, empty for none, and the programs that it names."""
    text = ""
    with suppress(Unreadable, ValueError, AttributeError, RecursionError):
        text = read_file(path + ENDING, MAX_BYTES).decode()
        return text, json.loads(text).get("host")
    return text, None


def _difference(course: Course, path: str, report: Report) -> tuple[str, list[str]]:
    """Return the expectation of what fails and where, and how the one beside it differs."""
    before, host = _expectation(path)
    failures = [result for result in report.results if result.outcome is Outcome.FAIL]
    found: dict[str, Any] = {
        "fails": {r.check.code: [_place_of(each) for each in r.verdict.findings] for r in failures}
    }
    if report.unasked:
        found["unasked"] = [result.check.code for result in report.unasked]
    if host is not None:
        found["host"] = host
    after = json.dumps(found, indent=2) + "\n"
    shown = course.shown(path + ENDING)
    lines = before.splitlines(), after.splitlines()
    return after, list(difflib.unified_diff(*lines, shown, shown, lineterm=""))


def _place_of(finding: Finding) -> str:
    spot = f":{finding.line}:{finding.column}" if finding.line else ""
    return f"{finding.file}{spot} {finding.path}".rstrip()


def _broken_promises(where: str, name: str, report: Report) -> Iterator[Defect]:
    """Yield where a submission is not what its name says."""
    if report.crashed:
        codes = ", ".join(sorted(_codes(report, Outcome.ERROR)))
        to_do = "Fix the check: a check may fail, never raise."
        yield Defect(FIXTURES, where, f"{codes} crashed", to_do)
    if name == "unsolved" and (report.passed or report.score):
        what = f"an unsolved submission has {report.score} points"
        yield Defect(FIXTURES, where, what, "Make a required check fail where nothing was done.")
    others = {r.check.code for r in report.results} - _codes(report, Outcome.PASS, Outcome.UNASKED)
    if name.startswith("solved") and others:
        what = f"a solution does not pass {', '.join(sorted(others))}"
        yield Defect(FIXTURES, where, what, "Fix the solution, or the check that refuses it.")
    if name.startswith("broken-") and report._replace(strict=True).passed:
        what = "a broken submission passes, even strictly"
        yield Defect(FIXTURES, where, what, "Break it, or name it solved-….")


def _codes(report: Report, *outcomes: Outcome) -> set[str]:
    return {result.check.code for result in report.results if result.outcome in outcomes}


def hint_defects(exercise: Exercise) -> Iterator[Defect]:
    """Yield the checks that do not say what to look at, or what to change."""
    for check in exercise.checks:
        for name, text in (("look_at", check.look_at), ("hint", check.hint)):
            if not text.strip():
                to_do = f"Give it `{name}` in its declaration."
                yield Defect(HINTS, check.code, f"the check has no {name}", to_do)


def page_defects(course: Course, exercise: Exercise) -> Iterator[Defect]:
    """Yield what is wrong with the pages of an exercise: missing, or the anchors of its checks."""
    page = exercise.checks_page or exercise.page
    texts: dict[str, str] = {}
    try:
        for path in (exercise.page, page):
            texts[path] = read_file(os.path.join(course.root, path), MAX_BYTES).decode()
    except (Unreadable, UnicodeDecodeError) as error:
        why = error if isinstance(error, Unreadable) else "is not UTF-8"
        what = f"the page of {exercise.name} {why}"
        yield Defect(TUTORIALS, page if texts else exercise.page, what, "Write it, in UTF-8.")
        return
    own = f"{exercise.code.lower()}-" if exercise.checks_page else ""  # that page has others', too
    anchors = Counter(anchor for anchor in _ANCHOR.findall(texts[page]) if anchor.startswith(own))
    codes = {check.anchor: check.code for check in exercise.checks}
    for anchor, code in codes.items():
        if anchors[anchor] != 1:
            what = f"{code} has {anchors[anchor] or 'no'} anchors in its tutorial"
            to_do = f'Write <a id="{anchor}"></a> once, where the page explains the check.'
            yield Defect(TUTORIALS, page, what, to_do)
    for anchor in anchors:
        if anchor not in codes:
            what = f"the anchor {anchor!r} belongs to no check of {exercise.name}"
            yield Defect(TUTORIALS, page, what, "Remove it, or spell the check's code.")


def tree_defects(course: Course) -> list[Defect]:
    """Return the files of the checkout that belong to no exercise, and those that are missing."""
    levels = sorted({exercise.level for exercise in course.exercises})
    defects = [*_folder(course, course.fixtures, levels, "fixtures of an exercise")]
    for level in levels:
        own = [exercise for exercise in course.exercises if exercise.level == level]
        names = [os.path.basename(course.folder_of(exercise)) for exercise in own]
        kind, missing = "fixtures of an exercise", "the exercise has no fixtures"
        defects += _folder(course, f"{course.fixtures}/{level}", names, kind, missing)
        names = [*(os.path.basename(exercise.page) for exercise in own), *_BESIDE_TUTORIALS]
        kind = f"a tutorial, {', '.join(_BESIDE_TUTORIALS)}"
        defects += _folder(course, f"docs/{level}/tutorials", names, kind)
        defects += (defect for exercise in own for defect in _submissions(course, exercise))
    for path, folders, files in sorted(os.walk(os.path.join(course.root, course.fixtures))):
        if not folders and not files:
            what = "the folder is empty: git does not keep it"
            to_do = "Put a file into it, or remove it."
            defects.append(Defect(FILES, course.shown(path), what, to_do))
    return [*defects, *_issues(course), *_schemas(course)]


def _submissions(course: Course, exercise: Exercise) -> Iterator[Defect]:
    folder = course.folder_of(exercise)
    names = submissions_of(course, exercise)
    due = [name for name in ("solved", "unsolved") if names and name not in names]
    kind = "a submission or its expectation"
    yield from _folder(course, course.shown(folder), {*names, *(n + ENDING for n in names)}, kind)
    for name in names:
        variant = name.startswith(("broken-", "solved-")) and name == name.lower()
        if not variant and name not in ("solved", "unsolved"):
            kinds = "solved, solved-…, unsolved or broken-…, in lower case"
            yield _stray(course.shown(os.path.join(folder, name)), kinds)
    for name in due:
        path = course.shown(os.path.join(folder, name))
        yield _missing(path, f"the exercise has no submission {name}")


def _issues(course: Course) -> Iterator[Defect]:
    expected = [f"{issue}.md" for issue in course.issues_in_use()]
    practice = {f"{issue}.md" for issue in course.practice_issues}
    kind = "the text of an issue that an exercise is about"
    defects = _folder(course, course.texts, expected, kind, "an exercise is about this issue")
    yield from (defect for defect in defects if os.path.basename(defect.where) not in practice)


def _schemas(course: Course) -> Iterator[Defect]:
    """Yield the schemas that describe no artifact of an exercise."""
    if course.schemas:
        artifacts = [a for exercise in course.exercises for a in exercise.artifacts]
        own = [a.own for a in artifacts if isinstance(a, ArtifactRef) and a.own]
        expected = [f"{each.kind.name}.schema.json" for each in own]
        kind = "the schema of an artifact that an exercise declares"
        yield from _folder(course, course.schemas, expected, kind)


def _folder(
    course: Course, folder: str, expected: Collection[str], kind: str, missing: str = ""
) -> Iterator[Defect]:
    """Yield what is in a folder and not wanted, what tools leave behind apart; then what lacks.

    `kind` says what may be there. `missing` says why the wanted ones must be; empty: they need not.
    """
    try:
        names = os.listdir(os.path.join(course.root, folder))
    except FileNotFoundError:
        names = []
    found = {name for name in names if not name.startswith((".", "__pycache__"))}
    yield from (_stray(f"{folder}/{name}", kind) for name in sorted(found.difference(expected)))
    for name in sorted({*expected} - found) if missing else ():
        yield _missing(f"{folder}/{name}", missing)


def _stray(path: str, expected: str) -> Defect:
    return Defect(FILES, path, f"stray: not {expected}", "Remove it, or declare what it is for.")


def _missing(path: str, what: str) -> Defect:
    return Defect(FILES, path, f"missing: {what}", "Add it.")
