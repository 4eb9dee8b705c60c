"""`verify kit`: what it writes is used as each platform uses it."""

from __future__ import annotations

import csv
import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from jsonschema import Draft202012Validator

from pipeline.bootstrap import ROOT as ROOT_PATH
from verify.cli import main

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(ROOT_PATH)
PLANS = ROOT / "fixtures" / "submissions" / "foundation" / "01-plan"
PLAN = ("--exercise", "foundation/01")
SETTINGS = ("hidden", "after_due_date", "after_published", "visible")
TEXT, COUNT = {"type": "string", "minLength": 1}, {"type": "integer", "minimum": 0}
# Gradescope's documentation of results.json: a score at the top, or one of each test
RESULTS: dict[str, Any] = {
    "required": ["score", "tests"],
    "properties": {
        "score": {"type": "number"},
        "output": {"type": "string"},
        "output_format": {"enum": ["text", "simple_format", "html", "md", "ansi"]},
        "visibility": {"enum": SETTINGS},
        "stdout_visibility": {"enum": SETTINGS},
        "tests": {
            "items": {
                "properties": {
                    "score": {"type": "number"},
                    "max_score": {"type": "number"},
                    "status": {"enum": ["passed", "failed"]},
                    "name": TEXT,
                    "number": {"pattern": r"^\d+\.\d+$"},
                    "output": {"type": "string"},
                }
            }
        },
    },
}
ONE = {
    "required": ["test-name", "passed", "score", "max-score"],
    "properties": {
        "test-name": TEXT,
        "passed": {"type": "boolean"},
        "score": COUNT,
        "max-score": COUNT,
    },
}
RESULT: dict[str, Any] = {  # the rules of Classroom 50's result-v1.schema.json
    "properties": {
        "schema": {"const": "classroom50/result/v1"},
        **dict.fromkeys(("classroom", "assignment", "owner", "commit", "release", "review"), TEXT),
        "assignment_type": {"enum": ["individual", "group"]},
        "submission": {"pattern": "^submit/"},
        "datetime": {"pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$"},
        **dict.fromkeys(("score", "max-score"), COUNT),
        "tests": {"items": ONE},
    },
    "additionalProperties": False,
}
RESULT["required"] = list(RESULT["properties"])
RUNNER = {  # what Classroom 50's runner gives to an autograder
    "CLASSROOM": "cs1",
    "ASSIGNMENT": "hw1",
    "SUBMISSION_TAG": "submit/2026-06-01T14-32-05Z-a1b2c3d",
    "PAGES_BASE_URL": "https://cs1.example/classroom50",
    "USERNAME": "ada",
    "OWNER": "ada",
    "ASSIGNMENT_TYPE": "individual",
    "COMMIT_URL": "https://git.example/commit/a1b2c3d",
    "RELEASE_URL": "https://git.example/releases/1",
    "REVIEW_URL": "https://git.example/compare/a...b",
}


def kit(*words: str | Path) -> int:
    return main(["kit", *map(str, words)])


def set_up(course: Path) -> None:
    """Stand in for start.py, which installs packages: the kit's own code runs by this Python."""
    program = course / ".venv" / "bin" / "verify"
    program.parent.mkdir(parents=True)
    words = f"PYTHONPATH='{course}' exec '{sys.executable}' -m verify"
    program.write_text(f'#!/bin/sh\n{words} "$@"\n', "utf-8")
    program.chmod(0o755)


@pytest.fixture(scope="module")
def gradescope(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return /autograder as Gradescope lays it out, without a submission."""
    above = tmp_path_factory.mktemp("gradescope")
    assert kit("gradescope", above / "kit.zip", *PLAN) == 0
    source = above / "autograder" / "source"
    with zipfile.ZipFile(above / "kit.zip") as archive:
        archive.extractall(source)
    for name in ("setup.sh", "run_autograder"):
        assert archive.getinfo(name).external_attr >> 16 & 0o111
        (source / name).chmod(0o755)
    shutil.copy(source / "run_autograder", source.parent)
    set_up(source / "course")
    return source.parent


def autograded(autograder: Path) -> dict[str, Any]:
    environment = os.environ | {"AUTOGRADER": str(autograder)}
    words = [autograder / "run_autograder"]
    done = subprocess.run(words, cwd=autograder, env=environment, check=False, capture_output=True)
    assert done.returncode == 0
    document: dict[str, Any] = json.loads((autograder / "results" / "results.json").read_text())
    return document


@pytest.mark.parametrize(
    ("work", "score", "failed"),
    [("solved", 9, []), ("broken-no-tests", 9, ["F01.9"]), ("unsolved", 0, ["F01.1"])],
)
def test_k1_gradescope_s_kit_leaves_results_as_documented(
    work: str, score: int, failed: list[str], gradescope: Path, tmp_path: Path
) -> None:
    autograder = tmp_path / "a, 'b'"
    shutil.copytree(gradescope, autograder)
    shutil.copytree(PLANS / work, autograder / "submission")
    found = autograded(autograder)

    assert list(Draft202012Validator(RESULTS).iter_errors(found)) == []
    assert found["score"] == sum(test.get("score", 0) for test in found["tests"]) == score
    assert sum(test.get("max_score", 0) for test in found["tests"]) == 9
    names = [test["name"].split()[0] for test in found["tests"] if test["status"] == "failed"]
    assert names[: len(failed)] == failed


def test_k1_what_is_no_grade_has_no_score_and_says_why(gradescope: Path, tmp_path: Path) -> None:
    autograder = tmp_path / "autograder"
    shutil.copytree(gradescope, autograder)
    (autograder / "submission").mkdir()
    (autograder / "submission" / "plan.pdf").write_bytes(b"%PDF-1.7")
    unresolved = autograded(autograder)
    (autograder / "source" / "course" / ".venv" / "bin" / "verify").write_text(
        "#!/bin/sh\nexit 3\n"
    )
    crashed = autograded(autograder)
    shutil.rmtree(autograder / "source" / "course")

    assert "score" not in unresolved
    assert "foundation/01: unresolved" in unresolved["output"]
    assert [test for test in unresolved["tests"] if "score" in test] == []
    assert crashed == autograded(autograder)
    assert crashed == {
        "output": "The grader failed: this is not your fault, and it is no grade."
        " Please tell your instructor.",
        "output_format": "text",
    }


@pytest.mark.parametrize(
    ("has", "installs"),
    [
        ((), ["apt-get update", "apt-get install --yes --no-install-recommends git python3-venv"]),
        (("git", "ensurepip"), []),
    ],
)
def test_k1_the_image_of_gradescope_gets_what_it_lacks(
    has: tuple[str, ...], installs: list[str], gradescope: Path, tmp_path: Path
) -> None:
    log, course = tmp_path / "log", gradescope / "source" / "course"
    fails = f'case "$2" in *ensurepip) exit {int("ensurepip" not in has)} ;; esac'
    for name in ("python3", "apt-get", *has):
        (tmp_path / name).write_text(f'#!/bin/sh\necho "{name} $*" >>"{log}"\n{fails}\n')
        (tmp_path / name).chmod(0o755)
    words = ["/bin/sh", str(gradescope / "source" / "setup.sh")]
    environment = {"PATH": str(tmp_path), "AUTOGRADER": str(gradescope)}
    subprocess.run(words, env=environment, check=True)

    assert log.read_text().splitlines() == [
        "python3 -c import ensurepip",
        *installs,
        f"python3 {course}/start.py cohort",
    ]


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("node"), reason="needs Node.js")
def test_k1_with_run_the_criteria_are_asked_in_the_platform_s_container(tmp_path: Path) -> None:
    if not (ROOT / "sandbox" / "node_modules").is_dir():
        pytest.skip("needs npm ci in sandbox/")
    autograder = tmp_path / "autograder"
    words = ("--exercise", "foundation/02", "--run")
    assert kit("gradescope", autograder / "source", *words) == 0
    course = autograder / "source" / "course"
    shutil.copy(autograder / "source" / "run_autograder", autograder)
    shutil.copytree(ROOT / "sandbox" / "node_modules", course / "sandbox" / "node_modules")
    set_up(course)
    shutil.copytree(PLANS.parent / "02-implement" / "solved", autograder / "submission")
    found = autograded(autograder)

    assert list(Draft202012Validator(RESULTS).iter_errors(found)) == []
    assert found["score"] == sum(test.get("max_score", 0) for test in found["tests"]) == 14
    assert [test["name"] for test in found["tests"] if test["status"] != "passed"] == []
    assert kit("classroom50", tmp_path / "hw1", *words) == 0
    shutil.move(course / "sandbox" / "node_modules", tmp_path / "hw1" / "course" / "sandbox")
    set_up(tmp_path / "hw1" / "course")
    code, result, _ = graded(tmp_path / "hw1", autograder / "submission")

    assert (code, result["score"], result["max-score"]) == (0, 14, 14)
    assert all(test["passed"] for test in result["tests"])


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of an assignment as Classroom 50's runner unpacks it."""
    folder = tmp_path_factory.mktemp("runtime") / "hw1"
    assert kit("classroom50", folder, *PLAN) == 0
    set_up(folder / "course")
    return folder


@pytest.fixture
def checkout(tmp_path: Path) -> Callable[[str], Path]:
    def made(work: str) -> Path:
        shutil.copytree(PLANS / work, tmp_path / "work", dirs_exist_ok=True)
        return tmp_path / "work"

    return made


def graded(bundle: Path, work: Path, **more: str) -> tuple[int, dict[str, Any], str]:
    """Start an autograder as the runner does; return its exit code, result and errors."""
    done = subprocess.run(
        [sys.executable, bundle / "autograder.py"],
        cwd=work,
        env=os.environ | RUNNER | more,
        check=False,
        capture_output=True,
        text=True,
    )
    result = work / "result.json"
    return done.returncode, json.loads(result.read_text()) if result.is_file() else {}, done.stderr


@pytest.mark.parametrize(("work", "score"), [("solved", 9), ("broken-files-and-steps", 7)])
def test_k2_classroom_50_s_kit_leaves_a_result_that_its_collector_takes(
    work: str, score: int, bundle: Path, checkout: Callable[[str], Path]
) -> None:
    code, result, _ = graded(bundle, checkout(work))

    assert code == 0
    assert list(Draft202012Validator(RESULT).iter_errors(result)) == []
    assert (result["score"], result["max-score"]) == (score, 9)
    for field in ("score", "max-score"):
        assert result[field] == sum(test[field] for test in result["tests"])
    assert all(test["passed"] == (test["score"] == test["max-score"]) for test in result["tests"])
    assert result["tests"][0]["test-name"] == "F01.1 plan.json is in the issue's folder"
    assert [result[field] for field in ("owner", "submission", "review")] == [
        *("ada", RUNNER["SUBMISSION_TAG"], RUNNER["REVIEW_URL"])
    ]


def test_k2_a_checkout_neither_runs_in_the_grader_nor_leads_its_result_elsewhere(
    bundle: Path, checkout: Callable[[str], Path], tmp_path: Path
) -> None:
    work = checkout("broken-files-and-steps")
    for name in ("verify/__init__.py", "pipeline/__init__.py", "json.py", "sitecustomize.py"):
        (work / name).parent.mkdir(exist_ok=True)
        (work / name).write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n", "utf-8")
    (work / "result.json").symlink_to(tmp_path / "stolen")
    plan = work / "sandbox" / ".pipeline" / "ISSUE-101" / "plan.json"
    plan.write_text(plan.read_text("utf-8").replace("src/", "````\\u001b[31m/", 1), "utf-8")
    code, result, _ = graded(bundle, work)
    page = (work / "release-body.md").read_text("utf-8")

    assert (code, result["max-score"]) == (0, 9)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["work"]
    assert page.startswith("`````text\n")
    assert page.rstrip().endswith("\n`````")
    assert page.count("`````") == 2
    assert "\x1b" not in page


def test_k2_what_is_no_grade_ends_with_an_error(
    bundle: Path, checkout: Callable[[str], Path], tmp_path: Path
) -> None:
    lacking = graded(bundle, checkout("solved"), OWNER="")
    shutil.rmtree(tmp_path / "work")
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "plan.pdf").write_bytes(b"%PDF-1.7")
    code, result, errors = graded(bundle, tmp_path / "work")

    assert lacking == (
        1,
        {},
        "The grader failed: OWNER not set: Classroom 50's runner starts this file\n",
    )
    assert (code, result) == (1, {})
    assert "The grader failed: foundation/01: unresolved" in errors


def test_k3_the_container_is_built_from_what_is_beside_its_file(tmp_path: Path) -> None:
    assert kit("container", tmp_path / "image") == 0
    lines = (
        (tmp_path / "image" / "Containerfile").read_text("utf-8").replace("\\\n", "").split("\n")
    )
    steps = [line.split(" ", 1) for line in lines if line and not line.startswith("#")]
    scripts = [script for step, script in steps if step == "RUN"]
    copied = [Path(tmp_path / "image", rest.split()[0]) for step, rest in steps if step == "COPY"]

    assert [step for step, _ in steps] == [
        *("FROM", "RUN", "COPY", "RUN", "USER", "WORKDIR", "ENTRYPOINT")
    ]
    assert all(path.is_dir() for path in copied)
    assert all(subprocess.run(["sh", "-n", "-c", text], check=True) for text in scripts)
    assert json.loads(steps[-1][1]) == ["/course/.venv/bin/verify"]
    assert dict(steps)["USER"] == "1000"


@pytest.mark.slow
def test_k3_the_container_grades_a_submission_that_is_mounted(tmp_path: Path) -> None:
    found = (name for name in ("podman", "docker") if shutil.which(name))
    works = (name for name in found if not subprocess.run([name, "info"], check=False).returncode)
    builder = next(works, "")
    if not builder:
        pytest.skip("needs podman, or Docker's service")
    image = tmp_path / "image"
    assert kit("container", image) == 0
    build = [builder, "build", "--tag", "course-kit", "--file", str(image / "Containerfile")]
    subprocess.run([*build, str(image)], check=True)
    mounted = ["--network", "none", "--volume", f"{PLANS / 'solved'}:/work:ro", "course-kit"]
    words = [builder, "run", "--rm", *mounted, "foundation/01", "--project", "/work"]
    done = subprocess.run(words, check=False, capture_output=True, text=True)

    assert (done.returncode, "PASSED  9 of 9 points" in done.stdout) == (0, True)


def in_copy(course: Path, *words: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "verify", *map(str, words)]
    return subprocess.run(command, cwd=course, check=False, capture_output=True, text=True)


def test_k4_a_learner_s_copy_has_no_solution_and_grades_as_ever(tmp_path: Path) -> None:
    copy = tmp_path / "course"
    copy.mkdir()
    assert kit("course", copy, "--without-solutions") == 0
    words = ("foundation/01", "--project", PLANS / "solved")
    there, here = (in_copy(course, *words).stdout.split("\n\n") for course in (copy, ROOT))
    files = {path.relative_to(copy).as_posix() for path in copy.rglob("*") if path.is_file()}
    outside = {path for path in files if "own_course/template" not in path}

    assert there[:3] == here[:3]
    assert [part for part in there if "Compare with a solution" in part] == []
    assert {path for path in files if path.startswith("fixtures/")} == {"fixtures/sandbox.bundle"}
    assert {path for path in outside if "solved" in path or "solutions/" in path} == set()
    assert {path for path in files if path.startswith(("tests/", "benchmarks/", ".git/"))} == set()
    assert {"README.md", "start.py", "docs/index.md", ".gitignore", "AGENTS.md"} <= files


@pytest.mark.slow
def test_k4_every_exercise_has_the_same_points_in_a_learner_s_copy(tmp_path: Path) -> None:
    assert kit("course", tmp_path / "copy", "--without-solutions") == 0
    works = sorted((ROOT / "fixtures" / "submissions").glob("*/*/[bsu]*/"))
    chosen = {work.parent: work for work in works if work.is_dir()}
    assert len(chosen) == 12  # each exercise
    for work in chosen.values():
        level, exercise = work.parts[-3], work.parts[-2][:2]
        words = (f"{level}/{exercise}", "--project", work, "--format", "json")
        there, here = (in_copy(course, *words) for course in (tmp_path / "copy", ROOT))

        assert (there.returncode, there.stdout) == (here.returncode, here.stdout)


REFUSED = {
    ("gradescope", "new"): (
        "kit gradescope needs the exercises to grade: add --exercise, such as expert/04"
    ),
    ("gradescope", "new", *PLAN, "--run"): "--run: foundation/01 asks for no service",
    ("gradescope", "new", *PLAN, "--without-solutions"): (
        "kit gradescope never contains solutions: leave out --without-solutions"
    ),
    ("container", "new", *PLAN): "kit container takes no --exercise",
    ("moodle", "new"): "kit moodle needs the exercises to grade: add --exercise, such as expert/04",
    ("course", "new", "--run"): ("kit course takes no --run: give it to the command that grades"),
    ("course", "full"): "full already exists (expected a new or empty folder)",
    ("gradescope", "full.zip", *PLAN): "full.zip already exists (expected a new file)",
    ("course", "full/file/new"): "full/file/new cannot be written: not a directory",
}


@pytest.mark.parametrize("words", REFUSED)
def test_k5_a_kit_that_cannot_be_made_is_one_line_and_leaves_nothing(
    words: tuple[str, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("full").mkdir()
    for name in ("full/file", "full.zip"):
        Path(name).write_text("mine")

    assert kit(*words) == 2
    assert capsys.readouterr() == ("", f"verify: {REFUSED[words]}\n")
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["file", "full", "full.zip"]


@pytest.mark.parametrize("target", [".", "link", "new/er/", "a 'b'\n"])
def test_k5_a_kit_is_written_to_any_new_or_empty_folder(
    target: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("here", "empty"):
        (tmp_path / name).mkdir()
    if target == "link":
        Path(tmp_path, "here", target).symlink_to(tmp_path / "empty")
    monkeypatch.chdir(tmp_path / "here")

    assert kit("container", target) == 0
    assert sorted(os.listdir(target)) == ["Containerfile", "course"]
    assert kit("container", target) == 2


def test_k5_what_somebody_did_in_the_sandbox_is_not_handed_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    repository = tmp_path / "course"
    for path in ("sandbox/app.js", "docs/index.md"):
        (repository / path).parent.mkdir(parents=True)
        (repository / path).write_text("as shipped")
    git = ("git", "-c", "user.name=x", "-c", "user.email=x@y", "-C", str(repository))
    for words in (("init", "-q"), ("add", "."), ("commit", "-qm", "chore: ship")):
        subprocess.run([*git, *words], check=True)
    monkeypatch.setattr("verify.commands.kit.ROOT", str(repository))
    (repository / "sandbox" / ".pipeline" / "ISSUE-101").mkdir(parents=True)
    for path in ("sandbox/.pipeline/ISSUE-101/plan.json", "docs/index.md"):
        (repository / path).write_text("an instructor's own try")

    assert kit("course", tmp_path / "copy", "--without-solutions") == 0
    assert not (tmp_path / "copy" / "sandbox" / ".pipeline").exists()
    (repository / "sandbox" / "app.js").write_text("a solution")
    capsys.readouterr()
    assert kit("course", tmp_path / "again", "--without-solutions") == 2
    assert capsys.readouterr().err == (
        "verify: sandbox/app.js has changes that are not committed, which may be a solution:"
        " put them aside (git stash -u -- sandbox), or commit what learners may have\n"
    )
    assert not (tmp_path / "again").exists()


@pytest.fixture
def own_course(tmp_path: Path) -> Path:
    """Return an own course, with what an instructor may keep beside it."""
    assert main(["new-course", str(tmp_path / "mine")]) == 0
    for name in ("roster.csv", "gradebook.db", "marks/ada.csv"):
        (tmp_path / "mine" / name).parent.mkdir(exist_ok=True)
        (tmp_path / "mine" / name).write_text("private", "utf-8")
    return tmp_path / "mine"


def test_k6_a_copy_of_the_course_has_an_own_course_without_what_is_private(
    own_course: Path, tmp_path: Path
) -> None:
    work = own_course / "fixtures" / "basics" / "02-retro" / "broken-owner"
    for name, without in (("kept", ()), ("copy", ("--without-solutions",))):
        assert kit("course", tmp_path / name, "--course", own_course, *without) == 0
    done = in_copy(tmp_path / "copy", "basics/02", "--course", "own", "--project", work)
    there = sorted(path.name for path in (tmp_path / "copy" / "own").iterdir())

    assert (done.returncode, "NOT YET  3 of 5 points" in done.stdout) == (1, True)
    assert there == ["README.md", "artifacts", "docs", "exercises", "issues"]
    assert sorted(os.listdir(tmp_path / "kept" / "own")) == sorted([*there, "fixtures"])


def test_k6_platforms_grade_an_own_course(own_course: Path, tmp_path: Path) -> None:
    autograder, hw = tmp_path / "autograder", tmp_path / "hw 1"
    words = ("--course", own_course, "--exercise", "basics/02")
    assert kit("gradescope", autograder / "source", *words) == 0
    assert kit("classroom50", hw, *words) == 0
    work = own_course / "fixtures" / "basics" / "02-retro" / "broken-owner"
    for folder in (autograder / "submission", tmp_path / "work"):
        shutil.copytree(work, folder)
    shutil.copy(autograder / "source" / "run_autograder", autograder)
    shutil.rmtree(own_course)
    for course in (autograder / "source" / "course", hw / "course"):
        set_up(course)
    code, result, _ = graded(hw, tmp_path / "work")

    assert autograded(autograder)["score"] == 3
    assert (code, result["score"], result["max-score"]) == (0, 3, 5)
    assert not (hw / "course" / "own" / "fixtures").exists()


WORKSHEET = """\
Identifier,"Full name","Email address",Status,Grade,"Maximum grade","Grade can be changed",\
"Last modified (submission)","Last modified (grade)","Feedback comments"
"Participant 101","Ada Lovelace",ada@uni.example,"Submitted for grading - ",,100.00,Yes,\
"Monday, 12 January 2026, 9:00 AM",-,
"Participant 102","Zoë O'Neil",zoe@uni.example,"Submitted for grading - ",,100.00,Yes,\
"Monday, 12 January 2026, 9:05 AM",-,
"Participant 103","Carl Gauss",carl@uni.example,"No submission - ",,100.00,Yes,-,-,
"Participant 104","Emmy Noether",emmy@uni.example,"Submitted for grading - Graded",77.50,100.00,\
Yes,"Monday, 12 January 2026, 9:10 AM","Tuesday, 13 January 2026, 8:00 AM","<p>By hand</p>"
"""


def imported(worksheet: Path) -> dict[str, tuple[float | None, str]]:
    """Read a worksheet by the rules of Moodle's importer: grades and comments by participant."""
    with worksheet.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert {"Identifier", "Grade", "Last modified (grade)"} <= rows[0].keys()
    found: dict[str, tuple[float | None, str]] = {}
    for row in rows:
        word, number = row["Identifier"].split()
        grade = float(row["Grade"]) if row["Grade"] else None
        assert word == "Participant"
        assert grade is None or 0 <= grade <= float(row["Maximum grade"])
        assert row["Last modified (grade)"] in WORKSHEET  # else Moodle skips the row
        found[number] = grade, row["Feedback comments"]
    return found


def test_k7_moodle_s_worksheet_goes_out_and_comes_back_filled_in(
    own_course: Path, tmp_path: Path
) -> None:
    folder, fixtures = tmp_path / "hw1", own_course / "fixtures" / "basics" / "02-retro"
    words = ("--course", own_course, "--exercise", "basics/02")
    assert kit("moodle", folder, *words) == 0
    (tmp_path / "worksheet.csv").write_text(WORKSHEET, "utf-8")
    works = {
        "Ada Lovelace_101": "solved",
        "Zoë O'Neil_102": "broken-owner",
        "Emmy Noether_104": "solved",
    }
    for who, work in works.items():
        place = tmp_path / "download" / f"{who}_assignsubmission_file" / "work"
        shutil.copytree(fixtures / work, place)
    submissions = shutil.make_archive(str(tmp_path / "CS1-Retro-77"), "zip", tmp_path / "download")
    set_up(folder / "course")
    grade = [sys.executable, "hw1/grade.py", submissions, "worksheet.csv", "grades.csv"]
    done = subprocess.run(grade, cwd=tmp_path, check=False, capture_output=True, text=True)
    again = subprocess.run(grade, cwd=tmp_path, check=False, capture_output=True, text=True)
    usage = subprocess.run(grade[:3], cwd=tmp_path, check=False, capture_output=True, text=True)
    shutil.rmtree(folder / "course")
    (folder / "course").mkdir()
    broken = subprocess.run(grade, cwd=tmp_path, check=False, capture_output=True, text=True)

    codes = [run.returncode for run in (done, again, usage, broken)]
    assert codes == [1, 1, 2, 3], again.stderr
    assert "The course cannot be set up: " in broken.stderr
    assert "Traceback" not in broken.stderr
    assert usage.stderr == "python3 grade.py SUBMISSIONS.zip WORKSHEET.csv GRADES.csv\n"
    assert imported(tmp_path / "grades.csv") == {
        "101": (100, "Graded by verify: 5 of 5 points."),
        "102": (60, "Graded by verify: 3 of 5 points; basics/02: failed B02.4."),
        "103": (None, "Graded by verify: no grade; basics/02: missing: no submission was found."),
        "104": (77.5, "<p>By hand</p>"),
    }
    assert "Emmy" in done.stderr
    assert (folder / "report" / "index.html").is_file()
