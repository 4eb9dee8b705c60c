"""A recording that cannot be played is told, and its patch stays inside the repository."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from pipeline.drivers.base import DriverFault
from pipeline.drivers.replay import Replay
from tests.stubs.agents import plan, read, result
from tests.stubs.repositories import user_repository
from tests.stubs.scripted_client import a_turn

if TYPE_CHECKING:
    from pathlib import Path

OUTSIDE = "../../../outside.txt"
CHANGES = f"""\
diff --git a/{OUTSIDE} b/{OUTSIDE}
new file mode 100644
--- /dev/null
+++ b/{OUTSIDE}
@@ -0,0 +1 @@
+here
"""


@pytest.fixture
def recordings(tmp_path: Path) -> Path:
    """Return a folder with a run of ISSUE-7 in `app/` whose patch leads out of the repository."""
    folder = tmp_path / "recordings" / "ISSUE-7"
    folder.mkdir(parents=True)
    about = {"version": 1, "target": "app", "review": "approved", "message": "feat: say more"}
    done = result(OUTSIDE)
    for name, value in (("recording", about), ("plan", plan()), ("worker-result", done)):
        (folder / f"{name}.json").write_text(json.dumps(value))
    (folder / "changes.patch").write_text(CHANGES)
    return folder.parent


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
    root: Path, recordings: Path, name: str, text: str, message: str
) -> None:
    (recordings / "ISSUE-7" / name).write_text(text)

    with pytest.raises(DriverFault) as caught:
        Replay(str(recordings)).take(a_turn(root, stage="plan"), print)

    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert caught.value.usage


def test_a_patch_does_not_reach_outside_the_repository(
    root: Path, recordings: Path, tmp_path: Path
) -> None:
    user_repository(root)
    before = set(tmp_path.parent.rglob("*outside*"))

    turn = a_turn(root)
    Replay(str(recordings)).take(turn, print)

    assert read(root / turn.artifact)["status"] == "blocked"
    assert set(tmp_path.parent.rglob("*outside*")) == before
