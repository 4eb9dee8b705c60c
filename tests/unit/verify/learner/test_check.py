"""A request becomes a report, whatever the submission is packed in, and an exit code."""

from __future__ import annotations

import io
import json
import os
import shutil
import tarfile
from typing import TYPE_CHECKING

import pytest

from pipeline.bootstrap import ROOT
from tests.stubs.archives import tar_bytes, written, zip_bytes
from verify.child.limits import Failed
from verify.course import catalog
from verify.grading.model import PASSED, Finding, Outcome, Report, Result, Verdict, failed
from verify.learner import check
from verify.learner.check import NotGraded, answer_of, report_of, reports_of
from verify.learner.progress import parse
from verify.learner.request import GradingRequest
from verify.selftest.course import submissions_of
from verify.selftest.shipped import the_course

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from verify.grading.artifacts import Context
    from verify.learner.check import Answer

SCRIPT = os.path.join("docs", "foundation", "tutorials", "verify.py")
FIXTURES = os.path.join(ROOT, "fixtures", "submissions")
SOLVED = os.path.join(FIXTURES, "foundation", "01-plan", "solved")
PLAN = "sandbox/.pipeline/ISSUE-101/plan.json"


def request(path: str, level: str, number: str, *, is_own: bool = False) -> GradingRequest:
    return GradingRequest(level=level, number=number, project=None if is_own else path)


def answer(path: str, level: str, number: str, *, is_own: bool = False) -> Answer:
    return answer_of(request(path, level, number, is_own=is_own))


def files_of(folder: str) -> list[tuple[str, bytes]]:
    """Return a folder's files as members of an archive."""
    found = []
    for above, _, names in os.walk(folder):
        for name in sorted(names):
            path = os.path.join(above, name)
            with open(path, "rb") as file:
                found.append((os.path.relpath(path, folder).replace(os.sep, "/"), file.read()))
    return found


def packings(scratch: str, fixture: str) -> Iterator[str]:
    """Yield where one submission is, packed in all ways that are read."""
    outer = os.path.join(scratch, "outer")
    shutil.copytree(fixture, os.path.join(outer, "download", "work"))
    files = files_of(fixture)
    yield os.path.join(outer, "download", "work")
    yield os.path.join(outer, "download")
    yield outer
    wrapped = [(f"my work/{name}", data) for name, data in files]
    yield written(os.path.join(scratch, "a.zip"), zip_bytes(*wrapped))
    windows = [(name.replace("/", "\\"), data) for name, data in files]
    yield written(os.path.join(scratch, "b.zip"), zip_bytes(*windows, ("Thumbs.db", b"")))
    yield written(os.path.join(scratch, "c.tar.gz"), tar_bytes(*files, packed="gz"))
    yield written(os.path.join(scratch, "d.tar.bz2"), tar_bytes(*wrapped, packed="bz2"))
    os.mkdir(os.path.join(scratch, "around"))
    macos = zip_bytes(*files, (f"__MACOSX/{PLAN}", b"x"), (".DS_Store", b""))
    written(os.path.join(scratch, "around", "work.zip"), macos)
    yield os.path.join(scratch, "around")


def test_i7_every_fixture_has_the_result_of_the_plain_folder_whatever_it_is_packed_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    differing = []
    course = the_course()
    fixtures = [
        (exercise, os.path.join(course.folder_of(exercise), name))
        for exercise in course.exercises
        for name in submissions_of(course, exercise)
    ]
    for index, (exercise, fixture) in enumerate(fixtures):
        level, number = exercise.level, str(exercise.number)
        scratch = tmp_path / str(index)
        scratch.mkdir()
        monkeypatch.setattr("verify.learner.request.ROOT", fixture)
        expected = answer(fixture, level, number, is_own=True)
        differing += [
            f"{fixture}: {os.path.relpath(path, scratch)}"
            for path in packings(str(scratch), fixture)
            if answer(path, level, number) != expected
        ]
        shutil.rmtree(scratch)

    assert differing == []
    assert len(fixtures) > 180


def test_an_archive_is_graded_in_a_process_of_its_own_and_reported_the_same(
    tmp_path: Path,
) -> None:
    path = written(tmp_path / "a.zip", zip_bytes(*files_of(SOLVED)))
    report = report_of(request(path, "foundation", "1"))
    plain = report_of(request(SOLVED, "foundation", "1"))

    assert (report.passed, report.score, report.unresolved) == (True, 9, None)
    assert report.results == plain.results


def test_an_archive_in_a_folder_is_left_to_a_process_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[GradingRequest] = []

    def run_few(call: object, tasks: list[GradingRequest], limits: object) -> list[Failed]:
        seen.extend(tasks)
        return [Failed(f"took too long: {call is answer_of} {limits is not None}", "look at it")]

    monkeypatch.setattr("verify.child.workers.run_few", run_few)
    written(tmp_path / "a.zip", zip_bytes(*files_of(SOLVED)))
    task = request(str(tmp_path), "foundation", "1")
    with pytest.raises(NotGraded, match="took too long: True True"):
        report_of(task)

    assert seen == [task]


@pytest.mark.parametrize("level", ["foundation", "expert"])
def test_a_history_is_read_in_a_process_of_its_own(
    monkeypatch: pytest.MonkeyPatch, level: str
) -> None:
    monkeypatch.setattr("verify.child.workers.run_few", lambda *_: [Failed("took too long", "")])
    solved = os.path.join(FIXTURES, "expert", "04-evidence", "solved")

    with pytest.raises(NotGraded, match="took too long"):
        report_of(request(solved, level, "4"))


def test_the_histories_of_several_exercises_are_read_in_one_process(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    solved = os.path.join(FIXTURES, "expert", "04-evidence", "solved")
    tasks = [request(solved, level, "4") for level in ("foundation", "practitioner", "expert")]
    alone = [report_of(task).results for task in tasks]
    seen: list[list[GradingRequest]] = []

    def run_few(_: object, tasks: list[GradingRequest], __: object) -> Iterator[Answer]:
        seen.append(tasks)
        return map(answer_of, tasks)

    monkeypatch.setattr("verify.child.workers.run_few", run_few)

    together = [report.results for report in reports_of(tasks)]

    assert [[r.verdict for r in results] for results in together] == [
        [r.verdict for r in results] for results in alone
    ]
    assert seen == [tasks]


def test_what_is_unresolved_has_no_result_and_is_not_passed(tmp_path: Path) -> None:
    path = written(tmp_path / "a.7z", b"7z\xbc\xaf")
    report = report_of(request(path, "foundation", "1"))

    assert report.unresolved is not None
    assert report.unresolved.reason == '"a.7z" is a 7z archive, which is not supported'
    assert (report.results, report.passed, report.begun) == ((), False, False)


def test_a_history_that_took_too_much_is_left_unread_when_it_is_tried_again() -> None:
    solved = os.path.join(FIXTURES, "expert", "04-evidence", "solved")
    again = answer_of(request(solved, "expert", "4"), again=True)
    of_git = again.results[16:23]  # the service is asked the others
    found = {(verdict.outcome, verdict.findings[0].message) for _, verdict, _ in of_git}

    what = "cannot be read within the limits"
    step = "Submit a bundle of the branch and the default branch only."
    assert found == {(Outcome.NOT_CHECKED, f"{what}. {step}")}


def test_members_of_a_tar_may_be_written_in_any_format(tmp_path: Path) -> None:
    for format_ in (tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT):
        out = io.BytesIO()
        with tarfile.open(fileobj=out, mode="w", format=format_) as archive:
            archive.add(SOLVED, "caf\u00e9/" + "long name " * 9)
        path = written(tmp_path / "a.tar", out.getvalue())
        assert all(
            one[1].outcome.value == "pass" for one in answer(path, "foundation", "1").results
        )


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
        results = tuple(Result(check, PASSED) for check in context.exercise.checks)
        return Report(context.exercise, "work", results, strict)

    monkeypatch.setattr(check, "grade", grade)


@pytest.mark.parametrize(("name", "code"), [("solved", 0), ("broken-order", 1)])
def test_the_exit_code_tells_whether_all_passed(name: str, code: int) -> None:
    project = fixture(f"practitioner/02-delegate/{name}")

    assert check.execute(GradingRequest(level="practitioner", number="2", project=project)) == code


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
        check.execute(
            GradingRequest(level="practitioner", number="2", project=project, target=each)
        )
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
    request = GradingRequest(
        level="practitioner", number="2", project=project, issue=issue, format="json"
    )
    code = check.execute(request)
    (exercise,) = json.loads(capsys.readouterr().out)["exercises"]

    assert (code, exercise["issue"]) == (0, issue)
    assert [c["outcome"] for c in exercise["checks"] if c["code"] == "P02.7"] == criteria


@pytest.mark.usefixtures("console_on_path")
def test_only_the_first_failure_says_where_there_is_more(
    capsys: pytest.CaptureFixture[str],
) -> None:
    project = fixture("foundation/04-trace/unsolved")
    check.execute(GradingRequest(level="foundation", number="4", project=project))
    shown = capsys.readouterr().out

    assert shown.count("verify explain") == 1
    assert shown.endswith("\n  More: add --hint, or run: verify explain F04.1\n")


@pytest.mark.usefixtures("all_pass", "in_this_process", "console_on_path")
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
            ["You have passed this level. Next level, practitioner:", "  verify list practitioner"],
        ),
        ("expert", None, ["", "You have passed the last level of the course."]),
    ],
)
def test_what_follows_is_suggested_at_the_end(
    capsys: pytest.CaptureFixture[str], level: str, number: str | None, last_lines: list[str]
) -> None:
    code = check.execute(GradingRequest(level=level, number=number, console=True))
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
    check.execute(GradingRequest(level="foundation", number="1", project=project, format="github"))

    assert capsys.readouterr().out.startswith(
        f"::error file={prefix}sandbox/.pipeline/ISSUE-101/plan.json,title=F01.1 "
    )


def test_without_a_page_the_step_summary_goes_to_stdout(
    capsys: pytest.CaptureFixture[str],
) -> None:
    project = fixture("foundation/01-plan/solved")
    check.execute(GradingRequest(level="foundation", number="1", project=project, format="github"))

    assert capsys.readouterr().out.startswith("```text\nfoundation/01 - Plan an issue")


def test_the_criteria_of_a_damaged_issue_are_our_fault(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "ISSUE-101.md").write_text("nothing\n")
    monkeypatch.setattr("verify.course.catalog.ISSUES", str(tmp_path))
    code = check.execute(GradingRequest(level="foundation", number="1"))

    assert (code, *capsys.readouterr()) == (
        *(3, ""),
        (
            "verify: the course's own files are damaged: "
            f"{tmp_path}/ISSUE-101.md:1: expected a title line '# ISSUE-7: Title': "
            "this is a bug, not your mistake\n"
        ),
    )


def test_a_strict_request_is_graded_strictly(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def grade(context: Context, *, strict: bool) -> Report:
        results = [Result(check, PASSED) for check in context.exercise.checks]
        results[-2] = Result(results[-2].check, failed(Finding("wrong")))
        return Report(context.exercise, "work", tuple(results), strict)

    monkeypatch.setattr(check, "grade", grade)
    requests = [
        GradingRequest(level="foundation", number="1", strict=strict, format="json")
        for strict in (False, True)
    ]
    codes = []
    reports = []
    for request in requests:
        codes.append(check.execute(request))
        reports.append(json.loads(capsys.readouterr().out)["passed"])

    assert (codes, reports) == ([0, 1], [True, False])


@pytest.mark.parametrize(
    ("request_", "sentence"),
    [
        (
            GradingRequest(level="foundation", hint=1),
            "--target, --issue and --hint need one exercise",
        ),
        (
            GradingRequest(level="foundation", number="1", hint=1, format="json"),
            "--hint works only with the table: the other",
        ),
    ],
)
def test_what_does_not_go_together_is_refused_in_one_line(
    capsys: pytest.CaptureFixture[str], request_: GradingRequest, sentence: str
) -> None:
    code = check.execute(request_)
    out, err = capsys.readouterr()

    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith(f"verify: {sentence}")


@pytest.mark.usefixtures("all_pass", "in_this_process")
def test_a_run_of_the_learners_own_exercise_is_counted_and_no_other(progress_file: Path) -> None:
    project = fixture("foundation/02-implement/solved")
    for number in ("1", "01", "2"):
        check.execute(GradingRequest(level="foundation", number=number, format="json"))
    for other in (
        GradingRequest(level="foundation"),
        GradingRequest(level="foundation", number="1", project=project),
        GradingRequest(level="foundation", number="1", target="."),
        GradingRequest(level="foundation", number="1", issue="ISSUE-102"),
    ):
        check.execute(other)

    lines = filter(None, map(parse, progress_file.read_text().split("\n")))

    assert [(line.name, line.runs, line.best) for line in lines] == [
        ("foundation/01", 2, 9),
        ("foundation/02", 1, 14),  # the fake passes what only a running service is asked
    ]


@pytest.mark.parametrize("outcome", [Outcome.FAIL, Outcome.ERROR])
def test_a_run_that_found_nothing_or_crashed_is_not_counted(
    monkeypatch: pytest.MonkeyPatch, progress_file: Path, outcome: Outcome
) -> None:
    def grade(context: Context, *, strict: bool) -> Report:
        wrong = Verdict(outcome, (Finding("wrong"),), crash="Trace")
        results = [Result(check, wrong) for check in context.exercise.checks]
        if outcome is Outcome.ERROR:
            results[1:] = [Result(check, PASSED) for check in context.exercise.checks[1:]]
        return Report(context.exercise, "work", tuple(results), strict)

    monkeypatch.setattr(check, "grade", grade)
    check.execute(GradingRequest(level="foundation", number="1"))

    assert not progress_file.exists()


def test_a_levels_script_is_called_again_with_the_options_that_an_exercise_shares() -> None:
    exercise = catalog.find("foundation", "02")
    request = GradingRequest(
        level="foundation", number="2", project="../work", target=".", issue="AB-1", strict=True
    )

    assert request.words_for("foundation", exercise) == [
        *("python3", SCRIPT, "--exercise", "02", "--project", "../work"),
        *("--target", ".", "--issue", "AB-1", "--strict"),
    ]
    assert request.words_for("foundation", catalog.find("foundation", "03")) == [
        *("python3", SCRIPT, "--exercise", "03", "--project", "../work", "--strict")
    ]


@pytest.mark.usefixtures("console_on_path")
def test_the_console_script_suggests_itself() -> None:
    request = GradingRequest(level="foundation", console=True, project="x")
    exercise = catalog.find("expert", "01")

    assert request.words_for("expert", exercise) == [*("verify", "expert/01", "--project", "x")]
    assert request.words_for("expert", None) == ["verify", "list", "expert", "--project", "x"]
