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
    """The last turn that was dispatched, and the repository as it was before."""

    stage: str
    before: Snapshot
    fresh: bool = False  #: nothing had been done: what differed from the last commit was the user's
    settled: bool = False  #: the turn ended, and changed nothing that its role may not change
    message: str = ""  #: of the commit, once the agents are done
    tree: str = ""  #: what is committed with it, as git's hash
    work: tuple[str, ...] = ()  #: files of the target project that the worker's turns have changed


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
        work = tuple(map(str, value.get("work", ())))
        return turn._replace(message=message, tree=tree, work=work)
    except (Unreadable, ValueError, TypeError, KeyError, RecursionError):
        return None


def forget(folder: str) -> None:
    """Remove the checkpoint, because the work is published."""
    with contextlib.suppress(FileNotFoundError):
        os.unlink(os.path.join(folder, NAME))
