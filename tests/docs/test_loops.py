"""What the how-to pages do in a shell before grading does what their pages say."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

from tests.docs.conftest import ROOT
from tests.stubs.archives import tar_bytes, zip_bytes
from tests.stubs.repositories import UserRepository
from verify.intake.opening import collection_of, open_entry
from verify.submissions.submission import OpenSubmission

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


def opened(folder: Path) -> dict[str, OpenSubmission]:
    """Return the submissions of a collection by the names of their entries."""
    collection = collection_of(str(folder))
    places = [(collection.kind, collection.container, one.name) for one in collection.entries()]
    return {place[-1]: OpenSubmission(open_entry(*place), ("plan.json",)) for place in places}


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
    submissions = opened(tmp_path / "on-time" / "hw1-submissions")
    found = {name: door.read("plan.json") for name, door in submissions.items()}
    history = submissions["hw1-ada"].history()

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "hw1-submissions/hw1-bob: no commit before the deadline\n"
    assert found == {"hw1-ada": b"2026-02-28"}
    assert history is not None
    assert list(history.find(history.branches.refs["refs/heads/main"]).values()) == ["commit"]


def test_a_tar_of_a_cohort_is_unpacked_and_graded(tmp_path: Path) -> None:
    members = (("ada/plan.json", b"1"), ("bob.zip", zip_bytes(("plan.json", b"2"))))
    (tmp_path / "submissions.tar.gz").write_bytes(tar_bytes(*members, packed="gz"))
    done = run("grade-an-lms-download.md", "tar -xf", tmp_path)

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    found = {name: one.read("plan.json") for name, one in opened(tmp_path / "submissions").items()}
    assert found == {"ada": b"1", "bob.zip": b"2"}
