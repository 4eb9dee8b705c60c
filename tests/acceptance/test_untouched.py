"""Grading reads a submission and the course, and changes nothing of either."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.acceptance.conftest import PathOf, Run


def may_write_everything() -> bool:
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o500)
        return os.access(folder, os.W_OK)


def state_of(folder: Path) -> list[tuple[str, int, int, str]]:
    """Return each path of a tree with its mode, time of change and content."""
    return [
        (str(path), path.lstat().st_mode, path.lstat().st_mtime_ns, content_of(path))
        for path in sorted([folder, *folder.rglob("*")])
    ]


def content_of(path: Path) -> str:
    if path.is_symlink():
        return os.readlink(path)
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""


def close(folder: Path) -> None:
    """Take every permission to write in a tree away."""
    for path in [folder, *folder.rglob("*")]:
        path.chmod(path.stat().st_mode & ~0o222)


def reopen(folder: Path) -> None:
    """Give the permission back, so that the tree can be removed."""
    for path in [folder, *folder.rglob("*")]:
        path.chmod(path.stat().st_mode | 0o200)


@pytest.mark.parametrize(
    ("name", "format_"),
    [
        ("foundation/02-implement/solved", "table"),
        ("practitioner/01-setup/broken-rule-definition", "junit"),
        ("practitioner/04-trace/broken-json", "github"),
        ("expert/01-classify/unsolved", "json"),
    ],
)
def test_grading_leaves_a_submission_as_it_was(
    run: Run, script: PathOf, fixture: PathOf, tmp_path: Path, name: str, format_: str
) -> None:
    level, _, exercise = name.partition("/")
    project = tmp_path / "submission"
    shutil.copytree(fixture(name), project, symlinks=True)
    before = state_of(project)
    words = ["--exercise", exercise[:2], "--format", format_, "--project", str(project)]
    done = run(script(level), *words, cwd=str(project))

    assert done.returncode in (0, 1)
    assert state_of(project) == before


@pytest.mark.skipif(may_write_everything(), reason="nothing is closed to root")
def test_a_course_that_may_not_be_written_grades_a_submission_that_may_not_be_either(
    run: Run, course: Path, fixture: PathOf, tmp_path: Path
) -> None:
    project = tmp_path / "submission"
    shutil.copytree(fixture("practitioner/02-delegate/solved"), project)
    close(course)
    close(project)
    script = course / "docs" / "practitioner" / "tutorials" / "verify.py"
    done = run(str(script), "--exercise", "02", "--project", ".", cwd=str(project))
    caches = list(course.rglob("__pycache__"))
    reopen(course)
    reopen(project)

    assert (done.returncode, done.stderr, caches) == (0, "", [])
