"""A recorded run is played into a project, as far as it fits, and again without harm."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from pipeline.drivers.base import DriverFault, Turn
from pipeline.drivers.replay import Replay
from pipeline.tiers import Selection
from tests.stubs.repositories import UserRepository, user_repository

if TYPE_CHECKING:
    from pathlib import Path

    from pipeline.drivers.base import Stage

PLAN = {
    "affected_files": ["a.txt", "b.txt"],
    "steps": [
        {"order": 1, "file": "a.txt", "description": "Say more"},
        {"order": 2, "file": "b.txt", "description": "Be there"},
    ],
    "acceptance_mapping": {"AC1_more": "a.txt"},
    "produced_by": "x-subplanner",
}
RESULT = {
    "status": "completed",
    "files_changed": ["a.txt", "b.txt"],
    "blockers": [],
    "summary": "Says more",
    "produced_by": "x-worker",
}
CHANGES = """\
diff --git a/a.txt b/a.txt
--- a/a.txt
+++ b/a.txt
@@ -1 +1,2 @@
 one
+two
diff --git a/b.txt b/b.txt
new file mode 100644
--- /dev/null
+++ b/b.txt
@@ -0,0 +1 @@
+here
"""


@pytest.fixture
def user(tmp_path: Path) -> UserRepository:
    """Return a repository with the project `app/`."""
    user = user_repository(tmp_path / "repository")
    user.write("app/a.txt", "one\n")
    user.git("add", ".")
    user.git("commit", "-q", "-m", "feat: begin")
    return user


@pytest.fixture
def recordings(tmp_path: Path) -> Path:
    """Return a folder with the recorded run of ISSUE-7 in `app/`."""
    folder = tmp_path / "recordings" / "ISSUE-7"
    folder.mkdir(parents=True)
    about = {"version": 1, "target": "app", "review": "approved", "message": "feat: say more"}
    for name, value in (("recording", about), ("plan", PLAN), ("worker-result", RESULT)):
        (folder / f"{name}.json").write_text(json.dumps(value))
    (folder / "changes.patch").write_text(CHANGES)
    return folder.parent


def turn(user: UserRepository, stage: Stage, target: str = "app") -> Turn:
    """Return a turn of ISSUE-7."""
    prefix = "" if target == "." else f"{target}/"
    name = {"plan": "plan.json", "implement": "worker-result.json"}.get(stage, "")
    return Turn(
        session="s",
        role="x-any",
        stage=stage,
        issue="ISSUE-7",
        tier="standard",
        prompt="",
        root=str(user.folder),
        target=target,
        artifact=f"{prefix}.pipeline/ISSUE-7/{name}" if name else "",
        writes="project",
        selection=Selection(),
    )


def told(_text: str) -> None:
    """Hear what a driver says, and forget it."""


def artifact(user: UserRepository, path: str) -> Any:
    return json.loads((user.folder / path).read_text())


def test_each_stage_is_done_as_it_was_recorded(user: UserRepository, recordings: Path) -> None:
    driver = Replay(str(recordings))

    said = [
        driver.take(turn(user, stage), told).text
        for stage in ("plan", "implement", "review", "publish")
    ]

    assert said[1:] == [
        "completed: app/.pipeline/ISSUE-7/worker-result.json",
        "approved",
        "feat: say more",
    ]
    assert artifact(user, "app/.pipeline/ISSUE-7/plan.json") == PLAN
    assert artifact(user, "app/.pipeline/ISSUE-7/worker-result.json") == RESULT
    assert (user.folder / "app/a.txt").read_text() == "one\ntwo\n"
    assert (user.folder / "app/b.txt").read_text() == "here\n"


def test_a_change_that_does_not_fit_blocks_and_changes_nothing(
    user: UserRepository, recordings: Path
) -> None:
    user.write("app/b.txt", "something else\n")

    Replay(str(recordings)).take(turn(user, "implement"), told)

    assert artifact(user, "app/.pipeline/ISSUE-7/worker-result.json") == {
        **RESULT,
        "status": "blocked",
        "files_changed": [],
        "blockers": ["the recorded change does not apply to b.txt"],
        "summary": "Stopped: the project differs from the one that was recorded",
    }
    assert (user.folder / "app/a.txt").read_text() == "one\n"


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("recording.json", "{}", "recording.json: expected version 1"),
        ("recording.json", "[" * 10_000, "recording.json: is no JSON"),
        ("plan.json", "no", "plan.json: is no JSON"),
        ("plan.json", '{"affected_files": [1]}', "plan.json: is no artifact of its name"),
    ],
)
def test_a_recording_that_cannot_be_played_is_one_line(
    user: UserRepository, recordings: Path, name: str, text: str | None, message: str
) -> None:
    path = recordings / "ISSUE-7" / name
    if text is None:
        path.unlink()
    else:
        path.write_text(text)

    with pytest.raises(DriverFault) as caught:
        Replay(str(recordings)).take(turn(user, "plan"), told)

    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert caught.value.usage


def test_a_patch_does_not_reach_outside_the_repository(
    user: UserRepository, recordings: Path, tmp_path: Path
) -> None:
    (recordings / "ISSUE-7" / "changes.patch").write_text(
        CHANGES.replace("b.txt", "../../../outside.txt")
    )
    hostile = {**RESULT, "files_changed": ["a.txt", "../../../outside.txt"]}
    (recordings / "ISSUE-7" / "worker-result.json").write_text(json.dumps(hostile))

    Replay(str(recordings)).take(turn(user, "implement"), told)

    result = artifact(user, "app/.pipeline/ISSUE-7/worker-result.json")
    assert result["status"] == "blocked"
    assert not list(tmp_path.glob("outside*"))
    assert not (tmp_path.parent / "outside.txt").exists()
