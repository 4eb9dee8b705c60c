"""Replays a recorded run of the course, without a model: for demonstrations in a copy."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from pipeline.bootstrap import ROOT
from pipeline.drivers.base import Reply
from pipeline.files import write_json
from pipeline.git import Repository

if TYPE_CHECKING:
    from pipeline.drivers.base import Allowed, Tell, Turn

RECORDINGS = os.path.join(ROOT, "fixtures", "solutions")
_CHANGES = "changes.patch"


def recordings() -> dict[str, dict[str, Any]]:
    """Return the `recording.json` of each issue; fixtures/solutions/README.md has its fields."""
    if not os.path.isdir(RECORDINGS):
        return {}
    issues = sorted(entry.name for entry in os.scandir(RECORDINGS) if entry.is_dir())
    return {issue: _json(issue, "recording.json") for issue in issues}


class Replay:
    """Plays the recordings of issues; the project must be as it was recorded."""

    name = "replay"
    client = terms = ""
    allowed: Allowed | None = None
    counts_tokens = False

    def take(self, turn: Turn, tell: Tell) -> Reply:
        """Do what the recorded agent of the turn's stage did."""
        about = recordings()[turn.issue]
        if turn.writes == "nothing":
            return Reply(text=about.get(turn.stage, about["message"]))
        value = _json(turn.issue, os.path.basename(turn.artifact))
        if turn.writes == "project":
            tell(f"changes {len(value['files_changed'])} files")
            patch = os.path.join(RECORDINGS, turn.issue, _CHANGES)
            inside = () if turn.target == "." else (f"--directory={turn.target}",)
            Repository(turn.root).run("apply", *inside, patch)
        write_json(os.path.join(turn.root, *turn.artifact.split("/")), value)
        return Reply(text=f"I wrote {turn.artifact}.")

    def close(self) -> None:
        """Do nothing: no process was started."""


def _json(issue: str, name: str) -> Any:
    with open(os.path.join(RECORDINGS, issue, name), encoding="utf-8") as file:
        return json.load(file)
