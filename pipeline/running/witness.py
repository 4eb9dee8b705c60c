"""What the last turn began with, kept on disk: a run that was killed looks at what it left."""

from __future__ import annotations

import contextlib
import json
import os
from typing import Any, NamedTuple

from pipeline.files import Unreadable, read_file, write_json
from pipeline.running.guard import Snapshot

WITNESS = "run.json"
_LIMIT = 64 << 20  # bytes: one line for each changed file of a large repository


class Witness(NamedTuple):
    """The last turn that was dispatched, and the repository as it was before.

    `settled`: the turn ended, and changed nothing that its role may not change. `fresh`: nothing of
    the stage's work was there yet, so whatever differed from the last commit was the user's.
    """

    stage: str
    settled: bool
    fresh: bool
    before: Snapshot


def keep(folder: str, witness: Witness) -> None:
    """Write the witness into the issue's folder.

    Raises:
        OSError: it cannot be written.
    """
    value = {**witness._asdict(), "before": witness.before._asdict()}
    write_json(os.path.join(folder, WITNESS), {"version": 1, **value})


def kept(folder: str) -> Witness | None:
    """Return the witness of the last turn; None without one.

    While there is one, nothing of the issue has been committed or published by a run.
    """
    try:
        value: Any = json.loads(read_file(os.path.join(folder, WITNESS), _LIMIT))
        was = value["before"]
        before = Snapshot(was["branch"], was["sha"], dict(was["files"]))
        return Witness(value["stage"], value["settled"], value["fresh"], before)
    except (Unreadable, ValueError, TypeError, KeyError, RecursionError):
        return None


def forget(folder: str) -> None:
    """Remove the witness: the agents' part is over."""
    with contextlib.suppress(FileNotFoundError):
        os.unlink(os.path.join(folder, WITNESS))
