"""`--run` on the sandbox itself: a solution holds, and what does not hold shows its exchange."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pipeline.bootstrap import ROOT
from tests.jails import needs_jail
from tests.stubs.repositories import git
from tests.stubs.solutions import taken_literally
from verify.cli import main
from verify.course import catalog
from verify.grading.ways import JAIL
from verify.learner.check import answer_of
from verify.learner.request import GradingRequest
from verify.running.criteria import Place

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = needs_jail
SOLUTION = Path(ROOT, "fixtures", "solutions", "ISSUE-101")


@pytest.fixture(autouse=True)
def _with_packages(monkeypatch: pytest.MonkeyPatch, installed: Path) -> None:
    monkeypatch.setattr(Place, "installed", str(installed / "node_modules"))


@pytest.fixture
def work(tmp_path: Path, copy_to: Callable[[Path], Path], apply: Callable[..., None]) -> Path:
    """Return a submission with the solution of foundation/02."""
    sandbox = copy_to(tmp_path / "work" / "sandbox")
    apply(SOLUTION / "changes.patch", sandbox)
    artifacts = sandbox / ".pipeline" / "ISSUE-101"
    artifacts.mkdir(parents=True)
    for name in ("plan.json", "worker-result.json"):
        shutil.copy(SOLUTION / name, artifacts)
    return tmp_path / "work"


Graded = tuple[int, dict[str, Any]]


@pytest.fixture
def graded(work: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., Graded]:
    """Return what grades foundation/02: the exit code, and the exercise in the JSON report."""

    def grade(*words: str, path: Path = work) -> Graded:
        code = main(["foundation/02", "--project", str(path), "--format", "json", *words])
        (exercise,) = json.loads(capsys.readouterr().out)["exercises"]
        return code, exercise

    return grade


def outcomes(exercise: dict[str, Any]) -> dict[str, str]:
    """Return the outcome of each criterion by its code."""
    return {c["code"]: c["outcome"] for c in exercise["checks"] if len(c["code"]) == len("F02.20")}


def test_each_criterion_of_the_issue_is_a_check_that_is_asked_of_the_running_service(
    graded: Callable[..., Graded],
) -> None:
    code, exercise = graded("--run", "--seed", "7")
    keys = ("passed", "score", "points", "run")

    assert code == 0
    assert outcomes(exercise) == dict.fromkeys(("F02.20", "F02.21", "F02.22", "F02.23"), "pass")
    assert [exercise[key] for key in keys] == [
        True,
        14,
        14,
        {"held": 4, "asked": 4, "way": "jail", "seed": 7, "tests": False},
    ]


def test_what_was_run_is_said_on_github_and_in_junit_too(
    work: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["foundation/02", "--project", str(work), "--run", "--seed", "7", "--format"]
    main([*words, "github"])
    summary = capsys.readouterr().out
    main([*words, "junit"])

    assert "\nrun: 4 of 4 criteria hold (seed 7)\n" in summary
    assert (
        '<property name="run" value="4 of 4 criteria hold (seed 7)" />' in capsys.readouterr().out
    )


def in_this_process(name: str, project: Path) -> list[str]:
    """Return the outcomes of an exercise that is otherwise graded in another process."""
    level, _, number = name.partition("/")
    words = GradingRequest(level=level, number=number, project=str(project), run=JAIL, seed=7)
    return [verdict.outcome.value for _, verdict, _ in answer_of(words).results]


def test_the_service_of_an_archive_is_run_too(work: Path) -> None:
    archive = Path(shutil.make_archive(str(work), "zip", work))

    assert in_this_process("foundation/02", archive) == ["pass"] * 12


def test_without_run_nothing_is_started_and_the_table_says_so(
    graded: Callable[..., Graded], work: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (work / "sandbox/src/app.js").write_text("x", "utf-8")
    code, exercise = graded()
    main(["foundation/02", "--project", str(work)])
    table = capsys.readouterr().out

    assert (code, exercise["score"], exercise["points"]) == (0, 10, 10)
    assert set(outcomes(exercise).values()) == {"not checked"}
    assert "Nothing was run, so this does not show that the code works: add --run.\n" in table
    assert "F02.20" not in table


def test_a_criterion_that_does_not_hold_shows_what_was_sent_expected_and_found(
    graded: Callable[..., Graded], work: Path
) -> None:
    routes = work / "sandbox/src/health/routes.js"
    routes.write_text(routes.read_text("utf-8").replace("no-store", "no-cache"), "utf-8")
    code, exercise = graded("--run", "--seed", "7")
    failure = next(check for check in exercise["checks"] if check["code"] == "F02.22")

    assert code == 1
    assert list(outcomes(exercise).values()) == ["pass", "pass", "fail", "pass"]
    assert failure["title"] == "AC3_no_store: the answer carries the header Cache-Control: no-store"
    (finding,) = failure["findings"]
    assert finding["message"].startswith("GET /health (exchange 1 of 1): ")
    assert finding["found"] == '"no-cache"'
    assert finding["next_step"].endswith(" --run --seed 7 asks the same again.")


def test_a_service_that_does_not_start_is_one_failure_with_the_place_of_its_own_error(
    graded: Callable[..., Graded], work: Path
) -> None:
    app = work / "sandbox/src/app.js"
    app.write_text(app.read_text("utf-8") + "\nthere is an error here\n", "utf-8")
    code, exercise = graded("--run")
    first, *others = [check for check in exercise["checks"] if len(check["code"]) == len("F02.20")]
    (finding,) = first["findings"]

    assert (code, first["outcome"]) == (1, "fail")
    assert finding["message"].startswith("the service does not start: SyntaxError: ")
    assert (finding["file"], finding["line"]) == ("sandbox/src/app.js", 25)
    assert [(check["outcome"], check["waits_for"]) for check in others] == [("skip", "F02.20")] * 3


@pytest.mark.parametrize("change", ["a file for a folder", "a folder for a file"])
def test_a_file_in_the_place_of_a_folder_of_the_course_is_no_fault_of_ours(
    graded: Callable[..., Graded], work: Path, change: str
) -> None:
    notes = work / "sandbox/src/notes"
    if change == "a file for a folder":
        shutil.rmtree(notes)
        notes.write_text("export {};\n", "utf-8")
    else:
        (notes / "store.js").unlink()
        (notes / "store.js").mkdir()
        (notes / "store.js/index.js").write_text("export {};\n", "utf-8")
    code, exercise = graded("--run")

    assert code == 1
    assert list(outcomes(exercise).values()) == ["fail", "skip", "skip", "skip"]


def test_a_file_whose_name_is_too_long_for_a_disk_is_left_out(work: Path) -> None:
    packed = Path(shutil.make_archive(str(work), "zip", work))
    with zipfile.ZipFile(packed, "a") as archive:
        archive.writestr(f"sandbox/src/{'x' * 300}.js", "export {};\n")

    assert in_this_process("foundation/02", packed) == ["pass"] * 12


def test_the_packages_and_files_of_a_submission_are_not_those_that_run(
    graded: Callable[..., Graded], work: Path
) -> None:
    evil = work / "sandbox/node_modules/fastify"
    evil.mkdir(parents=True)
    (evil / "index.js").write_text("throw new Error('not mine')", "utf-8")
    (work / "sandbox/src/notes/store.js").unlink()
    (work / "sandbox/src/notes/store.js").symlink_to(SOLUTION / "plan.json")

    assert graded("--run")[0] == 0


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["--seed", "7"], "--jail, --seed and --run-tests need --run"),
        (["--run-tests"], "--jail, --seed and --run-tests need --run"),
        (["--jail=container"], "--jail, --seed and --run-tests need --run"),
        (["--run-trusted", "--jail=container"], "--jail, --seed and --run-tests need --run"),
    ],
)
def test_an_option_that_does_not_fit_is_refused(
    work: Path, capsys: pytest.CaptureFixture[str], words: list[str], line: str
) -> None:
    code = main(["foundation/02", "--project", str(work), *words])

    assert (code, capsys.readouterr().err) == (2, f"verify: {line}\n")


@pytest.mark.parametrize(
    ("name", "fake", "line"),
    [
        ("Place.installed", "", "the packages of the service are not installed: run npm ci in "),
        ("missing", lambda: "no jail here", "no jail here"),
        ("installed_version", lambda _: (18, 0), "Node.js 20 or newer is not on PATH: install it"),
    ],
)
def test_what_the_machine_lacks_is_one_line_and_no_failure(
    work: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    fake: object,
    line: str,
) -> None:
    monkeypatch.setattr(f"verify.running.criteria.{name}", fake)
    code = main(["foundation/02", "--project", str(work), "--run"])
    said = capsys.readouterr().err

    assert code == 2
    assert said.startswith(f"verify: the service cannot be run: {line}")
    assert said.count("\n") == 1


def test_an_exercise_without_a_service_has_nothing_to_run(
    work: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["expert/03", "--project", str(work), "--run"])

    assert "run: nothing, since this exercise asks for no service\n" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "unasked"), [pytest.param("expert/02", 4, marks=pytest.mark.slow), ("expert/04", 1)]
)
def test_what_is_published_is_run_from_its_own_commit(
    tmp_path: Path, name: str, unasked: int
) -> None:
    copy = tmp_path / "copy"
    taken_literally(catalog.named(name), copy)
    git(copy, "switch", "-q", "main")  # the files beside the history have none of the work
    found = in_this_process(name, copy)

    assert found.count("not checked") == unasked
    assert set(found) == {"pass", "not checked"}


LESSONS = {
    "foundation/02": "02-implement",
    "foundation/04": "04-trace",
    "practitioner/03": "03-implement",
    "practitioner/04": "04-trace",
    "expert/02": "02-tiers",
    "expert/04": "04-evidence",
}


@pytest.mark.parametrize(
    "name", ["foundation/02", *(pytest.param(n, marks=pytest.mark.slow) for n in [*LESSONS][1:])]
)
def test_the_lesson_quotes_what_a_run_shows(tmp_path: Path, installed: Path, name: str) -> None:
    taken_literally(catalog.named(name), tmp_path / "copy")
    words = [name, "--project", str(tmp_path / "copy"), "--run", "--seed", "7"]
    # In a process of its own, which has no threads: what grades a history is a fork of it.
    code = (
        "from verify.cli import main; from verify.running.criteria import Place;"
        f"Place.installed = {str(installed / 'node_modules')!r}; main({words})"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    shown = done.stdout.split("\n")
    at = next(number for number, line in enumerate(shown) if line.startswith("PASSED"))
    lesson = Path(ROOT, "docs", name.partition("/")[0], f"tutorials/{LESSONS[name]}.md")

    assert "\n".join(["```text", *shown[at : at + 2], "```"]) in lesson.read_text("utf-8")
