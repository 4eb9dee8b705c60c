"""`--run` in a course of one's own: a cohort is run in jails, killed, changed and regraded."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import pytest

from tests.acceptance.conftest import VERIFY
from tests.jails import needs_jail

if TYPE_CHECKING:
    from pathlib import Path

    from tests.acceptance.conftest import Run

pytestmark = [
    needs_jail,
    pytest.mark.skipif(shutil.which("node") is None, reason="a service needs Node.js"),
]
EXERCISE = """
from verify.grading.artifacts import ArtifactRef
from verify.course.exercises.shared import readable
from verify.grading.model import Exercise

WORK = ArtifactRef("worker-result.json")
EXERCISE = Exercise(
    level="basics", number=1, slug="echo", title="Echo", issue="ISSUE-1", artifacts=(WORK,),
    checks=readable("B01", 1, WORK), asks=(("ISSUE-1", 20),), service="app",
)
"""
ISSUE = """# ISSUE-1: Echo

## Acceptance criteria

- AC1_echo: `GET /<word>` answers 200 with the word.
- AC2_counts: the second answer has the number 2.
- AC3_text: the code is short.
"""
CRITERIA = """
start = ["node", "--import", "{listen}", "main.mjs"]
draw = { word = "word" }

[[criteria.AC1_echo.exchanges]]
request = "GET /{word}"
expect = { status = 200, text = "1 {word}" }

[[criteria.AC2_counts.exchanges]]
request = "GET /first"
expect = { status = 200 }

[[criteria.AC2_counts.exchanges]]
request = "GET /{word}"
expect = { status = 200, text = "2 {word}" }

[criteria.AC3_text]
not_over_http = "it is about the text of a file"
"""
HONEST = """
import { createServer } from 'node:http';
let count = 0;
createServer((request, response) => {
  count += 1;
  response.end(`${count} ${request.url.slice(1)}`);
}).listen(3000);
"""
RESULT = {"status": "completed", "files_changed": ["a.js"], "blockers": [], "summary": "Echoes"}


@pytest.fixture
def course(tmp_path: Path) -> Path:
    """Return the folder of a course with one exercise whose work is a service."""
    files = {
        "exercises/basics/ex01_echo.py": EXERCISE,
        "issues/ISSUE-1.md": ISSUE,
        "issues/ISSUE-1.acceptance.toml": CRITERIA,
    }
    for path, text in files.items():
        (tmp_path / "mine" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "mine" / path).write_text(text, "utf-8")
    return tmp_path / "mine"


def hand_in(collection: Path, **services: str) -> Path:
    """Write a submission for each service, and return the collection."""
    for name, text in services.items():
        for path, content in (
            ("app/main.mjs", text),
            (".pipeline/ISSUE-1/worker-result.json", json.dumps(RESULT)),
        ):
            (collection / name / path).parent.mkdir(parents=True, exist_ok=True)
            (collection / name / path).write_text(content, "utf-8")
    return collection


def words(course: Path, command: str = "batch") -> tuple[str, ...]:
    return (*VERIFY, command, "--course", str(course), "--gradebook", str(course / "../grades.db"))


def marks(path: Path) -> dict[str, tuple[Any, ...]]:
    """Return what each learner has: the outcome, the score and what was run."""
    standings = json.loads(path.read_text("utf-8"))["standings"]
    found = {each["learner"]: each["marks"][0] for each in standings}
    return {name: (m["outcome"], m["score"], m["run"]) for name, m in found.items()}


def test_a_cohort_is_run_and_what_has_not_changed_is_not_run_again(
    run: Run, course: Path, tmp_path: Path
) -> None:
    collection = hand_in(
        tmp_path / "all",
        honest=HONEST,
        recorded="import { createServer } from 'node:http';\n"
        "createServer((_, response) => response.end('1 first')).listen(3000);\n",
        broken="there is an error",
    )
    out = tmp_path / "grades.json"
    grade = (*words(course), str(collection), "--exercise", "basics/01", "--run")
    first = run(*grade, "--json", str(out))
    found = marks(out)
    again = run(*grade)
    (collection / "broken/app/main.mjs").write_text(HONEST, "utf-8")
    exports = {name: tmp_path / name for name in ("csv", "csv-wide", "feedback", "html")}
    wanted = [word for name, path in exports.items() for word in (f"--{name}", str(path))]
    changed = run(*grade, "--json", str(out), *wanted)

    assert (first.returncode, first.stderr.count("error")) == (1, 0)
    assert found == {
        "broken": ("fail", 3, "0 of 2 criteria hold"),
        "honest": ("pass", 6, "2 of 2 criteria hold"),
        "recorded": ("fail", 3, "0 of 2 criteria hold"),
    }
    assert "0 submissions graded, 3 unchanged since an earlier run" in again.stdout
    assert "1 submission graded, 2 unchanged since an earlier run" in changed.stdout
    assert marks(out)["broken"] == ("pass", 6, "2 of 2 criteria hold")
    for path in exports.values():
        texts = [file.read_text("utf-8") for file in [path, *path.rglob("*")] if file.is_file()]
        assert any("2 of 2 criteria hold" in text for text in texts), path


@pytest.mark.slow
def test_what_the_tests_of_a_cohort_show_is_kept_and_exported(
    run: Run, course: Path, tmp_path: Path
) -> None:
    (course / "app").mkdir()
    (course / "app/main.mjs").write_text(HONEST, "utf-8")
    collection = hand_in(tmp_path / "all", tested=HONEST, vain=HONEST)
    for name, line in (
        ("tested", "import('../one.mjs').then(m => m.one || fail());"),
        ("vain", ""),
    ):
        (collection / name / "app/test").mkdir()
        (collection / name / "app/test/one.test.mjs").write_text(line, "utf-8")
        (collection / name / "app/one.mjs").write_text("export const one = true;\n", "utf-8")
    out, table = tmp_path / "grades.json", tmp_path / "wide.csv"
    grade = (*words(course), str(collection), "--exercise", "basics/01", "--run", "--run-tests")
    first = run(*grade)
    again = run(*grade, "--json", str(out), "--csv-wide", str(table))
    refused = run(*words(course, "regrade"), "--run")

    assert first.returncode == 0
    assert "2 unchanged since an earlier run" in again.stdout
    held = "2 of 2 criteria hold; the tests pass"
    noticed = f"{held}, fail without the change, notice 1 of 1 small faults"
    assert marks(out) == {
        "tested": ("pass", 6, noticed),
        "vain": ("pass", 6, f"{held}, pass without the change"),
    }
    assert noticed in table.read_text("utf-8")
    assert refused.stderr == "verify: this cohort was graded with --run-tests: add --run-tests\n"


def test_criteria_that_change_and_the_option_itself_are_rules(
    run: Run, course: Path, tmp_path: Path
) -> None:
    collection = hand_in(tmp_path / "all", honest=HONEST)
    grade = (*words(course), str(collection), "--exercise", "basics/01")
    without = run(*grade)
    with_run = run(*grade, "--run")
    criteria = course / "issues/ISSUE-1.acceptance.toml"
    criteria.write_text(CRITERIA.replace("2 {word}", "3 {word}"), "utf-8")
    changed = run(*grade, "--run")
    refused = run(*words(course, "regrade"))
    criteria.write_text(CRITERIA, "utf-8")
    regraded = run(*words(course, "regrade"), "--run")

    codes = [done.returncode for done in (without, with_run, changed, refused, regraded)]
    assert codes == [0, 0, 1, 2, 1]
    assert "1 submission graded\n" in changed.stdout
    assert refused.stderr == "verify: this cohort was graded with --run: add --run\n"
    assert "B01.21 fail -> pass" in regraded.stdout


def test_t1_a_term_runs_again_what_it_ran_and_names_what_only_some_were(
    run: Run, course: Path, tmp_path: Path
) -> None:
    hand_in(tmp_path / "all", abe=HONEST, zoe="there is an error")
    week = 'exercises = ["basics/01"]\ncollection = "all"\n'
    term = f'course = "mine"\n[assignments.w1]\n{week}[assignments.w2]\n{week}run = true\n'
    (tmp_path / "term.toml").write_text(term, "utf-8")
    graded = run(*VERIFY, "batch", "--term", "term.toml", "--quiet", cwd=str(tmp_path))
    again = (*VERIFY, "regrade", "--course", "mine", "--quiet")
    regraded = run(*again, cwd=str(tmp_path))
    refused = run(*again, "--run", cwd=str(tmp_path))
    grade = (*words(course), str(tmp_path / "all"), "--exercise", "basics/01")
    one = ("--run", "--learner", "abe", "--apply", "--quiet")
    alone = [run(*command) for command in (grade, (*words(course, "regrade"), *one))][1]

    assert (graded.returncode, graded.stderr) == (1, "")
    assert (regraded.returncode, regraded.stderr) == (0, "")
    assert regraded.stdout.count("0 of 2 results change") == 2
    step = "remove --run, or add run = true to the term and run verify batch"
    assert refused.stderr == f"verify: w1 was graded without --run: {step}\n"
    assert alone.stderr == (
        "verify: only some submissions were run (basics/01: 1 of 2): grade all of them in the"
        " same way: run verify batch again\n"
    )


@pytest.mark.slow
@pytest.mark.figure
def test_a_run_that_is_killed_leaves_nothing_running_and_continues(
    run: Run, course: Path, tmp_path: Path
) -> None:
    token = f"token-{tmp_path.name}-{time.monotonic_ns()}"
    criteria = CRITERIA.replace('"main.mjs"', f'"main.mjs", "{token}"')
    (course / "issues/ISSUE-1.acceptance.toml").write_text(criteria, "utf-8")
    slow = HONEST.replace("let count", "await new Promise((r) => setTimeout(r, 300)); let count")
    collection = hand_in(tmp_path / "all", **{f"l{number}": slow for number in range(8)})
    grade = (*words(course), str(collection), "--exercise", "basics/01", "--run", "--quiet")
    process = subprocess.Popen(
        [sys.executable, *grade], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    time.sleep(3)
    process.send_signal(signal.SIGKILL)
    process.wait()
    time.sleep(1)
    running = subprocess.run(["pgrep", "-fc", token], capture_output=True, check=False)
    done = run(*grade)

    assert running.stdout == b"0\n"
    assert done.returncode == 0
    assert "8 entries: 8 graded" in done.stdout


def test_a_criterion_that_the_file_of_an_own_course_lacks_is_one_line(
    run: Run, course: Path, tmp_path: Path
) -> None:
    criteria = course / "issues/ISSUE-1.acceptance.toml"
    criteria.write_text(CRITERIA.partition("[criteria.AC3_text]")[0], "utf-8")
    collection = hand_in(tmp_path / "all", honest=HONEST)
    done = run(*words(course), str(collection), "--exercise", "basics/01", "--run")

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.endswith(
        "ISSUE-1.acceptance.toml:5:1: $.criteria.AC3_text: the criterion is missing\n"
    ), done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("options", "line"),
    [
        (["--run-trusted"], "--run-trusted is for your own work: use --run, which needs a jail"),
        (["--jail=container"], "--jail=container needs --run"),
        (
            ["--run", "--jail=container"],
            "--jail=container: a container is made for one submission, and there are 2",
        ),
    ],
)
def test_what_others_submit_is_run_in_a_jail_or_not_at_all(
    run: Run, course: Path, tmp_path: Path, options: list[str], line: str
) -> None:
    collection = hand_in(tmp_path / "all", one=HONEST, two=HONEST)
    done = run(*words(course), str(collection), "--exercise", "basics/01", *options)

    assert (done.returncode, done.stderr) == (2, f"verify: {line}\n")


def test_one_submission_may_be_run_in_a_container_of_its_own(
    run: Run, course: Path, tmp_path: Path
) -> None:
    collection = hand_in(tmp_path / "all", one=HONEST)
    grade = (*words(course), str(collection), "--exercise", "basics/01")
    assert run(*grade, "--run", "--jail=container").returncode == 0


def test_a_criterion_that_a_course_asks_is_explained(run: Run, course: Path) -> None:
    done = run(*VERIFY, "explain", "B01.20", "--course", str(course))

    assert done.stdout.startswith("B01.20  AC1_echo: GET /<word> answers 200 with the word\n")
