"""The levels' scripts grade from any working directory, in every format, with every option."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
from typing import TYPE_CHECKING, Any

import pytest

from pipeline.bootstrap import ROOT
from verify import catalog

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable
    from pathlib import Path

    Run = Callable[..., subprocess.CompletedProcess[str]]
    PathOf = Callable[[str], str]

SOLVED = "practitioner/02-delegate/solved"
BROKEN = "practitioner/02-delegate/broken-order"
NOTE = "foundation/03-publish/broken-no-pull-request"


def codes_of(report: str) -> list[str]:
    (exercise,) = json.loads(report)["exercises"]
    return [check["code"] for check in exercise["checks"]]


@pytest.mark.parametrize("level", catalog.LEVELS)
def test_a_script_lists_its_level_and_the_next_exercise(
    run: Run, script: PathOf, tmp_path: Path, level: str
) -> None:
    done = run(script(level), "--project", str(tmp_path))
    first = catalog.level(level)[0]
    command = f"python3 docs/{level}/tutorials/verify.py --exercise 01 --project {tmp_path}"

    assert done.stdout.startswith(f"{level}: 0 of 4 exercises passed\n\nexercise    state ")
    assert done.stdout.endswith(f"\n\nNext, {level}/01 - {first.title}:\n  {command}\n")
    assert (done.returncode, done.stderr) == (1, "")


@pytest.mark.spec("4.1", "4.11", "4.12")
@pytest.mark.parametrize("cwd", [ROOT, "/", "{tmp}", f"{ROOT}/docs/practitioner/tutorials"])
def test_an_exercise_is_graded_from_any_working_directory(
    run: Run, script: PathOf, fixture: PathOf, tmp_path: Path, cwd: str
) -> None:
    here = cwd.format(tmp=tmp_path)
    relative = os.path.relpath(script("practitioner"), here)
    graded = [
        run(relative, "--exercise", "02", "--project", os.path.relpath(path, here), cwd=here)
        for path in (fixture(SOLVED), fixture(BROKEN))
    ]
    headings = {done.stdout.partition("\n")[0] for done in graded}

    assert headings == {"practitioner/02 - Delegate the plan - ISSUE-201"}
    assert [(done.returncode, done.stderr) for done in graded] == [(0, ""), (1, "")]


def test_without_a_project_the_repository_itself_is_graded(
    run: Run, course: Path, tmp_path: Path
) -> None:
    own = course / "docs" / "foundation" / "tutorials" / "verify.py"
    done = run(str(own), "--exercise", "1", "--format", "json", cwd=str(tmp_path))

    assert json.loads(done.stdout)["submission"] == str(course)


@pytest.mark.parametrize("number", ["2", "02", "practitioner/02"])
def test_an_exercise_is_named_by_its_number_or_as_the_table_names_it(
    run: Run, script: PathOf, fixture: PathOf, number: str
) -> None:
    done = run(script("practitioner"), "--exercise", number, "--project", fixture(SOLVED))

    assert (done.returncode, done.stdout.partition(" - ")[0]) == (0, "practitioner/02")


def test_the_command_that_is_suggested_can_be_run(
    run: Run, script: PathOf, fixture: PathOf, tmp_path: Path
) -> None:
    project = tmp_path / "a folder's \u00e9t\u00e9"
    project.symlink_to(fixture(BROKEN))
    first = run(
        script("practitioner"), "--exercise", "2", "--project", project.name, cwd=str(tmp_path)
    )
    suggested = first.stdout.partition("run again:\n  ")[2].partition("\n")[0]
    python, *words = shlex.split(suggested)
    second = run(*words, cwd=str(tmp_path))

    assert python == "python3"
    assert second.stdout == first.stdout


@pytest.mark.parametrize(
    ("format_", "solved", "broken"),
    [
        ("table", "practitioner/02 - Delegate the plan", "practitioner/02 - Delegate the plan"),
        ("json", '{\n  "schema": "urn:issue-pipeline:report:1"', '{\n  "schema": "urn:'),
        ("junit", '<?xml version="1.0" encoding="utf-8"?>\n<testsuites', "<?xml "),
        ("github", "## practitioner/02 Delegate the plan: passed", "::error file="),
    ],
)
def test_every_format_goes_to_stdout_with_the_same_exit_codes(
    run: Run, script: PathOf, fixture: PathOf, format_: str, solved: str, broken: str
) -> None:
    words = [script("practitioner"), "--exercise", "02", "--format", format_, "--project"]
    passed, failed = run(*words, fixture(SOLVED)), run(*words, fixture(BROKEN))

    assert passed.stdout.startswith(solved)
    assert failed.stdout.startswith(broken)
    assert [(done.returncode, done.stderr) for done in (passed, failed)] == [(0, ""), (1, "")]


def test_a_level_is_reported_in_one_document(run: Run, script: PathOf, fixture: PathOf) -> None:
    done = run(script("practitioner"), "--format", "json", "--project", fixture(SOLVED))
    report = json.loads(done.stdout)

    assert [each["passed"] for each in report["exercises"]] == [False, True, False, False]
    assert (done.returncode, report["passed"]) == (1, False)


def test_strict_grading_makes_a_note_a_failure(run: Run, script: PathOf, fixture: PathOf) -> None:
    words = ["--exercise", "03", "--project", fixture(NOTE)]
    lenient = run(script("foundation"), *words)
    strict = run(script("foundation"), *words, "--strict")

    assert "F03.9    ! note " in lenient.stdout
    assert "F03.9    ✗ FAIL " in strict.stdout
    assert (lenient.returncode, strict.returncode) == (0, 1)
    assert strict.stdout.partition("run again:\n")[2].splitlines()[0].endswith(" --strict")


def test_hints_come_in_three_stages(run: Run, script: PathOf, fixture: PathOf) -> None:
    words = ["--exercise", "02", "--project", fixture(BROKEN)]
    shown = [run(script("practitioner"), *words, *["--hint"] * times).stdout for times in range(5)]
    stages = [
        [stage for stage in ("To do: read", "Look at:", "Change:", "Example:") if stage in text]
        for text in shown
    ]

    assert stages == [
        ["To do: read"],
        ["Look at:"],
        ["Look at:", "Change:"],
        ["Look at:", "Change:", "Example:"],
        ["Look at:", "Change:", "Example:"],
    ]
    assert '\n  Example:\n    "affected_files": ["src/health/routes.js"' in shown[3]


def test_a_failure_names_its_lesson_as_it_can_be_opened_from_here(
    run: Run, script: PathOf, fixture: PathOf, tmp_path: Path
) -> None:
    words = [script("practitioner"), "--exercise", "02", "--project", fixture(BROKEN)]
    page = "docs/practitioner/tutorials/02-delegate.md"
    named = {
        cwd: re.findall(r"To do: read (.*)#p02-\d", run(*words, cwd=cwd).stdout)
        for cwd in (ROOT, str(tmp_path))
    }

    assert set(named[ROOT]) == {page}
    assert {os.path.normpath(os.path.join(tmp_path, path)) for path in named[str(tmp_path)]} == {
        os.path.join(ROOT, page)
    }


@pytest.fixture
def moved(fixture: PathOf, tmp_path: Path) -> Callable[..., str]:
    """Return a function that puts the solved plan under another target and issue."""

    def move(target: str, issue: str) -> str:
        folder = tmp_path / target / ".pipeline" / issue
        folder.mkdir(parents=True)
        shutil.copy(f"{fixture(SOLVED)}/sandbox/.pipeline/ISSUE-201/plan.json", folder)
        return str(tmp_path)

    return move


@pytest.mark.spec("4.28")
@pytest.mark.parametrize("target", [".", "service", "packages/api"])
def test_another_target_project_is_graded(
    run: Run, script: PathOf, moved: Callable[..., str], target: str
) -> None:
    words = [script("practitioner"), "--exercise", "2", "--project", moved(target, "ISSUE-201")]
    own, other = run(*words), run(*words, "--target", target)

    assert (own.returncode, other.returncode) == (1, 0)


def grade_issue(run: Run, script: PathOf, project: str, issue: str) -> Any:
    words = ["--exercise", "2", "--issue", issue, "--project", project, "--format", "json"]
    return run(script("practitioner"), *words)


def test_the_criteria_of_another_issue_come_from_the_course(
    run: Run, script: PathOf, moved: Callable[..., str]
) -> None:
    done = grade_issue(run, script, moved("sandbox", "ISSUE-101"), "ISSUE-101")
    (exercise,) = json.loads(done.stdout)["exercises"]
    (criteria,) = (check for check in exercise["checks"] if check["code"] == "P02.7")

    assert (exercise["issue"], criteria["outcome"]) == ("ISSUE-101", "pass")
    assert done.returncode == 0


def test_criteria_are_not_asked_for_where_the_course_has_no_such_issue(
    run: Run, script: PathOf, moved: Callable[..., str]
) -> None:
    done = grade_issue(run, script, moved("sandbox", "TEAM-7"), "TEAM-7")

    assert codes_of(done.stdout) == [f"P02.{number}" for number in (1, 2, 3, 4, 5, 6, 8, 9, 10)]
    assert done.returncode == 0


def test_an_issue_in_the_submission_does_not_thin_out_the_criteria(
    run: Run, script: PathOf, moved: Callable[..., str]
) -> None:
    project = moved("sandbox", "TEAM-7")
    issues = os.path.join(project, "sandbox", "issues")
    os.mkdir(issues)
    with open(os.path.join(issues, "TEAM-7.md"), "w", encoding="utf-8") as file:
        file.write("# TEAM-7: T\n\n## Acceptance criteria\n\n- AC99_x: something else.\n")

    assert "P02.7" not in codes_of(grade_issue(run, script, project, "TEAM-7").stdout)


def test_the_last_exercise_of_a_level_leads_to_the_next_level(
    run: Run, script: PathOf, fixture: PathOf
) -> None:
    project = fixture("foundation/04-trace/solved")
    done = run(script("foundation"), "--exercise", "04", "--project", project)
    command = "python3 docs/practitioner/tutorials/verify.py --exercise 01"

    assert done.stdout.endswith(
        f"\nNext, practitioner/01 - Install the IDE pack:\n  {command} --project {project}\n"
    )


@pytest.mark.spec("4.28")
def test_help_goes_to_stdout_and_names_the_way_the_script_was_called(
    run: Run, script: PathOf
) -> None:
    done = run(script("expert"), "--help")

    assert done.stdout.startswith("usage: python3 docs/expert/tutorials/verify.py [-h]")
    assert (done.returncode, done.stderr) == (0, "")
