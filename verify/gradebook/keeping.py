"""What stays from run to run: decisions of people, and the grades that an earlier run gave."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from pipeline.terminal.display import listed, visible
from verify.gradebook.store import reading, transaction, utf8_row, writing

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Mapping, Sequence

KEPT = ("learner", "override", "decision", "identity")  # tables that a later run goes by
_REPLACED = "DELETE FROM decision WHERE entry = ? AND ? IN ('', collection) AND NOT ("
_REPLACED += "collection = ? AND learner IN (SELECT value FROM json_each(?)))"
# What was decided in another collection, such as an earlier download, counts for an entry of the
# same name unless people decided differently there.
_DECIDED = """
WITH place AS (SELECT value AS collection FROM json_each(?) UNION SELECT '')
SELECT collection, entry, learner FROM decision WHERE collection IN place
UNION SELECT '', entry, learner FROM decision d WHERE NOT EXISTS (
  SELECT 1 FROM decision o WHERE o.entry = d.entry AND o.collection <> d.collection
  AND (o.learner <> d.learner OR o.collection IN place)) AND collection NOT IN place
"""
_DROPPED = """
SELECT exercise || ' (' || count(*) || ')' FROM before WHERE score IS NOT NULL AND exercise NOT IN (
  SELECT exercise FROM run_exercise e JOIN rules ON rules.id = e.rules WHERE e.run = ?)
GROUP BY exercise ORDER BY exercise
"""
_VANISHED = """
SELECT DISTINCT learner FROM submission WHERE seen = ?
  AND learner IN (SELECT learner FROM before WHERE score IS NOT NULL)
  AND learner NOT IN (SELECT learner FROM submission WHERE seen = ?)
  AND inner NOT IN (SELECT inner FROM submission WHERE seen = ?)
ORDER BY learner
"""
_IS_SAME = """
SELECT NOT EXISTS (SELECT value FROM run, json_each(sources) WHERE run.id = ?
  EXCEPT SELECT value FROM run, json_each(sources) WHERE run.id = ?)
"""
_GRADE = "SELECT learner, exercise, outcome || iif(score IS NULL, '', printf(' %.12g', score)) FROM"
_SHOWN = 12  # grades that are named, the others are counted
_TENTH, _FEW = 10, 2


def decide(
    connection: sqlite3.Connection,
    decisions: Iterable[tuple[str, str, str, str]],
    by: str,
    made: str,
) -> None:
    """Keep decisions: collection, entry, learner, why; earlier ones for these entries go."""
    entries: dict[tuple[str, str], list[tuple[str, ...]]] = {}
    for row in map(utf8_row, decisions):
        entries.setdefault(row[:2], []).append((*row, by, made))
    with transaction(connection):
        for (place, entry), rows in entries.items():
            learners = json.dumps([row[2] for row in rows])
            connection.execute(_REPLACED, (entry, place, place, learners))
            connection.executemany("INSERT OR IGNORE INTO decision VALUES (?, ?, ?, ?, ?, ?)", rows)


def decided(
    connection: sqlite3.Connection, places: Sequence[str]
) -> dict[tuple[str, str], tuple[str, ...]]:
    """Return the learners of entries, by a collection (empty for any) and the name."""
    found: dict[tuple[str, str], tuple[str, ...]] = {}
    for place, entry, learner in connection.execute(_DECIDED, (json.dumps(places),)):
        found[place, entry] = (*found.get((place, entry), ()), learner)
    return found


def exported_in(path: str) -> dict[str, set[str]]:
    """Return the grades that exports of a gradebook have written, by the cell of a file."""
    found: dict[str, set[str]] = {}
    with reading(path) as connection:
        for cell, value in connection.execute("SELECT cell, value FROM exported"):
            found.setdefault(cell, set()).add(value)
    return found


def keep_exported(path: str, exported: Mapping[str, Iterable[str]]) -> None:
    """Keep the grades that are written into files of platforms, by the cell."""
    rows = ((cell, value) for cell, values in exported.items() for value in values)
    with writing(path) as connection, transaction(connection):
        connection.executemany("INSERT OR IGNORE INTO exported VALUES (?, ?)", rows)


class Before:
    """The grades of the last run, as they were when another one begins on the same connection."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        query = "SELECT max(id) FROM run WHERE kind = 'grade'"
        (self._run,) = connection.execute(query).fetchone()
        connection.execute(
            "CREATE TEMP TABLE before AS SELECT * FROM grade"
            " WHERE outcome NOT IN ('missing', 'error') OR score IS NOT NULL"
        )

    def _all(self, query: str, *values: object) -> list[Any]:
        return [value for (value,) in self._connection.execute(query, values)]

    def loss(self, run: int) -> str:
        """Return what a run that has found its submissions drops, and what to do instead.

        It is empty if only a few learners have left, which happens.
        """
        (is_same,) = self._all(_IS_SAME, self._run, run)
        if exercises := self._all(_DROPPED, run):
            step = "use a different --gradebook for each assignment"
            if is_same:
                step = "add" + "".join(f" --exercise {each.split()[0]}" for each in exercises)
            return f"{', '.join(exercises)} from the exports: {step}"
        learners = self._all(_VANISHED, self._run, run, run)
        (count,) = self._all("SELECT count(DISTINCT learner) FROM before WHERE score IS NOT NULL")
        allowed = count // _TENTH
        if is_same:
            allowed = max(1, min(count // 2, max(_FEW, allowed)))
        who = f"{len(learners):,} of {count:,} learners ({listed(learners)})"
        return f"{who}: grade all submissions together" if len(learners) > allowed else ""

    def changes(self) -> str:
        """Return which grades are different now, in one line; empty for none."""
        query = f"{_GRADE} before EXCEPT {_GRADE} grade ORDER BY 1, 2"
        changed = self._connection.execute(query).fetchall()
        texts = []
        for learner, exercise, before in changed[:_SHOWN]:
            query = f"{_GRADE} grade WHERE learner = ? AND exercise = ?"
            now = self._connection.execute(query, (learner, exercise)).fetchone()
            after = now[2] if now else "not in this run"
            texts.append(f"{visible(learner, 60)} {exercise} {before} -> {after}")
        more = f" and {len(changed) - _SHOWN:,} more" if changed[_SHOWN:] else ""
        what = f"{len(changed):,} grade{'s' * (len(changed) > 1)} of the earlier run changed"
        return f"{what}: {', '.join(texts)}{more}" if changed else ""
