"""The sandbox is sound as it is shipped; its issues have solutions that are tested and linted."""

from __future__ import annotations

import json
import os
import re
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pipeline.bootstrap import ROOT
from tools import troubled
from verify.course.catalog import ISSUES, issue_text

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable, Iterator

    Completed = subprocess.CompletedProcess[str]
    Run = Callable[..., Completed]
    Apply = Callable[..., None]
    Counts = Callable[[Completed], dict[str, int]]
    Solved = Callable[[str], Path]

SANDBOX = Path(ROOT, "sandbox")
TESTS = ("node", "--test", "--test-reporter=tap")
SOLUTIONS = Path(ROOT, "fixtures", "solutions")
SUBMISSIONS = Path(ROOT, "fixtures", "submissions")

SOLVED = sorted(path.stem for path in Path(ISSUES).glob("*.md"))
WITHOUT_BEHAVIOUR = {  # a spelling mistake and a rename: all that these solutions change
    "ISSUE-301": ("recieve", "receive"),
    "ISSUE-306": ("buildApp", "createApp"),
}
PRACTICE = "ISSUE-306"  # no exercise is about it
QUICK = "ISSUE-101"  # the others are left to .ci/run
NO_CODE = "ISSUE-301"  # its solution changes the README alone
IN_NODE = [
    issue if issue == QUICK else pytest.param(issue, marks=pytest.mark.slow)
    for issue in SOLVED
    if issue != NO_CODE
]


def shipped_files() -> list[Path]:
    """Return the sandbox's files, without what learners add and npm installs."""
    added = {"node_modules", ".pipeline", ".cursor"}
    return [
        path
        for path in SANDBOX.rglob("*")
        if path.is_file() and not added & set(path.relative_to(SANDBOX).parts)
    ]


def read_json(name: str) -> dict[str, Any]:
    value: dict[str, Any] = json.loads((SANDBOX / name).read_text(encoding="utf-8"))
    return value


def test_the_tests_of_the_sandbox_pass_as_a_learner_runs_them(
    shipped: Completed, counts: Callable[[Completed], dict[str, int]]
) -> None:
    found = counts(shipped)

    assert shipped.returncode == 0, shipped.stdout + shipped.stderr
    assert found == {"tests": found["tests"], "pass": found["tests"], "fail": 0}
    assert found["tests"] > 0


def test_the_linter_of_the_sandbox_has_nothing_to_say(installed: Path, run: Run) -> None:
    done = run("npm", "run", "--silent", "lint", cwd=installed)

    assert (done.returncode, done.stdout) == (0, "")


@pytest.mark.usefixtures("shipped")
def test_installing_and_testing_changes_no_file_of_the_sandbox(installed: Path) -> None:
    names = [path.relative_to(SANDBOX) for path in shipped_files()]

    assert [n for n in names if (installed / n).read_bytes() != (SANDBOX / n).read_bytes()] == []


def test_the_lock_file_pins_every_package_and_names_no_registry() -> None:
    packages = read_json("package-lock.json")["packages"]
    installed = {path: package for path, package in packages.items() if path}

    assert installed != {}
    assert [path for path, package in installed.items() if "integrity" not in package] == []
    assert [path for path, package in installed.items() if "resolved" in package] == []


def test_the_sandbox_and_all_that_it_depends_on_run_on_node_20() -> None:
    packages = read_json("package-lock.json")["packages"]
    too_new = {
        path: package["engines"]["node"]
        for path, package in packages.items()
        if re.match(r"\s*>=?\s*2[1-9]", package.get("engines", {}).get("node", ""))
    }

    assert read_json("package.json")["engines"] == {"node": ">=20"}
    assert too_new == {}


def test_the_misspelling_of_issue_301_is_there_once_and_in_the_readme_only() -> None:
    misspelt = {
        str(path.relative_to(SANDBOX)): count
        for path in shipped_files()
        if path.parent != SANDBOX / "issues"
        and (count := path.read_text(encoding="utf-8").lower().count("recieve"))
    }

    assert misspelt == {"README.md": 1}
    assert (SANDBOX / "README.md").read_text(encoding="utf-8").count("recieve") == 1


def test_the_readme_names_every_source_file_and_no_other() -> None:
    readme = (SANDBOX / "README.md").read_text(encoding="utf-8")
    table = re.findall(r"^\| `(src/[^`]+\.js)` \|", readme, re.MULTILINE)
    sources = [path.relative_to(SANDBOX).as_posix() for path in (SANDBOX / "src").rglob("*.js")]

    assert sorted(table) == sorted(sources)


def test_the_sandbox_is_shipped_without_artifacts_and_definitions(run: Run) -> None:
    if not os.path.isdir(os.path.join(ROOT, ".git")):
        pytest.skip("no checkout of git's")
    added = [f"sandbox/{name}" for name in (".pipeline", ".cursor", "node_modules")]
    tracked = run("git", "ls-files", *added, cwd=Path(ROOT))

    assert (tracked.returncode, tracked.stdout) == (0, "")


def patch_of(issue: str) -> Path:
    return SOLUTIONS / issue / "changes.patch"


def artifacts_of(issue: str) -> Iterator[tuple[Path, Path]]:
    """Yield the folders of an issue's artifacts in solved submissions, and the submissions."""
    for root in sorted(SUBMISSIONS.glob("*/*/solved")):
        for folder in root.glob(f"**/.pipeline/{issue}"):
            yield folder, root


def paths_in(artifact: Path, field: str, root: Path) -> list[str]:
    """Return the paths that an artifact names, relative to the sandbox."""
    prefix = "sandbox/" if artifact.parents[2] == root else ""
    paths: list[str] = json.loads(artifact.read_text())[field]
    assert [path for path in paths if not path.startswith(prefix)] == []
    return sorted(path.removeprefix(prefix) for path in paths)


def mappings_of(issue: str) -> Iterator[dict[str, str]]:
    """Yield which file shows each criterion, by the recorded plan and by the solved ones."""
    folders = [SOLUTIONS / issue, *(folder for folder, _ in artifacts_of(issue))]
    for path in (folder / "plan.json" for folder in folders):
        plan: dict[str, Any] = json.loads(path.read_text()) if path.is_file() else {}
        mapping = plan.get("acceptance_mapping", {})
        yield {label: file.removeprefix("sandbox/") for label, file in mapping.items()}


def texts_in(folder: Path) -> dict[str, str]:
    """Return the texts of the README, the sources and the tests by their paths."""
    files = [*folder.glob("README.md"), *folder.glob("src/**/*.js"), *folder.glob("test/**/*.js")]
    return {path.relative_to(folder).as_posix(): path.read_text("utf-8") for path in files}


@pytest.fixture(scope="session")
def solved(
    tmp_path_factory: pytest.TempPathFactory, copy_to: Callable[[Path], Path], apply: Apply
) -> Solved:
    """Return a function that gives a submission with the sandbox in which an issue is solved."""
    made: dict[str, Path] = {}

    def solve(issue: str) -> Path:
        if issue not in made:
            root = made[issue] = tmp_path_factory.mktemp(issue)
            apply(patch_of(issue), copy_to(root / "sandbox"))
            for folder, submission in artifacts_of(issue):
                target = root / folder.parent.relative_to(submission)
                shutil.copytree(folder.parent, target, dirs_exist_ok=True)
        return made[issue]

    return solve


@pytest.fixture
def changed(run: Run) -> Callable[[str], list[str]]:
    """Return a function that lists the files which an issue's patch changes."""

    def paths(issue: str) -> list[str]:
        done = run("git", "apply", "--numstat", str(patch_of(issue)), cwd=SOLUTIONS)
        files = (line.split("\t")[2] for line in done.stdout.splitlines())
        return sorted(file.removeprefix("sandbox/") for file in files)

    return paths


@pytest.mark.parametrize("issue", SOLVED)
def test_a_patch_changes_the_files_that_the_solved_artifacts_name(
    issue: str, solved: Solved, changed: Callable[[str], list[str]]
) -> None:
    fields = {"plan.json": "affected_files", "worker-result.json": "files_changed"}
    named = [
        paths_in(folder / name, field, root)
        for folder, root in artifacts_of(issue)
        for name, field in fields.items()
        if (folder / name).is_file()
    ]
    after, before = texts_in(solved(issue) / "sandbox"), texts_in(SANDBOX)

    assert [paths for paths in named if paths != changed(issue)] == []
    assert (named == []) == (issue == PRACTICE)
    assert sorted(path for path in after if after[path] != before.get(path)) == changed(issue)
    if issue in WITHOUT_BEHAVIOUR:
        old, new = WITHOUT_BEHAVIOUR[issue]
        assert after == {path: text.replace(old, new) for path, text in before.items()}


@pytest.mark.parametrize("issue", [each for each in SOLVED if each not in WITHOUT_BEHAVIOUR])
def test_every_criterion_is_named_by_a_test_in_the_file_that_the_plan_maps_it_to(
    issue: str, solved: Solved, changed: Callable[[str], list[str]]
) -> None:
    text = issue_text(issue)
    assert text is not None
    after = texts_in(solved(issue) / "sandbox")
    tests = {path: after[path] for path in changed(issue) if path.startswith("test/")}

    unnamed = [
        label
        for mapping in mappings_of(issue)
        for label in text.criteria
        if f"{label}: " not in tests.get(mapping.get(label, ""), "".join(tests.values()))
    ]

    assert unnamed == []


@pytest.mark.parametrize(
    ("name", "issue"),
    [("foundation/02-implement", "ISSUE-101"), ("practitioner/03-implement", "ISSUE-201")],
)
def test_the_sources_of_a_solved_submission_are_those_of_the_solution(
    name: str, issue: str, solved: Solved, changed: Callable[[str], list[str]]
) -> None:
    after = texts_in(solved(issue) / "sandbox")

    assert texts_in(SUBMISSIONS / name / "solved" / "sandbox") == {
        path: after[path] for path in changed(issue)
    }


@pytest.fixture
def tested(
    tmp_path: Path, runnable: Callable[[Path], Path], apply: Apply, run: Run, shipped: Completed
) -> Callable[[str, list[str]], tuple[Completed, Completed]]:
    """Return a function that runs the tests of a solution, and its own ones without its source."""

    def answers(issue: str, files: list[str]) -> tuple[Completed, Completed]:
        whole = runnable(tmp_path / "whole")
        apply(patch_of(issue), whole)
        if not files:
            return run(*TESTS, cwd=whole), shipped
        alone = runnable(tmp_path / "alone")
        apply(patch_of(issue), alone, "--include=test/*")
        with ThreadPoolExecutor(2) as pool:
            reports = [
                pool.submit(run, *TESTS, cwd=whole),
                pool.submit(run, *TESTS, *files, cwd=alone),
            ]
        return reports[0].result(), reports[1].result()

    return answers


@pytest.mark.parametrize("issue", IN_NODE)
def test_the_tests_of_a_solution_pass_and_those_that_it_adds_fail_without_its_source(
    issue: str,
    tested: Callable[[str, list[str]], tuple[Completed, Completed]],
    changed: Callable[[str], list[str]],
    counts: Counts,
) -> None:
    files = [path for path in changed(issue) if path.startswith("test/")]
    behaviour = issue not in WITHOUT_BEHAVIOUR
    passing, alone = tested(issue, files if behaviour else [])
    found = counts(passing)

    assert passing.returncode == 0, passing.stdout + passing.stderr
    assert found == {"tests": found["tests"], "pass": found["tests"], "fail": 0}
    assert (alone.returncode, counts(alone)["fail"] > 0) == (int(behaviour), behaviour)
    if not behaviour:  # then the others are the tests as they are shipped
        assert counts(alone) == found


@pytest.mark.slow
def test_the_linter_has_nothing_to_say_about_any_solution(
    solved: Solved, installed: Path, run: Run, tmp_path_factory: pytest.TempPathFactory
) -> None:
    program = str(installed / "node_modules" / "eslint" / "bin" / "eslint.js")
    options = ("--max-warnings", "0", "--config", str(installed / "eslint.config.js"))
    copies = [str(solved(issue) / "sandbox") for issue in SOLVED]
    done = run("node", program, *options, *copies, cwd=tmp_path_factory.getbasetemp())

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.slow
def test_the_recorded_tests_of_the_troubled_run_are_what_they_say(installed: Path) -> None:
    assert troubled.tested(installed / "node_modules") == troubled.recorded()["test"]
