"""A request is carried out in order: grade, report, suggest what follows, tell by the exit code."""

from __future__ import annotations

import json
import os
import shutil
from typing import TYPE_CHECKING

import pytest

from pipeline.bootstrap import ROOT
from verify import check, command
from verify.model import Finding, Outcome, Report, Result, Verdict, failed
from verify.progress import known
from verify.request import Request

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from verify.artifacts import Context


def fixture(name: str) -> str:
    return os.path.join(ROOT, "fixtures", "submissions", *name.split("/"))


@pytest.fixture(autouse=True)
def _plain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    for name in ("GITHUB_STEP_SUMMARY", "GITHUB_WORKSPACE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(ROOT)


@pytest.fixture
def all_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every exercise pass, whatever is submitted."""

    def grade(context: Context, *, strict: bool) -> Report:
        return Report(context.exercise, "work", context.exercise.passing, strict)

    monkeypatch.setattr(check, "grade", grade)


@pytest.mark.parametrize(("name", "code"), [("solved", 0), ("broken-order", 1)])
def test_the_exit_code_tells_whether_all_passed(name: str, code: int) -> None:
    project = fixture(f"practitioner/02-delegate/{name}")

    assert command.execute(Request(level="practitioner", number="2", project=project)) == code


@pytest.fixture
def moved(tmp_path: Path) -> Callable[..., str]:
    """Return a function that puts a solved plan under another target and issue."""

    def move(target: str, issue: str) -> str:
        folder = tmp_path / target / ".pipeline" / issue
        folder.mkdir(parents=True)
        plan = "practitioner/02-delegate/solved/sandbox/.pipeline/ISSUE-201/plan.json"
        shutil.copy(fixture(plan), folder)
        return str(tmp_path)

    return move


@pytest.mark.spec("4.28")
@pytest.mark.parametrize("target", [".", "packages/api"])
def test_another_target_project_is_graded(moved: Callable[..., str], target: str) -> None:
    project = moved(target, "ISSUE-201")
    codes = [
        command.execute(Request(level="practitioner", number="2", project=project, target=each))
        for each in (None, target)
    ]

    assert codes == [1, 0]


@pytest.mark.parametrize(("issue", "criteria"), [("ISSUE-101", ["pass"]), ("TEAM-7", [])])
def test_the_criteria_of_another_issue_come_from_the_course_alone(
    moved: Callable[..., str], capsys: pytest.CaptureFixture[str], issue: str, criteria: list[str]
) -> None:
    project = moved("sandbox", issue)
    issues = os.path.join(project, "sandbox", "issues")
    os.mkdir(issues)
    with open(os.path.join(issues, f"{issue}.md"), "w", encoding="utf-8") as file:
        file.write(f"# {issue}: T\n\n## Acceptance criteria\n\n- AC99_x: something else.\n")
    request = Request(level="practitioner", number="2", project=project, issue=issue, format="json")
    code = command.execute(request)
    (exercise,) = json.loads(capsys.readouterr().out)["exercises"]

    assert (code, exercise["issue"]) == (0, issue)
    assert [c["outcome"] for c in exercise["checks"] if c["code"] == "P02.7"] == criteria


@pytest.mark.usefixtures("console_on_path")
def test_only_the_first_failure_says_where_there_is_more(
    capsys: pytest.CaptureFixture[str],
) -> None:
    project = fixture("foundation/04-trace/unsolved")
    command.execute(Request(level="foundation", number="4", project=project))
    shown = capsys.readouterr().out

    assert shown.count("verify explain") == 1
    assert shown.endswith("\n  More: add --hint, or run: verify explain F04.1\n")


@pytest.mark.usefixtures("all_pass", "console_on_path")
@pytest.mark.parametrize(
    ("level", "number", "last_lines"),
    [
        (
            "foundation",
            "4",
            ["Next, practitioner/01 - Install the IDE pack:", "  verify practitioner/01"],
        ),
        ("expert", "4", ["", "That was the last exercise of the course."]),
        (
            "foundation",
            None,
            ["The level is done. Next, practitioner:", "  verify list practitioner"],
        ),
        ("expert", None, ["", "The course is done."]),
    ],
)
def test_what_follows_is_suggested_at_the_end(
    capsys: pytest.CaptureFixture[str], level: str, number: str | None, last_lines: list[str]
) -> None:
    code = command.execute(Request(level=level, number=number, console=True))
    shown = capsys.readouterr().out.splitlines()[-2:]

    assert code == 0
    assert shown[-1] == last_lines[-1]
    assert shown[0].endswith(last_lines[0])


@pytest.mark.parametrize(
    ("workspace", "prefix"),
    [(ROOT, "fixtures/submissions/foundation/01-plan/unsolved/"), (os.path.join(ROOT, "docs"), "")],
)
def test_an_annotation_is_placed_from_the_workspace(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    workspace: str,
    prefix: str,
) -> None:
    monkeypatch.setenv("GITHUB_WORKSPACE", workspace)
    project = fixture("foundation/01-plan/unsolved")
    command.execute(Request(level="foundation", number="1", project=project, format="github"))

    assert capsys.readouterr().out.startswith(
        f"::error file={prefix}sandbox/.pipeline/ISSUE-101/plan.json,title=F01.1 "
    )


def test_without_a_page_the_step_summary_goes_to_stdout(
    capsys: pytest.CaptureFixture[str],
) -> None:
    project = fixture("foundation/01-plan/solved")
    command.execute(Request(level="foundation", number="1", project=project, format="github"))

    assert capsys.readouterr().out.startswith("## foundation/01 Plan an issue: passed, 9 of 9")


def test_the_criteria_of_a_damaged_issue_are_nobodys_fault_but_ours(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "ISSUE-101.md").write_text("nothing\n")
    monkeypatch.setattr("verify.catalog.ISSUES", str(tmp_path))
    code = command.execute(Request(level="foundation", number="1"))
    out, err = capsys.readouterr()

    assert (code, out, err.count("\n")) == (3, "", 1)
    assert err.startswith("verify: the course's own files are damaged: ")


def test_a_strict_request_is_graded_strictly(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def grade(context: Context, *, strict: bool) -> Report:
        *results, last, required = context.exercise.passing
        note = Result(last.check, failed(Finding("wrong")))
        return Report(context.exercise, "work", (*results, note, required), strict)

    monkeypatch.setattr(check, "grade", grade)
    requests = [
        Request(level="foundation", number="1", strict=strict, format="json")
        for strict in (False, True)
    ]
    codes = []
    reports = []
    for request in requests:
        codes.append(command.execute(request))
        reports.append(json.loads(capsys.readouterr().out)["passed"])

    assert (codes, reports) == ([0, 1], [True, False])


@pytest.mark.parametrize(
    ("request_", "sentence"),
    [
        (Request(level="foundation", watch=True), "--watch goes with one exercise: add"),
        (
            Request(level="foundation", number="1", watch=True, format="json"),
            "--watch goes with the table: the other",
        ),
        (
            Request(level="foundation", number="1", watch=True, project="/missing"),
            "--project /missing does not exist",
        ),
        (Request(level="foundation", hint=1), "--target, --issue and --hint go with one exercise"),
        (
            Request(level="foundation", number="1", hint=1, format="json"),
            "--hint goes with the table: the other",
        ),
    ],
)
def test_what_does_not_go_together_is_refused_in_one_line(
    capsys: pytest.CaptureFixture[str], request_: Request, sentence: str
) -> None:
    code = command.execute(request_)
    out, err = capsys.readouterr()

    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith(f"verify: {sentence}")


@pytest.mark.usefixtures("all_pass")
def test_a_run_of_the_learners_own_exercise_is_counted_and_no_other() -> None:
    project = fixture("foundation/02-implement/solved")
    for number in ("1", "01", "2"):
        command.execute(Request(level="foundation", number=number, format="json"))
    for other in (
        Request(level="foundation"),
        Request(level="foundation", number="1", project=project),
        Request(level="foundation", number="1", target="."),
        Request(level="foundation", number="1", issue="ISSUE-102"),
    ):
        command.execute(other)

    assert {name: (line.runs, line.best) for name, line in known().items()} == {
        "foundation/01": (2, 9),
        "foundation/02": (1, 10),
    }


@pytest.mark.parametrize("outcome", [Outcome.FAIL, Outcome.ERROR])
def test_a_run_that_found_nothing_or_crashed_is_not_counted(
    monkeypatch: pytest.MonkeyPatch, progress_file: Path, outcome: Outcome
) -> None:
    def grade(context: Context, *, strict: bool) -> Report:
        wrong = Verdict(outcome, (Finding("wrong"),), crash="Trace")
        results = [Result(check, wrong) for check in context.exercise.checks]
        if outcome is Outcome.ERROR:
            results[1:] = context.exercise.passing[1:]
        return Report(context.exercise, "work", tuple(results), strict)

    monkeypatch.setattr(check, "grade", grade)
    command.execute(Request(level="foundation", number="1"))

    assert not progress_file.exists()
