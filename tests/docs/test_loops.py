"""What the how-to pages do in a shell before grading does what their pages say."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

from verify.sources.detect import source_of

from tests.docs.conftest import ROOT
from tests.stubs.archives import files_of, opened_source, tar_bytes, zip_bytes
from tests.stubs.repositories import UserRepository

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def run(page: str, within: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run the one block of a how-to page that has a text in it, but for the grading itself."""
    text = (ROOT / "docs" / "how-to" / page).read_text(encoding="utf-8")
    blocks = [block.partition("```")[0] for block in text.split("```sh\n")[1:]]
    (block,) = [block for block in blocks if within in block]
    script = "\n".join(line for line in block.split("\n") if not line.startswith("verify batch"))
    return subprocess.run(
        ["sh", "-eu", "-c", script], cwd=folder, capture_output=True, text=True, check=False
    )


def test_the_last_commit_before_a_deadline_is_graded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    days = {"ada": ("2026-02-27", "2026-02-28", "2026-03-02"), "bob": ("2026-03-02",)}
    for login, dates in days.items():
        clone = UserRepository(tmp_path / "hw1-submissions" / f"hw1-{login}")
        for day in dates:
            monkeypatch.setenv("GIT_COMMITTER_DATE", f"{day}T12:00:00+01:00")
            clone.commit(f"feat: {day}", **{"plan.json": day})
    done = run("grade-git-repositories.md", "\ndone", tmp_path)
    with opened_source(source_of(str(tmp_path / "on-time" / "hw1-submissions"))) as submissions:
        found = {learner: door.read("plan.json") for learner, door in submissions.items()}
        history = submissions["ada"].history()

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "hw1-submissions/hw1-bob: no commit before the deadline\n"
    assert found == {"ada": b"2026-02-28"}
    assert history is not None
    assert len(history.find(history.branches.refs["refs/heads/main"]).commits) == 1


def test_a_tar_of_a_cohort_is_unpacked_and_graded(tmp_path: Path) -> None:
    members = (("ada/plan.json", b"1"), ("bob.zip", zip_bytes(("plan.json", b"2"))))
    (tmp_path / "submissions.tar.gz").write_bytes(tar_bytes(*members, packed="gz"))
    done = run("grade-an-lms-download.md", "tar -xf", tmp_path)

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert files_of(source_of(str(tmp_path / "submissions")), "plan.json") == {
        "ada": b"1",
        "bob": b"2",
    }
