"""The shell loops of the how-to pages do what their pages say."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

from tests.docs.conftest import ROOT
from tests.stubs.archives import opened_source
from tests.stubs.repositories import UserRepository
from verify.sources.detect import source_of

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def loop_of(page: str) -> str:
    """Return the one shell loop of a how-to page."""
    text = (ROOT / "docs" / "how-to" / page).read_text(encoding="utf-8")
    (loop,) = [
        block.partition("```")[0] for block in text.split("```sh\n")[1:] if "\ndone" in block
    ]
    return loop


def test_the_last_commit_before_a_deadline_is_graded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    days = {"ada": ("2026-02-27", "2026-02-28", "2026-03-02"), "bob": ("2026-03-02",)}
    for login, dates in days.items():
        clone = UserRepository(tmp_path / "hw1-submissions" / f"hw1-{login}")
        for day in dates:
            monkeypatch.setenv("GIT_COMMITTER_DATE", f"{day}T12:00:00+01:00")
            clone.commit(f"feat: {day}", **{"plan.json": day})
    loop = loop_of("grade-git-repositories.md")
    done = subprocess.run(
        ["sh", "-eu", "-c", loop], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    with opened_source(source_of(str(tmp_path / "on-time" / "hw1-submissions"))) as submissions:
        found = {learner: door.read("plan.json") for learner, door in submissions.items()}
        history = submissions["ada"].history()

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "hw1-submissions/hw1-bob: no commit before the deadline\n"
    assert found == {"ada": b"2026-02-28"}
    assert history is not None
    assert len(history.find(history.branches.refs["refs/heads/main"]).commits) == 1
