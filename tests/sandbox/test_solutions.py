"""Each issue of the sandbox has a solution that is tested and linted, as submissions have it."""

from __future__ import annotations

import json
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pipeline.bootstrap import ROOT
from verify.course import ISSUES, issue_text

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable, Iterator

    Completed = subprocess.CompletedProcess[str]
    Run = Callable[..., Completed]
    Apply = Callable[..., None]
    Counts = Callable[[Completed], dict[str, int]]
    Solved = Callable[[str], Path]

TESTS = ("node", "--test", "--test-reporter=tap")
SANDBOX = Path(ROOT, "sandbox")
SOLUTIONS = Path(ROOT, "fixtures", "solutions")
SUBMISSIONS = Path(ROOT, "fixtures", "submissions")

SOLVED = sorted(path.stem for path in Path(ISSUES).glob("*.md"))
WITHOUT_BEHAVIOUR = {  # a spelling mistake and a rename: all that these solutions change
    "ISSUE-301": ("recieve", "receive"),
    "ISSUE-306": ("buildApp", "createApp"),
}
PRACTICE = "ISSUE-306"  # no exercise is about it
QUICK = "ISSUE-101"  # the others are left to .ci/run
IN_NODE = [i if i == QUICK else pytest.param(i, marks=pytest.mark.slow) for i in SOLVED]


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
        return sorted(line.split("\t")[2] for line in done.stdout.splitlines())

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
    tmp_path: Path, runnable: Callable[[Path], Path], apply: Apply, run: Run
) -> Callable[[str, list[str]], tuple[Completed, Completed]]:
    """Return a function that runs the tests of a solution, and its own ones without its source."""

    def answers(issue: str, files: list[str]) -> tuple[Completed, Completed]:
        whole, alone = (runnable(tmp_path / name) for name in ("whole", "alone"))
        apply(patch_of(issue), whole)
        if files:
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
