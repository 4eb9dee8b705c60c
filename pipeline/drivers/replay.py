"""Replays a recorded run of the course, without a model: for demonstrations in a copy."""

from __future__ import annotations

import json
import os
from collections import Counter
from typing import TYPE_CHECKING, Any

from pipeline.bootstrap import ROOT
from pipeline.drivers.base import Reply
from pipeline.files import system_path, write_json, write_whole
from pipeline.git import Repository

if TYPE_CHECKING:
    from pipeline.drivers.base import Allowed, Tell, Turn

RECORDINGS = os.path.join(ROOT, "fixtures", "solutions")
_CHANGES = "changes.patch"
TROUBLED = "troubled.json"  # of an issue: a run of it in which something goes wrong


def recordings() -> dict[str, dict[str, Any]]:
    """Return the `recording.json` of each issue; fixtures/solutions/README.md has its fields."""
    if not os.path.isdir(RECORDINGS):
        return {}
    issues = sorted(entry.name for entry in os.scandir(RECORDINGS) if entry.is_dir())
    return {issue: _json(issue, "recording.json") for issue in issues}


class Replay:
    """Plays the recordings of issues; the project must be as it was recorded.

    In a `troubled` run an agent has several turns, and the tests have recorded results.
    """

    name = "replay"
    client = terms = ""
    allowed: Allowed | None = None
    counts_tokens = False

    def __init__(self, troubled: str = "") -> None:
        self._turns: dict[str, Any] = _json(troubled, TROUBLED) if troubled else {}
        self._played = Counter[str]()

    def tested(self, _: str) -> tuple[int, str]:
        """Return the exit code and the output of the next recorded run of the tests."""
        recorded = self._next("test")
        return recorded["exit_code"], "\n".join(recorded["output"])

    def _next(self, stage: str) -> dict[str, Any]:
        self._played[stage] += 1
        turns: list[dict[str, Any]] = self._turns.get(stage, [{}])
        return turns[min(self._played[stage], len(turns)) - 1]

    def take(self, turn: Turn, tell: Tell) -> Reply:
        """Do what the recorded agent of the turn's stage did."""
        about, recorded = recordings()[turn.issue], self._next(turn.stage)
        if turn.writes == "nothing":
            usual = about.get(turn.stage, about["message"])
            return Reply(text="\n".join(recorded.get("answer", [usual])))
        value = {**_json(turn.issue, os.path.basename(turn.artifact)), **recorded.get("result", {})}
        if turn.writes == "project":
            tell(f"changes {len(value['files_changed'])} files")
            if self._played[turn.stage] == 1:
                patch = os.path.join(RECORDINGS, turn.issue, _CHANGES)
                inside = () if turn.target == "." else (f"--directory={turn.target}",)
                Repository(turn.root).run("apply", *inside, patch)
            for edit in recorded.get("edits", ()):
                _edit(os.path.join(turn.root, turn.target, edit["file"]), edit)
        write_json(system_path(turn.root, turn.artifact), value)
        return Reply(text=f"I wrote {turn.artifact}.")

    def close(self) -> None:
        """Do nothing: no process was started."""


def _edit(path: str, edit: dict[str, Any]) -> None:
    """Replace lines of a file by others."""
    old, new = ("\n".join(edit[name]) for name in ("old", "new"))
    with open(path, encoding="utf-8") as file:
        text = file.read()
    write_whole(path, text.replace(old, new).encode())


def _json(issue: str, name: str) -> Any:
    with open(os.path.join(RECORDINGS, issue, name), encoding="utf-8") as file:
        return json.load(file)
