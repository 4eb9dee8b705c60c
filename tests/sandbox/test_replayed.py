"""The pipeline's default run of each issue: what it leaves passes the exercises and the tests."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from pipeline.bootstrap import ROOT
from pipeline.host import FixedHost
from tests.stubs.repositories import UserRepository
from verify import catalog
from verify.attempt import Attempt
from verify.course import ISSUES, issue_text
from verify.runner import grade
from verify.submission import open_folder
from verify.verdicts import Outcome

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable
    from concurrent.futures import Future, ThreadPoolExecutor

    Completed = subprocess.CompletedProcess[str]
    Run = Callable[..., Completed]
    Counts = Callable[[Completed], dict[str, int]]
    Replayed = dict[str, "Replay"]

REPLAYED = sorted(path.stem for path in Path(ISSUES).glob("*.md"))
AT_THE_ROOT = ("ISSUE-102", "ISSUE-202", "ISSUE-305")  # the target project is the repository
TRACED = "ISSUE-202"
WITHOUT_AN_ADDRESS = {"ISSUE-101": [("foundation/03", "F03.9")]}  # the local forge has a page
LEVELS = ("foundation", "practitioner", "expert")
CODE = "import sys; from pipeline.cli import main; raise SystemExit(main(sys.argv[1:]))"


class Replay(NamedTuple):
    """A repository in which an issue was run, and what the command answered."""

    user: UserRepository
    done: Future[Completed]

    def artifact(self, issue: str, name: str) -> Any:
        """Return the JSON value of an artifact of the run."""
        target = "." if issue in AT_THE_ROOT else "sandbox"
        return json.loads((self.user.folder / target / ".pipeline" / issue / name).read_text())


def title_of(issue: str) -> str:
    text = issue_text(issue)
    assert text is not None
    return text.title


@pytest.fixture(scope="session")
def replayed(
    tmp_path_factory: pytest.TempPathFactory,
    runnable: Callable[[Path], Path],
    pool: ThreadPoolExecutor,
    run: Run,
) -> Replayed:
    """Return each issue's repository, its run started: default driver, default forge."""
    found = {}
    for issue in REPLAYED:
        user = UserRepository(tmp_path_factory.mktemp(f"{issue}-replayed"))
        runnable(user.folder / "sandbox")
        user.write(".gitignore", "node_modules\n")
        user.commit()
        project = () if issue in AT_THE_ROOT else ("--project", "sandbox")
        prompt = f"work on issue {issue}: {title_of(issue)}"
        words = (sys.executable, "-c", CODE, "run", prompt, *project)
        found[issue] = Replay(user, pool.submit(run, *words, cwd=user.folder))
    return found


@pytest.mark.parametrize("issue", REPLAYED)
def test_a_replayed_issue_becomes_a_pull_request(issue: str, replayed: Replayed) -> None:
    user, done = replayed[issue]
    report = done.result()
    assert (report.returncode, report.stderr) == (0, "")

    result = replayed[issue].artifact(issue, "git-result.json")
    pages = list((user.folder / ".pipeline" / "forge" / "pulls").glob("*.md"))

    assert user.branches() == [result["branch"], "main"]
    assert user.git("rev-parse", result["branch"]) == result["commit_sha"]
    assert result["commit_sha"] in "".join(page.read_text(encoding="utf-8") for page in pages)
    assert len(pages) == 1
    assert user.git("status", "--porcelain", "--", "sandbox/src", "sandbox/test") == ""


@pytest.mark.parametrize("issue", REPLAYED)
def test_the_commit_of_a_replayed_issue_has_the_files_that_its_artifacts_name(
    issue: str, replayed: Replayed
) -> None:
    replay = replayed[issue]
    replay.done.result()
    prefix = "" if issue in AT_THE_ROOT else "sandbox/"
    said = replay.artifact(issue, "worker-result.json")["files_changed"]

    names = replay.user.git("diff", "--name-only", "main", "HEAD").split()

    assert names == sorted(prefix + file for file in said)


@pytest.mark.parametrize("issue", REPLAYED)
def test_a_replayed_issue_passes_the_exercises_about_it(issue: str, replayed: Replayed) -> None:
    replay = replayed[issue]
    replay.done.result()
    exercises = [each for level in LEVELS for each in catalog.level(level) if each.issue == issue]

    with open_folder(str(replay.user.folder)) as submission:
        failed = [
            (exercise.name, result.check.code)
            for exercise in exercises
            for result in grade(
                Attempt(exercise, submission, issue_text(issue), FixedHost({})), strict=True
            ).results
            if result.outcome is not Outcome.PASS
        ]

    assert failed == WITHOUT_AN_ADDRESS.get(issue, [])


@pytest.mark.spec("3.1", "4.4")
def test_practitioner_04_passes_on_the_default_run_of_its_issue(
    replayed: Replayed, run: Run
) -> None:
    replay = replayed[TRACED]
    replay.done.result()
    script = Path(ROOT, "docs", "practitioner", "tutorials", "verify.py")

    graded = run(
        *(sys.executable, str(script), "--exercise", "04", "--strict"),
        *("--project", str(replay.user.folder)),
        cwd=replay.user.folder,
    )

    assert graded.returncode == 0, graded.stdout
    assert "13 of 13 points" in graded.stdout


def test_the_sandboxs_own_tests_pass_on_the_replayed_branch(
    replayed: Replayed, tested: Callable[..., Future[Completed]], shipped: Completed, counts: Counts
) -> None:
    replay = replayed[TRACED]
    replay.done.result()

    report = tested(replay.user.folder / "sandbox").result()
    found = counts(report)

    assert report.returncode == 0, report.stdout + report.stderr
    assert found == {"tests": found["tests"], "pass": found["tests"], "fail": 0}
    assert found["tests"] > counts(shipped)["tests"]
