"""Submissions that learners get who take the course's solutions as they are."""

from __future__ import annotations

import json
import os
import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pipeline.bootstrap import ROOT
from tests.stubs.repositories import git
from tools.shipped import ARCHIVE

if TYPE_CHECKING:
    from collections.abc import Callable

    from verify.grading.model import Exercise

WHO = ("-c", "user.name=A Learner", "-c", "user.email=learner@example.org")
SOLUTIONS = Path(ROOT, "fixtures", "solutions")


def publish(copy: Path, issue: str, message: str) -> dict[str, Any]:
    """Commit what is in a copy, and return what git shows of it."""
    branch = f"feature/{issue.lower()}"
    git(copy, "switch", "-q", "-c", branch)
    git(copy, "add", "sandbox/src", "sandbox/test", "sandbox/README.md")
    git(copy, *WHO, "commit", "-q", "-m", message)
    sha = git(copy, "rev-parse", "HEAD")
    return {
        "branch": branch,
        "commit_sha": sha,
        "commit_message": message,
        "pr_url": "https://git.example.org/course/sandbox/pull/7",
        "produced_by": "x-git",
    }


def taken_literally(
    exercise: Exercise, copy: Path, change: Callable[[Path, list[str]], object] | None = None
) -> None:
    """Apply the patch of each issue of an exercise, and copy its artifacts, unchanged.

    `change` may change the sandbox before it is published: its folder, and the changed files in it.
    """
    git(copy.parent, "clone", "-q", "--branch=main", os.path.join(ROOT, ARCHIVE), copy.name)
    if exercise.solution.endswith(exercise.paths[0]):  # the solution is the artifact itself
        (copy / exercise.paths[0]).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(Path(ROOT, exercise.solution), copy / exercise.paths[0])
    issues = dict.fromkeys(re.findall(r"ISSUE-[0-9]+", " ".join(exercise.paths)))
    for issue in issues:
        folder = copy / (exercise.target or ".") / ".pipeline" / issue
        about = json.loads((SOLUTIONS / issue / "recording.json").read_text(encoding="utf-8"))
        git(copy, "switch", "-q", "main")
        patch = str(SOLUTIONS / issue / "changes.patch")
        git(copy, "apply", *([] if about["project"] == "." else ["--directory=sandbox"]), patch)
        folder.mkdir(parents=True)
        for name in ("plan.json", "worker-result.json"):
            shutil.copy(SOLUTIONS / issue / name, folder / name)
        if change is not None:
            listed = json.loads((folder / "worker-result.json").read_text(encoding="utf-8"))
            changed = [path.removeprefix("sandbox/") for path in listed["files_changed"]]
            change(copy / "sandbox", changed)
        if any(path.endswith("git-result.json") for path in exercise.paths):
            result = publish(copy, issue, about["message"])
            (folder / "git-result.json").write_text(json.dumps(result), encoding="utf-8")
