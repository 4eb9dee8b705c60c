"""Every folder of fixtures/submissions is a test: it is graded as the file beside it expects."""

from __future__ import annotations

import json
import os
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

from pipeline.bootstrap import ROOT
from verify import catalog
from verify.attempt import Attempt
from verify.course import issue_text
from verify.host import FixedHost
from verify.runner import grade
from verify.submission import open_folder
from verify.verdicts import Outcome

if TYPE_CHECKING:
    from pathlib import Path

    from verify.model import Exercise, Report
    from verify.verdicts import Finding

FIXTURES = os.path.join(ROOT, "fixtures", "submissions")
ENDING = ".expected.json"
HOST = {"python": [3, 10], "node": [20, 0], "git": [2, 0]}  # the oldest that the course works on
KEYS = {"passed", "score", "outcomes"}

EXERCISES = [exercise for level in catalog.LEVELS for exercise in catalog.level(level)]


def folder_of(exercise: Exercise) -> str:
    return os.path.join(FIXTURES, exercise.level, f"{exercise.number:02}-{exercise.slug}")


def fixtures_of(exercise: Exercise) -> list[str]:
    return sorted(entry.path for entry in os.scandir(folder_of(exercise)) if entry.is_dir())


PAIRS = [(exercise, path) for exercise in EXERCISES for path in fixtures_of(exercise)]


def expectation(path: str) -> dict[str, Any]:
    """Return what a fixture's file expects; an assertion fails where it is missing or empty."""
    assert os.path.isfile(path + ENDING), f"{path} has no expectation beside it"

    with open(path + ENDING, encoding="utf-8") as file:
        expected: dict[str, Any] = json.load(file)

    assert KEYS <= expected.keys() <= KEYS | {"places", "host"}, f"{path}{ENDING} expects nothing"
    return expected


def graded(exercise: Exercise, path: str, host: dict[str, Any] = HOST) -> Report:
    versions = {program: (version[0], version[1]) for program, version in host.items()}
    with open_folder(path) as submission:
        issue = issue_text(exercise.issue)
        return grade(Attempt(exercise, submission, issue, FixedHost(dict(versions))))


def place_of(finding: Finding) -> str:
    spot = f":{finding.line}:{finding.column}" if finding.line else ""
    return f"{finding.file}{spot} {finding.path}".rstrip()


@pytest.mark.parametrize(
    ("exercise", "path"), PAIRS, ids=[os.path.relpath(path, FIXTURES) for _, path in PAIRS]
)
def test_a_submission_is_graded_as_the_file_beside_it_expects(
    exercise: Exercise, path: str
) -> None:
    expected = expectation(path)
    report = graded(exercise, path, expected.pop("host", HOST))

    assert {
        "passed": report.passed,
        "score": report.score,
        "outcomes": {r.check.code: r.outcome.value for r in report.results},
        "places": {
            r.check.code: [place_of(finding) for finding in r.verdict.findings]
            for r in report.results
            if r.outcome is Outcome.FAIL
        },
    } == {"places": {}} | expected


@pytest.mark.parametrize("text", [None, "{}", '{"passed": true}'])
def test_a_fixture_that_expects_nothing_fails(tmp_path: Path, text: str | None) -> None:
    path = tmp_path / "broken-toy"
    path.mkdir()
    if text is not None:
        (tmp_path / f"broken-toy{ENDING}").write_text(text)

    with pytest.raises(AssertionError, match=r"has no expectation|expects nothing"):
        expectation(str(path))


def test_there_are_fixtures_for_the_exercises_of_the_course_and_nothing_else() -> None:
    folders = [
        f"{level.name}/{entry.name}"
        for level in os.scandir(FIXTURES)
        for entry in os.scandir(level)
    ]
    exercises = [os.path.relpath(folder_of(exercise), FIXTURES) for exercise in EXERCISES]

    assert sorted(folders) == sorted(exercises)


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.name)
def test_beside_the_submissions_stand_their_expectations_and_nothing_else(
    exercise: Exercise,
) -> None:
    names = [os.path.basename(path) for path in fixtures_of(exercise)]
    unusual = [n for n in names if n not in ("solved", "unsolved") and not is_variant(n)]

    assert sorted(os.listdir(folder_of(exercise))) == sorted([*names, *(n + ENDING for n in names)])
    assert unusual == []
    assert {"solved", "unsolved"} <= set(names)


def is_variant(name: str) -> bool:
    return name.startswith(("broken-", "solved-")) and name == name.lower()


def test_no_folder_of_a_fixture_is_empty_for_git_would_lose_it() -> None:
    empty = [path for path, folders, files in os.walk(FIXTURES) if not folders and not files]

    assert empty == []


@pytest.mark.skipif(not os.path.isdir(os.path.join(ROOT, ".git")), reason="no checkout of git's")
def test_no_file_of_a_fixture_is_ignored_by_git() -> None:
    ignored = subprocess.run(
        ["git", "ls-files", "--others", "--ignored", "--exclude-standard", FIXTURES],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )

    assert ignored.stdout == ""


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.name)
def test_an_exercise_fails_as_it_is_handed_out(exercise: Exercise) -> None:
    report = graded(exercise, os.path.join(folder_of(exercise), "unsolved"))

    assert (report.passed, report.score) == (False, 0)


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.name)
def test_a_solved_exercise_passes_every_check(exercise: Exercise) -> None:
    report = graded(exercise, os.path.join(folder_of(exercise), "solved"))

    assert [result.outcome for result in report.results] == [Outcome.PASS] * len(exercise.checks)
    assert (report.passed, report.score) == (True, exercise.points)


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.name)
def test_every_check_is_failed_by_some_submission(exercise: Exercise) -> None:
    failed = {
        code
        for path in fixtures_of(exercise)
        for code, outcome in expectation(path)["outcomes"].items()
        if outcome == "fail"
    }

    assert failed == {check.code for check in exercise.checks}


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.name)
def test_no_broken_submission_passes_strictly(exercise: Exercise) -> None:
    reports = {
        path: graded(exercise, path, expectation(path).get("host", HOST))
        for path in fixtures_of(exercise)
        if os.path.basename(path).startswith("broken-")
    }

    assert [path for path, report in reports.items() if report._replace(strict=True).passed] == []
