"""What stays from run to run: decisions of people, and the grades that an earlier run gave."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

from pipeline.terminal.display import listed, visible
from verify.gradebook.records import Decision, learner_of, score_text, stored
from verify.gradebook.store import transaction, utf8_row

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator, Mapping

    from verify.gradebook.records import Learner

_KNOWN = (
    "SELECT * FROM learner UNION ALL SELECT * FROM former"
    " WHERE key IN holder AND key NOT IN (SELECT key FROM learner)"
)
_REPLACED = "DELETE FROM decision WHERE entry = ? AND (collection = ? OR ? = '') AND NOT ("
_REPLACED += "collection = ? AND learner IN (SELECT value FROM json_each(?)))"
_DROPPED = """
SELECT exercise, count(*) FROM before WHERE score IS NOT NULL AND exercise NOT IN (
  SELECT exercise FROM run_exercise e JOIN rules ON rules.id = e.rules WHERE e.run = ?)
GROUP BY exercise ORDER BY exercise
"""
_VANISHED = """
SELECT DISTINCT learner FROM submission WHERE seen = ?1
  AND learner IN (SELECT learner FROM before WHERE score IS NOT NULL)
  AND learner NOT IN (SELECT learner FROM submission WHERE seen = ?2)
  AND inner NOT IN (SELECT inner FROM submission WHERE seen = ?2)
ORDER BY learner
"""
_GRADE = "SELECT learner, exercise, outcome, score FROM"
_SHOWN = 12  # grades that are named, the others are counted
_TENTH, _FEW = 10, 2


def decisions_in(connection: sqlite3.Connection) -> list[Decision]:
    """Return whose entries are, as people decided, by entry."""
    query = (
        f"SELECT {', '.join(Decision._fields)} FROM decision ORDER BY entry, collection, learner"  # noqa: S608  # our own words
    )
    return [Decision(*row) for row in connection.execute(query)]


def decide(connection: sqlite3.Connection, made: Iterable[Decision]) -> None:
    """Keep decisions; those for the same entries are replaced, and all others stay."""
    entries: dict[tuple[str, str], list[Decision]] = {}
    for decision in map(Decision._make, map(utf8_row, made)):
        entries.setdefault(decision.place, []).append(decision)
    with transaction(connection):
        for (collection, entry), rows in entries.items():
            learners = json.dumps([row.learner for row in rows])
            connection.execute(_REPLACED, (entry, *[collection] * 3, learners))
            connection.executemany("INSERT OR IGNORE INTO decision VALUES (?, ?, ?, ?, ?, ?)", rows)


def forget(connection: sqlite3.Connection, entry: str) -> None:
    """Remove the decisions for an entry."""
    with transaction(connection):
        connection.execute("DELETE FROM decision WHERE entry = ?", (entry,))


def holders(connection: sqlite3.Connection) -> list[str]:
    """Return the keys of learners who have an override in effect, or a decision."""
    return [key for (key,) in connection.execute("SELECT learner FROM holder ORDER BY learner")]


def known_learners(connection: sqlite3.Connection) -> Iterator[Learner]:
    """Yield the learners of the roster, and those who have left and still hold something."""
    return (learner_of(*row) for row in connection.execute(_KNOWN))


def follow(connection: sqlite3.Connection, moved: Mapping[str, str]) -> None:
    """Give overrides and decisions to the new keys of learners, unless these have their own."""
    with transaction(connection):
        for before, now in moved.items():
            for table, which in (("override", " AND withdrawn IS NULL"), ("decision", "")):
                update = f"UPDATE OR IGNORE {table} SET learner = ? WHERE learner = ?{which}"  # noqa: S608  # our own words
                connection.execute(update, (now, before))


class Loss(NamedTuple):
    """What a run would drop from the exports: results by exercise, and learners out of how many.

    `is_same`: the run reads all collections of the earlier one.
    """

    exercises: tuple[tuple[str, int], ...]
    learners: tuple[str, ...]
    of: int
    is_same: bool

    @property
    def is_a_mistake(self) -> bool:
        """Return whether somebody should confirm it: a few learners who left are only named."""
        allowed = self.of // _TENTH
        if self.is_same:
            allowed = max(1, min(self.of // 2, max(_FEW, allowed)))
        return bool(self.exercises) or len(self.learners) > allowed

    def __str__(self) -> str:
        """Return the message: what would be lost, and what to do."""
        if self.exercises:
            lost = ", ".join(f"{name} ({count:,})" for name, count in self.exercises)
            step = "use a different --gradebook for each assignment"
            if self.is_same:
                step = f"add {' '.join(f'--exercise {name}' for name, _ in self.exercises)}"
            return f"this run would drop the results of {lost} from the exports: {step}"
        who = f"{len(self.learners):,} of {self.of:,} learners ({listed(self.learners)})"
        return f"this run would drop the results of {who}: grade all submissions together"


class Before:
    """The grades of the last run, as they were when another one begins on the same connection."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        query = "SELECT max(id), sources FROM run WHERE kind = 'grade'"
        self._run, self._sources = connection.execute(query).fetchone()
        connection.execute(
            f"CREATE TEMP TABLE before AS {_GRADE} grade"
            " WHERE outcome NOT IN ('missing', 'error') OR score IS NOT NULL"
        )

    def loss(self, run: int) -> Loss:
        """Return what a run that has found its submissions drops."""
        rows = self._connection.execute(_DROPPED, (run,)).fetchall()
        learners = self._connection.execute(_VANISHED, (self._run, run))
        query = "SELECT count(DISTINCT learner) FROM before WHERE score IS NOT NULL"
        (count,) = self._connection.execute(query).fetchone()
        (sources,) = self._connection.execute(
            "SELECT sources FROM run WHERE id = ?", (run,)
        ).fetchone()
        is_same = _places(self._sources or "[]") <= _places(sources)
        return Loss(tuple(rows), tuple(key for (key,) in learners), count, is_same)

    def changes(self) -> str:
        """Return which grades are different now, in one line; empty for none."""
        query = f"{_GRADE} before EXCEPT {_GRADE} grade ORDER BY learner, exercise"
        changed = self._connection.execute(query).fetchall()
        if not changed:
            return ""
        texts = [self._change(*row) for row in changed[:_SHOWN]]
        more = f" and {len(changed) - _SHOWN:,} more" if changed[_SHOWN:] else ""
        what = f"{len(changed):,} grade{'s' * (len(changed) > 1)} of the earlier run changed"
        return f"{what}: {', '.join(texts)}{more}"

    def _change(self, learner: str, exercise: str, outcome: str, score: float | None) -> str:
        query = "SELECT outcome, score FROM grade WHERE learner = ? AND exercise = ?"
        now = self._connection.execute(query, (learner, exercise)).fetchone()
        after = _shown(*now) if now else "not in this run"
        return f"{visible(learner, 60)} {exercise} {_shown(outcome, score)} -> {after}"


def _shown(outcome: str, score: float | None) -> str:
    return f"{outcome} {score_text(score)}".rstrip()


def _places(text: str) -> set[tuple[str, str]]:
    return stored(text, "a list of collections", lambda places: {(kind, at) for kind, at in places})
