"""How far a run came, kept on disk: after a kill, the next run compares and repeats nothing."""

from __future__ import annotations

import contextlib
import json
import os
from typing import Any, NamedTuple

from pipeline.files import Unreadable, read_file, write_json
from pipeline.run.guard import Snapshot

NAME = "run.json"
_LIMIT = 64 << 20  # bytes: one line for each changed file of a large repository


class Checkpoint(NamedTuple):
    """The last turn that was dispatched, and the repository as it was before.

    `settled`: the turn ended, and changed nothing that its role may not change. `fresh`: the stage
    had not begun, so everything that differed from the last commit was the user's. `approved`:
    a reviewer approved `before`. `message` is the commit's, once the agents are done, and `tree` is
    what is committed with it, as git's hash; both are empty until then. `work` are the files of the
    target project that the worker's turns have changed.
    """

    stage: str
    before: Snapshot
    fresh: bool = False
    settled: bool = False
    approved: bool = False
    message: str = ""
    tree: str = ""
    work: tuple[str, ...] = ()


def write(folder: str, checkpoint: Checkpoint) -> None:
    """Write the checkpoint into the issue's folder."""
    value = {"version": 1, **checkpoint._asdict(), "before": checkpoint.before._asdict()}
    write_json(os.path.join(folder, NAME), value)


def read(folder: str) -> Checkpoint | None:
    """Return the checkpoint of the last turn; None once the pull request is open."""
    try:
        value: Any = json.loads(read_file(os.path.join(folder, NAME), _LIMIT))
        was = value["before"]
        before = Snapshot(was["branch"], was["sha"], dict(was["files"]))
        turn = Checkpoint(value["stage"], before, value["fresh"], value["settled"])
        message, tree = (str(value.get(name, "")) for name in ("message", "tree"))
        is_approved = value.get("approved") is True
        work = tuple(map(str, value.get("work", ())))
        return turn._replace(approved=is_approved, message=message, tree=tree, work=work)
    except (Unreadable, ValueError, TypeError, KeyError, RecursionError):
        return None


def forget(folder: str) -> None:
    """Remove the checkpoint, because the work is published."""
    with contextlib.suppress(FileNotFoundError):
        os.unlink(os.path.join(folder, NAME))
