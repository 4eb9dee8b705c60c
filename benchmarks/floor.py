"""The least that an honest grader does: its CPU time is what that of `verify batch` is compared to.

usage: python benchmarks/floor.py FOLDER

In one process it opens the three artifacts of each learner without following a link, parses them
with `json.loads`, validates each with pydantic's adapter of its model, and inserts a row for each
learner into SQLite. `benchmarks/batch.py` runs it.
"""

from __future__ import annotations

import json
import os
import sqlite3
import sys
import tempfile
from typing import TYPE_CHECKING

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[0] = ROOT

from pydantic import TypeAdapter

from pipeline.protocol.layout import ARTIFACTS
from pipeline.schema import KINDS

if TYPE_CHECKING:
    from collections.abc import Iterator

_INNER = os.path.join(".pipeline", "ISSUE-202")


def main() -> int:
    """Read, validate and record the submissions of a folder; return the exit code."""
    folder = sys.argv[1]
    models = {kind.ending: kind.model for kind in KINDS.values()}
    adapters = {name: TypeAdapter(models[name]) for name in ARTIFACTS}

    def rows() -> Iterator[tuple[str, int]]:
        for learner in sorted(os.listdir(folder)):
            for name, adapter in adapters.items():
                path = os.path.join(folder, learner, _INNER, name)
                adapter.validate_python(json.loads(_read(path)))
            yield learner, 1

    with tempfile.TemporaryDirectory() as place:
        connection = sqlite3.connect(os.path.join(place, "floor.db"))
        with connection:
            connection.execute("CREATE TABLE result (learner TEXT PRIMARY KEY, passed INTEGER)")
            connection.executemany("INSERT INTO result VALUES (?, ?)", rows())
        connection.close()
    return 0


def _read(path: str) -> bytes:
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    data = os.read(descriptor, 1 << 16)
    os.close(descriptor)
    return data


if __name__ == "__main__":
    raise SystemExit(main())
