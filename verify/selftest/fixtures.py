"""Proves the fixtures: each is graded as expected, solutions pass, what is handed out fails."""

from __future__ import annotations

import difflib
import json
import os
from typing import TYPE_CHECKING, Any

from pipeline.files import MAX_BYTES, MISSING, Unreadable, read_file, write_whole
from pipeline.terminal.host import FixedHost
from verify.model import Outcome
from verify.selftest.course import FIXTURES, OLDEST, Defect, submissions_of
from verify.submission import open_folder

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verify.model import Exercise, Finding, Report
    from verify.selftest.course import Course

ENDING = ".expected.json"
_KEYS = {"lost", "outcomes"}
_OPTIONAL = {"places", "host"}
_LISTED = {"fail", "skip", "unasked"}
_UPDATE = "Run this again with --update, and read what it writes."


class NoExpectation(Exception):
    """The file beside a fixture is missing, is not JSON, or expects nothing."""


def fixture_defects(course: Course, exercise: Exercise) -> list[Defect]:
    """Return what is wrong with the fixtures of an exercise."""
    defects: list[Defect] = []
    failed: set[str] = set()
    for name in submissions_of(course, exercise):
        path = os.path.join(course.folder_of(exercise), name)
        where = course.shown(path)
        try:
            expected = expectation(path)
        except NoExpectation as error:
            defects.append(Defect(FIXTURES, where + ENDING, str(error), _UPDATE))
            continue
        report = graded(course, exercise, path, expected)
        defects += _differences(where, expected, report)
        defects += _broken_promises(where, name, report)
        failed |= _codes(report, Outcome.FAIL)
    return [*defects, *_never_failed(course, exercise, failed)]


def updated(course: Course, exercise: Exercise) -> Iterator[str]:
    """Write beside each submission what grading finds; yield how each changed file differs.

    A submission on which a check crashes keeps the expectation that it has.

    Raises:
        OSError: a file cannot be written.
    """
    for name in submissions_of(course, exercise):
        path = os.path.join(course.folder_of(exercise), name)
        try:
            before = read_file(path + ENDING, MAX_BYTES).decode()
            expected = expectation(path)
        except (Unreadable, UnicodeDecodeError, NoExpectation):
            before, expected = "", {}
        report = graded(course, exercise, path, expected)
        host = {"host": expected["host"]} if "host" in expected else {}
        after = json.dumps({**_found(report), **host}, indent=2) + "\n"
        if after != before and not report.crashed:
            shown = course.shown(path + ENDING)
            write_whole(path + ENDING, after.encode())
            lines = (before.splitlines(), after.splitlines())
            yield "\n".join(difflib.unified_diff(*lines, shown, shown, lineterm=""))


def expectation(path: str) -> dict[str, Any]:
    """Return what the file beside a submission expects.

    Raises:
        NoExpectation: no file, no JSON, or not what an expectation lists.
    """
    try:
        expected = json.loads(read_file(path + ENDING, MAX_BYTES))
    except Unreadable as error:
        if error.reason == MISSING:
            raise NoExpectation("no expectation is beside the submission") from None
        raise NoExpectation(f"the expectation {error}") from None
    except (ValueError, RecursionError):
        raise NoExpectation("the expectation is not JSON") from None
    if not isinstance(expected, dict) or not _KEYS <= expected.keys() <= _KEYS | _OPTIONAL:
        keys = f"{', '.join(sorted(_KEYS))}, perhaps {' and '.join(sorted(_OPTIONAL))}"
        raise NoExpectation(f"an expectation has the keys {keys}")
    outcomes = expected["outcomes"]
    if not isinstance(outcomes, dict) or not _LISTED.issuperset(outcomes.values()):
        raise NoExpectation("an expectation lists checks with the outcome fail, skip or unasked")
    return expected


def graded(course: Course, exercise: Exercise, path: str, expected: dict[str, Any]) -> Report:
    """Return the report on a submission, on the machine that its expectation names."""
    host = OLDEST
    if "host" in expected:
        host = FixedHost({program: (v[0], v[1]) for program, v in expected["host"].items()})
    with open_folder(path) as submission:
        return course.grade(exercise, submission, host)


def _found(report: Report) -> dict[str, Any]:
    """Return what an expectation lists: only what does not pass."""
    others = [result for result in report.results if result.outcome is not Outcome.PASS]
    places = {
        result.check.code: [_place_of(finding) for finding in result.verdict.findings]
        for result in others
        if result.outcome is Outcome.FAIL
    }
    return {
        "lost": report.points - report.score,
        "outcomes": {result.check.code: result.outcome.value for result in others},
        **({"places": places} if places else {}),
    }


def _differences(where: str, expected: dict[str, Any], report: Report) -> Iterator[Defect]:
    found = _found(report)
    for key in ("lost", "outcomes", "places"):
        wanted, value = expected.get(key, {}), found.get(key, {})
        if value != wanted:
            what = f"{key}: {_difference(wanted, value)}"
            to_do = "Fix the check, or run this again with --update to write the expectation."
            yield Defect(FIXTURES, where, what, to_do)


def _difference(wanted: Any, found: Any) -> str:
    if not isinstance(wanted, dict) or not isinstance(found, dict):
        return f"expected {wanted}, found {found}"
    codes = [code for code in {**wanted, **found} if wanted.get(code) != found.get(code)]
    listed = "not listed"
    return "; ".join(
        f"{c} expected {wanted.get(c, listed)}, found {found.get(c, listed)}" for c in codes
    )


def _place_of(finding: Finding) -> str:
    spot = f":{finding.line}:{finding.column}" if finding.line else ""
    return f"{finding.file}{spot} {finding.path}".rstrip()


def _broken_promises(where: str, name: str, report: Report) -> Iterator[Defect]:
    """Yield where a submission is not what its name says."""
    outcomes = {result.outcome for result in report.results}
    if report.crashed:
        codes = sorted(_codes(report, Outcome.ERROR))
        to_do = "Fix the check: a check may fail, never raise."
        yield Defect(FIXTURES, where, f"{', '.join(codes)} crashed", to_do)
    if name == "unsolved" and (report.passed or report.score):
        what = f"an exercise that nobody has begun has {report.score} points"
        yield Defect(FIXTURES, where, what, "Make a required check fail where nothing was done.")
    if name.startswith("solved") and not outcomes <= {Outcome.PASS, Outcome.UNASKED}:
        codes = sorted({r.check.code for r in report.results} - _codes(report, Outcome.PASS))
        what = f"a solution does not pass {', '.join(codes)}"
        yield Defect(FIXTURES, where, what, "Fix the solution, or the check that refuses it.")
    if name.startswith("broken-") and report._replace(strict=True).passed:
        what = "a broken submission passes, even strictly"
        yield Defect(FIXTURES, where, what, "Break it, or name it solved-….")


def _never_failed(course: Course, exercise: Exercise, failed: set[str]) -> Iterator[Defect]:
    for check in exercise.checks:
        if check.code not in failed:
            where = course.shown(course.folder_of(exercise))
            to_do = "Add a submission broken-… that fails it, with its expectation."
            yield Defect(FIXTURES, check.code, f"no submission in {where} fails this check", to_do)


def _codes(report: Report, outcome: Outcome) -> set[str]:
    return {result.check.code for result in report.results if result.outcome is outcome}
