"""Each issue of the sandbox has a solution that is tested, linted, and graded as a submission."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from pipeline.bootstrap import ROOT
from pipeline.host import FixedHost
from verify import catalog
from verify.attempt import Attempt
from verify.course import ISSUES, issue_text
from verify.runner import grade
from verify.submission import open_folder
from verify.verdicts import Outcome

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable, Iterator
    from concurrent.futures import Future

    from verify.model import Exercise

    Completed = subprocess.CompletedProcess[str]
    Run = Callable[..., Completed]
    Apply = Callable[..., None]
    Counts = Callable[[Completed], dict[str, int]]

SANDBOX = Path(ROOT, "sandbox")
SOLUTIONS = Path(ROOT, "fixtures", "solutions")
SUBMISSIONS = Path(ROOT, "fixtures", "submissions")

SOLVED = sorted(path.stem for path in Path(ISSUES).glob("*.md"))
WITHOUT_BEHAVIOUR = ("ISSUE-301", "ISSUE-306")  # a spelling mistake and a rename
BEHAVIOUR = [issue for issue in SOLVED if issue not in WITHOUT_BEHAVIOUR]
TIERED = ("ISSUE-301", "ISSUE-302", "ISSUE-303")
PRACTICE = "ISSUE-306"


class Work(NamedTuple):
    """The artifacts of one issue in one submission, and the paths that they name as changed.

    The paths are relative to the sandbox, wherever the submission has its artifacts.
    """

    folder: Path
    planned: list[str] | None
    changed: list[str] | None


class Solution(NamedTuple):
    """A submission with the solved sandbox, what its tests answer, and what they do unsolved."""

    root: Path
    tests: Future[Completed]
    tests_alone: Future[Completed] | None


def patch_of(issue: str) -> Path:
    return SOLUTIONS / issue / "changes.patch"


def submissions_about(issue: str) -> list[Path]:
    """Return the roots of the solved submissions that have artifacts of an issue."""
    roots = sorted(SUBMISSIONS.glob("*/*/solved"))
    return [root for root in roots if any(root.glob(f"**/.pipeline/{issue}"))]


def works_on(issue: str) -> Iterator[Work]:
    for root in submissions_about(issue):
        (folder,) = root.glob(f"**/.pipeline/{issue}")
        target = folder.parents[1].relative_to(root).as_posix()
        prefix = "sandbox/" if target == "." else ""
        plan = paths_in(folder / "plan.json", "affected_files", prefix)
        yield Work(folder, plan, paths_in(folder / "worker-result.json", "files_changed", prefix))


def paths_in(artifact: Path, field: str, prefix: str) -> list[str] | None:
    if not artifact.is_file():
        return None
    paths: list[str] = json.loads(artifact.read_text())[field]
    assert [path for path in paths if not path.startswith(prefix)] == []
    return sorted(path.removeprefix(prefix) for path in paths)


def mappings_of(issue: str) -> Iterator[dict[str, str]]:
    """Yield which file shows each criterion, by the recorded plan and by the solved ones."""
    submitted = [work.folder for work in works_on(issue) if work.planned is not None]
    for folder in (SOLUTIONS / issue, *submitted):
        plan: dict[str, Any] = json.loads((folder / "plan.json").read_text())
        mapping = plan.get("acceptance_mapping", {})
        yield {label: path.removeprefix("sandbox/") for label, path in mapping.items()}


def write_practice(root: Path) -> None:
    """Write the artifacts of the issue that a learner may have handled as a standard one.

    Its recording is a trivial run, without a plan and by the fast worker; the rest is the same.
    """
    recorded, words = (
        json.loads((SOLUTIONS / PRACTICE / name).read_text())
        for name in ("worker-result.json", "recording.json")
    )
    artifacts = {
        "plan.json": practice_plan(recorded["files_changed"]),
        "worker-result.json": recorded | {"produced_by": "x-worker"},
        "git-result.json": {
            "branch": "feature/issue-306-rename-buildapp-to-createapp",
            "commit_sha": "c0a71b6e",
            "commit_message": words["message"],
            "pr_url": "https://git.example.org/course/sandbox/pull/306",
            "produced_by": "x-git",
        },
    }
    folder = root / "sandbox" / ".pipeline" / PRACTICE
    folder.mkdir(parents=True)
    for name, artifact in artifacts.items():
        (folder / name).write_text(json.dumps(artifact))


def practice_plan(files: list[str]) -> dict[str, Any]:
    text = issue_text(PRACTICE)
    assert text is not None
    return {
        "affected_files": files,
        "steps": [
            {"order": order, "file": file, "description": "Write createApp for buildApp"}
            for order, file in enumerate(files, start=1)
        ],
        "acceptance_mapping": dict.fromkeys(text.criteria, "src/app.js"),
        "produced_by": "x-subplanner",
    }


def exercises_about(issue: str) -> list[Exercise]:
    every = [exercise for level in catalog.LEVELS for exercise in catalog.level(level)]
    found = [exercise for exercise in every if exercise.issue == issue]
    if issue in TIERED:
        found.append(catalog.find("expert", "02"))
    if issue == PRACTICE:
        trace = catalog.find("practitioner", "04")
        found.append(trace.retargeted(target="sandbox", issue=issue, has_criteria=True))
    return found


@pytest.fixture(scope="session")
def changed(run: Run) -> Callable[[str], list[str]]:
    """Return a function that lists the files which an issue's patch changes."""

    def paths(issue: str) -> list[str]:
        done = run("git", "apply", "--numstat", str(patch_of(issue)), cwd=SOLUTIONS)
        return sorted(line.split("\t")[2] for line in done.stdout.splitlines())

    return paths


@pytest.fixture(scope="session")
def solutions(
    tmp_path_factory: pytest.TempPathFactory,
    runnable: Callable[[Path], Path],
    apply: Apply,
    changed: Callable[[str], list[str]],
    tested: Callable[..., Future[Completed]],
) -> dict[str, Solution]:
    """Return the solution of every issue, its tests started."""
    found = {}
    for issue in SOLVED:
        root = tmp_path_factory.mktemp(issue)
        sandbox = runnable(root / "sandbox")
        apply(patch_of(issue), sandbox)
        for submission in submissions_about(issue):
            overlay_artifacts(submission, root)
        if issue == PRACTICE:
            write_practice(root)
        tests_alone = None
        if issue in BEHAVIOUR:
            unsolved = runnable(tmp_path_factory.mktemp(f"{issue}-tests") / "sandbox")
            apply(patch_of(issue), unsolved, "--include=test/*")
            files = [path for path in changed(issue) if path.startswith("test/")]
            tests_alone = tested(unsolved, *files)
        found[issue] = Solution(root, tested(sandbox), tests_alone)
    return found


def overlay_artifacts(submission: Path, root: Path) -> None:
    for folder in submission.glob("**/.pipeline"):
        shutil.copytree(folder, root / folder.relative_to(submission), dirs_exist_ok=True)


def test_every_issue_has_a_solution_and_nothing_else_stands_there() -> None:
    assert sorted(path.name for path in SOLUTIONS.iterdir()) == sorted(
        [*SOLVED, "README.md", "shipped.sha256"]
    )


@pytest.mark.parametrize("issue", [issue for issue in SOLVED if issue != PRACTICE])
def test_a_patch_changes_the_files_that_the_solved_artifacts_name(
    issue: str, changed: Callable[[str], list[str]]
) -> None:
    named = [
        paths
        for work in works_on(issue)
        for paths in (work.planned, work.changed)
        if paths is not None
    ]

    assert named != []
    assert [paths for paths in named if paths != changed(issue)] == []


@pytest.mark.parametrize("issue", SOLVED)
def test_a_patch_applies_to_the_shipped_sandbox(
    issue: str, tmp_path: Path, copy_to: Callable[[Path], Path], apply: Apply
) -> None:
    apply(patch_of(issue), copy_to(tmp_path / "sandbox"))


@pytest.mark.parametrize("issue", BEHAVIOUR)
def test_every_criterion_is_named_by_a_test_in_the_file_that_the_plan_maps_it_to(
    issue: str,
    tmp_path: Path,
    copy_to: Callable[[Path], Path],
    apply: Apply,
    changed: Callable[[str], list[str]],
) -> None:
    text = issue_text(issue)
    assert text is not None
    sandbox = copy_to(tmp_path / "sandbox")
    apply(patch_of(issue), sandbox)
    tests = {
        path: (sandbox / path).read_text(encoding="utf-8")
        for path in changed(issue)
        if path.startswith("test/")
    }

    unnamed = [
        label
        for mapping in mappings_of(issue)
        for label in text.criteria
        if f"{label}: " not in tests.get(mapping.get(label, ""), "".join(tests.values()))
    ]

    assert unnamed == []


@pytest.mark.parametrize("issue", SOLVED)
def test_the_tests_of_a_solution_pass(
    issue: str, solutions: dict[str, Solution], counts: Counts
) -> None:
    report = solutions[issue].tests.result()
    found = counts(report)

    assert report.returncode == 0, report.stdout + report.stderr
    assert found == {"tests": found["tests"], "pass": found["tests"], "fail": 0}


@pytest.mark.parametrize("issue", BEHAVIOUR)
def test_a_solution_adds_tests(
    issue: str, solutions: dict[str, Solution], shipped: Completed, counts: Counts
) -> None:
    assert counts(solutions[issue].tests.result())["tests"] > counts(shipped)["tests"]


@pytest.mark.parametrize("issue", WITHOUT_BEHAVIOUR)
def test_a_solution_without_new_behaviour_adds_no_tests(
    issue: str, solutions: dict[str, Solution], shipped: Completed, counts: Counts
) -> None:
    assert counts(solutions[issue].tests.result())["tests"] == counts(shipped)["tests"]


@pytest.mark.parametrize("issue", BEHAVIOUR)
def test_the_tests_of_a_solution_fail_without_its_source(
    issue: str, solutions: dict[str, Solution], counts: Counts
) -> None:
    alone = solutions[issue].tests_alone
    assert alone is not None
    report = alone.result()

    assert report.returncode == 1
    assert counts(report)["fail"] > 0


def test_the_linter_has_nothing_to_say_about_any_solution(
    solutions: dict[str, Solution],
    linted: Callable[..., Future[Completed]],
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    copies = [solution.root / "sandbox" for solution in solutions.values()]
    report = linted(tmp_path_factory.getbasetemp(), *copies).result()

    assert (report.returncode, report.stdout, report.stderr) == (0, "", "")


@pytest.mark.parametrize("issue", SOLVED)
def test_every_exercise_about_an_issue_passes_on_its_solution(
    issue: str, solutions: dict[str, Solution]
) -> None:
    exercises = exercises_about(issue)
    failed = []
    with open_folder(str(solutions[issue].root)) as submission:
        for exercise in exercises:
            text = issue_text(exercise.issue)
            report = grade(Attempt(exercise, submission, text, FixedHost({})), strict=True)
            failed += [
                (exercise.name, result.check.code)
                for result in report.results
                if result.outcome is not Outcome.PASS and not result.check.evidence  # no history
            ]

    assert exercises != []
    assert failed == []


@pytest.fixture
def solved_texts(
    tmp_path: Path, copy_to: Callable[[Path], Path], apply: Apply
) -> Callable[[str], dict[str, str]]:
    """Return a function that gives the texts of the sandbox with an issue solved."""

    def texts(issue: str) -> dict[str, str]:
        sandbox = copy_to(tmp_path / "sandbox")
        apply(patch_of(issue), sandbox)
        return texts_of(sandbox)

    return texts


def test_the_spelling_mistake_is_all_that_the_solution_of_issue_301_changes(
    solved_texts: Callable[[str], dict[str, str]],
) -> None:
    assert solved_texts("ISSUE-301") == {
        name: text.replace("recieve", "receive") if name == "README.md" else text
        for name, text in texts_of(SANDBOX).items()
    }


def test_the_name_is_all_that_the_solution_of_issue_306_changes(
    solved_texts: Callable[[str], dict[str, str]],
) -> None:
    assert solved_texts("ISSUE-306") == {
        name: text.replace("buildApp", "createApp") for name, text in texts_of(SANDBOX).items()
    }


def texts_of(sandbox: Path) -> dict[str, str]:
    """Return the texts of the README, the sources and the tests by their paths."""
    files = [sandbox / "README.md", *sandbox.glob("src/**/*.js"), *sandbox.glob("test/**/*.js")]
    return {path.relative_to(sandbox).as_posix(): path.read_text("utf-8") for path in files}


@pytest.mark.parametrize(
    ("name", "issue"),
    [("foundation/02-implement", "ISSUE-101"), ("practitioner/03-implement", "ISSUE-201")],
)
def test_the_sources_of_a_solved_submission_are_those_of_the_solution(
    name: str,
    issue: str,
    tmp_path: Path,
    copy_to: Callable[[Path], Path],
    apply: Apply,
    changed: Callable[[str], list[str]],
) -> None:
    sandbox = copy_to(tmp_path / "sandbox")
    apply(patch_of(issue), sandbox)
    solved = texts_of_files(SUBMISSIONS / name / "solved" / "sandbox")

    assert solved == {path: (sandbox / path).read_text("utf-8") for path in changed(issue)}


def texts_of_files(folder: Path) -> dict[str, str]:
    files = [path for part in ("src", "test") for path in (folder / part).rglob("*.js")]
    return {path.relative_to(folder).as_posix(): path.read_text("utf-8") for path in files}
