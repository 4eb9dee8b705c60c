"""Proves what a checkout has besides the code: fixtures, hints, tutorials, no stray file."""

from __future__ import annotations

import difflib
import json
import os
import re
from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from pipeline.files import MAX_BYTES, Unreadable, read_file, write_whole
from verify.course.catalog import asking
from verify.grading.artifacts import ArtifactRef
from verify.grading.model import Outcome
from verify.selftest.course import OLDEST, Defect, crash_of, submissions_of
from verify.submissions.submission import open_folder

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from verify.grading.model import Exercise, Finding, Report
    from verify.selftest.course import ProvenCourse

    #: a folder's path, the names that it may have, and those that it must have
    _Folder = tuple[str, Collection[str], Collection[str]]

ENDING = ".expected.json"
_BESIDE_TUTORIALS = ("README.md", "index.md", "outputs", "verify.py")
_SUBMISSION = re.compile(r"(un)?solved|(solved|broken)-[^A-Z]*")
_ANCHOR = re.compile(r'<a id="([^"]*)">')


def fixture_defects(course: ProvenCourse, exercise: Exercise) -> Iterator[Defect]:
    """Yield what is wrong with the fixtures of an exercise."""
    failed: set[str] = set()
    folder = course.folder_of(exercise)
    for name in submissions_of(course, exercise):
        path = os.path.join(folder, name)
        report = graded(course, exercise, path)
        lines = _difference(course, path, report)[1]
        changed = [" ".join(line.split()) for line in lines[2:] if line[:1] in ("+", "-")]
        if changed:
            what = f"not graded as expected: {'; '.join(changed)}"
            to_do = "Fix the check, or run the self-test with --update to write the expectation."
            yield Defect("fixtures", course.shown(path), what, to_do)
        yield from _broken_promises(course.shown(path), name, report)
        failed |= _codes(report, Outcome.FAIL)
    what = f"no submission in {course.shown(folder)} fails this check"
    to_do = "Add a submission named broken-… that fails the check, with its expected result."
    codes = (check.code for check in exercise.checks if check.code not in failed)
    yield from (Defect("fixtures", code, what, to_do) for code in codes)


def updated(course: ProvenCourse, exercise: Exercise) -> Iterator[str]:
    """Write beside each submission what grading finds; yield how each changed file differs.

    A submission on which a check crashes keeps the expectation that it has.
    """
    for name in submissions_of(course, exercise):
        path = os.path.join(course.folder_of(exercise), name)
        report = graded(course, exercise, path)
        text, lines = _difference(course, path, report)
        if lines and not report.crashed:
            write_whole(path + ENDING, text.encode())
            yield "\n".join(lines)


def graded(course: ProvenCourse, exercise: Exercise, path: str) -> Report:
    """Return the report on a submission, on the machine that its expectation names."""
    programs = _expectation(path)[1]
    version_of = OLDEST
    if programs is not None:
        version_of = {name: (major, minor) for name, (major, minor) in programs.items()}.get
    with open_folder(path) as submission:
        return course.grade(exercise, submission, version_of)


def failed_by_broken(course: ProvenCourse, exercise: Exercise) -> set[str]:
    """Return the codes of the checks that broken submissions fail: those may have a bound."""
    broken = [name for name in submissions_of(course, exercise) if name.startswith("broken-")]
    paths = (os.path.join(course.folder_of(exercise), name) for name in broken)
    reports = (graded(course, exercise, path) for path in paths)
    return {code for report in reports for code in _codes(report, Outcome.FAIL)}


def _expectation(path: str) -> tuple[str, dict[str, list[int]] | None]:
    """Return the text beside a submission, empty for none, and the programs that it names."""
    text = ""
    with suppress(Unreadable, ValueError, AttributeError, RecursionError):
        text = read_file(path + ENDING, MAX_BYTES).decode()
        return text, json.loads(text).get("host")
    return text, None


def _difference(course: ProvenCourse, path: str, report: Report) -> tuple[str, list[str]]:
    """Return the expectation of what fails and where, and how the one beside it differs."""
    before, host = _expectation(path)
    failures = [result for result in report.results if result.outcome is Outcome.FAIL]
    found: dict[str, Any] = {
        "fails": {
            r.check.code: [_place_of(finding) for finding in r.verdict.findings] for r in failures
        }
    }
    earned = {result.check.code: result.score for result in failures if result.score}
    if earned:
        found["earned"] = earned
    if report.not_checked:
        found["not_checked"] = [result.check.code for result in report.not_checked]
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
    """Yield how a submission differs from what its name says."""
    if report.crashed:
        to_do = "Fix the check: a check may fail, but must not raise an exception."
        yield from (Defect("fixtures", where, crash_of(r), to_do) for r in report.crashed)
    if name == "unsolved" and (report.passed or report.score):
        result = "passes" if report.passed else f"has a score of {report.score}"
        to_do = "Make each check fail, or require one that fails, if nothing was done."
        yield Defect("fixtures", where, f"an unsolved submission {result}", to_do)
    unstated = {r.check.code for r in report.results} - _codes(
        report, Outcome.PASS, Outcome.NOT_CHECKED
    )
    if name.startswith("solved") and unstated:
        what = f"a solution does not pass {', '.join(sorted(unstated))}"
        yield Defect("fixtures", where, what, "Fix the solution, or the check that refuses it.")
    if name.startswith("broken-") and report._replace(strict=True).passed:
        what = "a broken submission passes, even with --strict"
        yield Defect("fixtures", where, what, "Add a fault to it, or rename it to solved-….")


def _codes(report: Report, *outcomes: Outcome) -> set[str]:
    return {result.check.code for result in report.results if result.outcome in outcomes}


def hint_defects(exercise: Exercise) -> Iterator[Defect]:
    """Yield the checks that do not say what to look at, or what to change."""
    for check in exercise.checks:
        for name, text in (("look_at", check.look_at), ("hint", check.hint)):
            if not text.strip():
                to_do = f"Add `{name}` to its declaration."
                yield Defect("hints", check.code, f"the check has no {name}", to_do)


def page_defects(course: ProvenCourse, exercise: Exercise) -> Iterator[Defect]:
    """Yield what is wrong with the pages of an exercise: missing, or the anchors of its checks."""
    page = exercise.checks_page
    texts: dict[str, str] = {}
    try:
        for path in (exercise.page, page):
            texts[path] = read_file(os.path.join(course.root, path), MAX_BYTES).decode()
    except (Unreadable, UnicodeDecodeError) as error:
        why = error if isinstance(error, Unreadable) else "is not UTF-8"
        what = f"the page of {exercise.name} {why}"
        where = page if texts else exercise.page
        yield Defect("tutorials", where, what, "Write the page in UTF-8.")
        return
    # a page that is not the exercise's alone has the anchors of other exercises, too
    prefix = f"{exercise.code.lower()}-" if page != exercise.page else ""
    anchors = Counter(name for name in _ANCHOR.findall(texts[page]) if name.startswith(prefix))
    checks = asking(exercise, course.root if course.schemas else "").checks
    codes = {check.anchor: check.code for check in checks}
    for anchor, code in codes.items():
        if anchors[anchor] != 1:
            what = f"{code} has {anchors[anchor] or 'no'} anchors on its page"
            to_do = f'Write <a id="{anchor}"></a> once, where the page explains the check.'
            yield Defect("tutorials", page, what, to_do)
    for anchor in anchors:
        if anchor not in codes:
            what = f"{exercise.name} has no check for the anchor {anchor!r}"
            to_do = "Remove the anchor, or change it to the anchor of a check."
            yield Defect("tutorials", page, what, to_do)


def tree_defects(course: ProvenCourse) -> Iterator[Defect]:
    """Yield the files of the checkout that no exercise declares, and those that are missing.

    If only some exercises are proven, those of their submissions.
    """
    folders = _folders_of_submissions(course) if course.only else _folders(course)
    for folder, may, must in folders:
        try:
            names = os.listdir(os.path.join(course.root, folder))
        except FileNotFoundError:
            names = []
        found = {name for name in names if not name.startswith((".", "__pycache__"))}
        for name in sorted(found - {*may, *must}):
            to_do = "Remove or rename it. Submissions are named solved(-…), unsolved or broken-…."
            yield Defect("files", f"{folder}/{name}", "stray: no exercise declares it", to_do)
        for name in sorted({*must} - found):
            yield Defect("files", f"{folder}/{name}", "missing: an exercise needs it", "Add it.")


def _folders(course: ProvenCourse) -> Iterator[_Folder]:
    """Yield all folders of the course."""
    levels = {exercise.level for exercise in course.exercises}
    yield course.fixtures, levels, ()
    for level in sorted(levels):
        exercises = [exercise for exercise in course.exercises if exercise.level == level]
        names = [os.path.basename(course.folder_of(exercise)) for exercise in exercises]
        yield f"{course.fixtures}/{level}", (), names
        pages = [os.path.basename(exercise.page) for exercise in exercises]
        yield f"docs/{level}/tutorials", {*pages, *_BESIDE_TUTORIALS}, ()
    yield from _folders_of_submissions(course)
    issues = {*course.practice_issues, *course.issues_in_use()}
    practice = {f"{issue}.md" for issue in course.practice_issues}
    practice |= {f"{issue}.acceptance.toml" for issue in issues}
    yield course.texts, practice, {f"{issue}.md" for issue in course.issues_in_use()}
    if course.schemas:
        artifacts = [a for exercise in course.exercises for a in exercise.artifacts]
        own_kinds = [a.schema.kind for a in artifacts if isinstance(a, ArtifactRef) and a.schema]
        yield course.schemas, {f"{kind.name}.schema.json" for kind in own_kinds}, ()


def _folders_of_submissions(course: ProvenCourse) -> Iterator[_Folder]:
    """Yield the folders with the submissions of the exercises that are proven."""
    for exercise in course.selected:
        submissions = submissions_of(course, exercise)
        may = {name for name in submissions if _SUBMISSION.fullmatch(name)}
        may |= {name + ENDING for name in submissions}
        must = ("solved", "unsolved") if submissions else ()
        yield course.shown(course.folder_of(exercise)), may, must
