"""Makes one gradebook of two: nothing is lost, and what they disagree about is named."""

from __future__ import annotations

import os
import shutil
from collections import deque
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from pipeline.files import reason_of
from pipeline.terminal.display import visible
from pipeline.terminal.fault import Fault
from verify.gradebook.recording import HELD, follow
from verify.gradebook.store import UnusableGradebook, alone, copy_of, files_of, writing

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Sequence

_SCRIPT = os.path.join(os.path.dirname(__file__), "merge.sql")
TABLES = (
    *("run", "learner", "submission", "rules", "run_exercise", "reads", "result", "finding"),
    *("sketch", "attention", "override", "term", "decision", "exported", "identity", "earlier"),
)
_RUNS = """
SELECT side, id, started, json_array(kind, started, sources, options, by, assignment, exercises,
    row_number() OVER (PARTITION BY side, kind, started, sources, options, by, assignment, exercises
      ORDER BY id))
FROM (SELECT *, (SELECT group_concat(named) FROM (
      SELECT exercise || ' ' || digest AS named FROM both_run_exercise e
        JOIN both_rules u ON u.side = e.side AND u.id = e.rules
      WHERE e.side = r.side AND e.run = r.id ORDER BY position)) AS exercises FROM both_run r)
ORDER BY side, id
"""
_NEW_ROSTER = (  # as if the newer gradebook's roster replaced that of the older one
    """INSERT OR IGNORE INTO {older}.identity
      SELECT i.* FROM {newer}.identity i JOIN {newer}.learner ON key = learner""",
    "DELETE FROM {older}.learner",
    "INSERT INTO {older}.learner SELECT * FROM {newer}.learner",
)
_UNITED = (  # one row for a learner in both
    """CREATE TEMP TABLE united_learner AS
      SELECT n.key, iif(n.name = '', o.name, n.name), iif(n.email = '', o.email, n.email),
        json_patch(o.ids, n.ids)
      FROM moved JOIN {newer}.learner n ON n.key = moved.learner
        JOIN {older}.learner o ON o.key = former""",
    "INSERT OR REPLACE INTO {newer}.learner SELECT * FROM united_learner",
    "INSERT OR REPLACE INTO {older}.learner SELECT * FROM united_learner",
    "DELETE FROM {older}.learner WHERE key IN (SELECT former FROM moved)",
)
# learners with another key in each who share a value that is only theirs there: a name, or an id
_DOUBTS = """
WITH x AS (
  SELECT value, heading = 'name' AS is_name, min(learner) AS learner FROM a.identity
  WHERE learner IN (SELECT key FROM a.learner) AND heading <> 'identifier'
  GROUP BY 1, 2 HAVING count(DISTINCT learner) = 1),
y AS (
  SELECT value, heading = 'name' AS is_name, min(learner) AS learner FROM b.identity
  WHERE learner IN (SELECT key FROM b.learner) AND heading <> 'identifier'
  GROUP BY 1, 2 HAVING count(DISTINCT learner) = 1)
SELECT x.learner, y.learner, min(value) FROM x JOIN y USING (value, is_name)
WHERE x.learner NOT IN (SELECT key FROM b.learner) AND y.learner NOT IN (SELECT key FROM a.learner)
GROUP BY 1, 2 ORDER BY 1, 2
"""


class MergeConflict(NamedTuple):
    """What two gradebooks say differently."""

    kind: str  #: result, override, decision, roster or term
    about: str
    kept: str  #: what counts in the merged one
    other: str


class Merged(NamedTuple):
    """What a person should know of two gradebooks that are one now."""

    conflicts: list[MergeConflict]
    moved: list[tuple[str, str]]  #: learners by one key in both now: the key, the one before
    doubts: list[tuple[str, str, str]]  #: two keys that may be one learner's, and what both have


class StoredRun(NamedTuple):
    """A run of one of the gradebooks."""

    side: int
    id: int
    started: str
    identity: str  #: the same for a run that both have


def merge(paths: Sequence[str], target: str, prefer: int | None, by: str, now: str) -> Merged:
    """Write one gradebook with all that two have, whole or not at all; return what to look at.

    What was graded or decided later counts, unless one of them, 0 or 1, is to be preferred. Raises
    `Fault`.
    """
    for path in files_of(target)[:-1]:  # a lock is no matter
        if os.path.lexists(path):
            raise UnusableGradebook(path, "exists: choose a new file for --into")
    with alone(target), _scratch_folder(target) as scratch:
        copies = [os.path.join(scratch, name) for name in ("a.db", "b.db")]
        for path, copy in zip(paths, copies, strict=True):
            copy_of(path, copy)
        merged = os.path.join(scratch, "merged.db")
        with writing(merged) as connection:
            connection.create_function("casefold", 1, str.casefold)  # `lower` knows ASCII only
            for name, copy in zip("ab", copies, strict=True):
                connection.execute(f"ATTACH ? AS {name}", (copy,))
            merged_of_both = _merged(connection, prefer, by, now)
            for name in "ab":
                connection.execute(f"DETACH {name}")
        os.rename(merged, target)
    return merged_of_both


@contextmanager
def _scratch_folder(target: str) -> Iterator[str]:
    """Yield a new folder beside a target; that of a merge that was killed is removed."""
    place, name = os.path.split(os.path.realpath(target))
    folder = os.path.join(place, f".merge-{name}")
    shutil.rmtree(folder, ignore_errors=True)
    try:
        os.mkdir(folder, 0o700)
    except OSError as error:
        raise UnusableGradebook(target, f"cannot be written: {reason_of(error)}") from None
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _merged(connection: sqlite3.Connection, prefer: int | None, by: str, now: str) -> Merged:
    """Fill a new gradebook with what two attached ones have."""
    for table in TABLES:
        connection.execute(
            f"CREATE TEMP VIEW both_{table} AS SELECT 0 AS side, * FROM a.{table}"  # noqa: S608  # our own words
            f" UNION ALL SELECT 1, * FROM b.{table}"
        )
    order = _order(connection)
    last = [max((new for side, _, new in order if side == at), default=0) for at in (0, 1)]
    newer = int(last[1] > last[0]) if prefer is None else prefer
    moved = _with_keys_of("ab"[newer], "ab"[1 - newer], connection)
    connection.execute("CREATE TEMP TABLE ordered (side, old, new, PRIMARY KEY (side, old))")
    connection.executemany("INSERT INTO ordered VALUES (?, ?, ?)", order)
    connection.execute("CREATE TEMP TABLE choice (side, newer, by, now)")
    values = (prefer, newer, f"{by} (merge)", now)
    connection.execute("INSERT INTO choice VALUES (?, ?, ?, ?)", values)
    with open(_SCRIPT, encoding="utf-8") as script:
        connection.executescript(script.read())
    for stranger in connection.execute("SELECT * FROM stranger LIMIT 1"):
        who, *names = (visible(text) for text in stranger)
        what = f"{who} is {names[0]} in one gradebook and {names[1]} in the other"
        raise Fault(f"{what}: only gradebooks of one class, with the same keys, can be merged")
    rows = connection.execute("SELECT * FROM conflict ORDER BY 1, 2")
    conflicts = [MergeConflict(*map(str, row)) for row in rows]
    return Merged(conflicts, moved, connection.execute(_DOUBTS).fetchall())


def _with_keys_of(newer: str, older: str, connection: sqlite3.Connection) -> list[tuple[str, str]]:
    """Give learners of the older gradebook the keys of the newer one, as its roster would do.

    Return each new key with the old one. The columns of both rosters are kept.
    """

    def execute(statement: str) -> list[Any]:
        found = connection.execute(statement.format(newer=newer, older=older))
        return found.fetchall()

    known = {*execute("SELECT key FROM {older}.learner")}
    execute("BEGIN")
    for statement in _NEW_ROSTER:
        execute(statement)
    rows = execute("SELECT learner, former FROM {older}.successor ORDER BY 2")
    execute("ROLLBACK")
    moved = [(key, former) for key, former in rows if (key,) not in known]
    execute("CREATE TEMP TABLE moved (learner TEXT, former TEXT)")
    connection.executemany("INSERT INTO moved VALUES (?, ?)", moved)
    for statement in _UNITED:
        execute(statement)
    follow(connection, moved, f"{older}.", (*HELD, "identity"))
    return moved


def _order(connection: sqlite3.Connection) -> list[tuple[int, int, int]]:
    """Return each side's runs with their new numbers: in the order of both, else by the time.

    A run that both have is one run.
    """
    runs = [StoredRun(*row) for row in connection.execute(_RUNS)]
    queues = [deque(run.identity for run in runs if run.side == side) for side in (0, 1)]
    common = {*queues[0]} & {*queues[1]}
    started = {run.identity: run.started for run in runs}
    numbers: dict[str, int] = {}
    while any(queues):
        heads = [queue[0] for queue in queues if queue]
        free = [run for run in heads if run not in common] or heads[:1]
        first = min(free, key=started.__getitem__)
        numbers[first] = len(numbers) + 1
        for queue in queues:
            if first in queue:
                queue.remove(first)
    return [(run.side, run.id, numbers[run.identity]) for run in runs]
