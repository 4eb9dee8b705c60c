"""The pipeline's default run of each issue: what it leaves passes the exercises and the tests."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

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

    Completed = subprocess.CompletedProcess[str]
    Run = Callable[..., Completed]

QUICK = "ISSUE-306"  # the others are left to .ci/run
REPLAYED = [
    issue if issue == QUICK else pytest.param(issue, marks=pytest.mark.slow)
    for issue in sorted(path.stem for path in Path(ISSUES).glob("*.md"))
]
AT_THE_ROOT = ("ISSUE-102", "ISSUE-202", "ISSUE-305")  # the target project is the repository
WITHOUT_AN_ADDRESS = {"ISSUE-101": [("foundation/03", "F03.9")]}  # the local forge has a page
LEVELS = ("foundation", "practitioner", "expert")
CODE = "import sys; from pipeline.cli import main; raise SystemExit(main(sys.argv[1:]))"


class Replay(NamedTuple):
    """A repository in which an issue was run."""

    user: UserRepository
    issue: str

    def artifact(self, name: str) -> Any:
        """Return the JSON value of an artifact of the run."""
        target = "." if self.issue in AT_THE_ROOT else "sandbox"
        return json.loads((self.user.folder / target / ".pipeline" / self.issue / name).read_text())

    def not_passed(self) -> list[tuple[str, str]]:
        """Return the exercises about the issue with their checks that do not pass."""
        exercises = [
            each for level in LEVELS for each in catalog.level(level) if each.issue == self.issue
        ]
        with open_folder(str(self.user.folder)) as submission:
            return [
                (exercise.name, result.check.code)
                for exercise in exercises
                for result in grade(
                    Attempt(exercise, submission, issue_text(self.issue), FixedHost({})),
                    strict=True,
                ).results
                if result.outcome is not Outcome.PASS
            ]


@pytest.mark.parametrize("issue", REPLAYED)
def test_a_replayed_issue_becomes_a_pull_request_that_passes_the_exercises_about_it(
    issue: str, tmp_path: Path, copy_to: Callable[[Path], Path], run: Run
) -> None:
    text = issue_text(issue)
    assert text is not None
    replay = Replay(UserRepository(tmp_path / "repository"), issue)
    user = replay.user
    copy_to(user.folder / "sandbox")
    user.commit()
    project = () if issue in AT_THE_ROOT else ("--project", "sandbox")
    prompt = f"work on issue {issue}: {text.title}"

    done = run(sys.executable, "-c", CODE, "run", prompt, *project, cwd=user.folder)

    assert (done.returncode, done.stderr) == (0, "")
    result = replay.artifact("git-result.json")
    said = replay.artifact("worker-result.json")["files_changed"]
    prefix = "" if issue in AT_THE_ROOT else "sandbox/"
    (page,) = (user.folder / ".pipeline" / "forge" / "pulls").glob("*.md")
    assert user.branches() == [result["branch"], "main"]
    assert user.git("rev-parse", result["branch"]) == result["commit_sha"]
    assert result["commit_sha"] in page.read_text(encoding="utf-8")
    assert user.git("diff", "--name-only", "main", "HEAD").split() == sorted(
        prefix + file for file in said
    )
    assert user.git("status", "--porcelain", "--", "sandbox/src", "sandbox/test") == ""
    assert replay.not_passed() == WITHOUT_AN_ADDRESS.get(issue, [])
