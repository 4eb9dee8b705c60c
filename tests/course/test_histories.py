"""What git says of the histories of the fixtures is what the grader says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pipeline.bootstrap import ROOT
from tests.stubs.repositories import git
from tools.histories import COURSES, FIXTURES, Course

CASES = [
    pytest.param(course, name, id=f"{course.folder}/{name}")
    for course in COURSES
    for name in ("solved", "solved-forwarded", "solved-merged", "broken-other-files")
    if name in course.histories
]


@pytest.mark.parametrize(("course", "name"), CASES)
def test_git_says_of_a_history_what_the_grader_says(
    course: Course, name: str, tmp_path: Path
) -> None:
    folder = Path(ROOT, FIXTURES, course.folder, name, ".pipeline")
    result, worker = (
        json.loads((folder / course.issue / f"{artifact}.json").read_text())
        for artifact in ("git-result", "worker-result")
    )
    git(tmp_path, "clone", "--quiet", "--bare", str(folder / "history.bundle"), "clone")
    clone, sha = tmp_path / "clone", result["commit_sha"]
    changed = git(clone, "diff", "--name-only", f"{sha}^", sha).split()

    assert git(clone, "fsck", "--strict") == ""
    assert git(clone, "log", "-1", "--format=%s", sha) == result["commit_message"]
    assert (changed == sorted(worker["files_changed"])) == name.startswith("solved")
