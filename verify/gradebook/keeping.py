"""What stays from run to run: decisions of people, and the grades that an earlier run gave."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

from pipeline.terminal.display import counted, listed, visible
from verify.gradebook.recording import all_differing, identities_beside_keys
from verify.gradebook.store import reading, transaction, utf8, utf8_row, writing

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Mapping, Sequence

KEPT = ("learner", "override", "decision", "identity")  # tables that a later run goes by
# What was decided in another collection, such as an earlier download, counts for an entry of the
# same name unless people decided differently there.
_DECIDED = """
WITH place AS (SELECT value AS collection FROM json_each(?) UNION SELECT '')
SELECT collection, entry, learner FROM decision WHERE collection IN place
UNION SELECT '', entry, learner FROM decision d WHERE NOT EXISTS (
  SELECT 1 FROM decision o WHERE o.entry = d.entry AND o.collection <> d.collection
  AND (o.learner <> d.learner OR o.collection IN place)) AND collection NOT IN place
"""
# the grades of an assignment that are different now
_CHANGED = """
SELECT e.learner, e.exercise, e.text, coalesce(g.text, 'not in this run') FROM earlier e
  LEFT JOIN (SELECT * FROM grade WHERE assignment = :name) g USING (learner, exercise)
WHERE e.assignment = :name AND g.text IS NOT e.text ORDER BY learner, exercise
"""
# exercises with results of which some come from a service that was run, and some do not
_MIXED = """
SELECT trim(assignment || ' ' || exercise), sum(ran * number), sum(number) FROM (
  SELECT g.assignment, rules.exercise, g.number,
    json_extract(run.options, '$.run') <> '' AND EXISTS (
      SELECT 1 FROM json_each(rules.checks) WHERE json_extract(value, '$.asks_service')) AS ran
  FROM (
    SELECT c.assignment, r.rules, r.run, count(*) AS number
    FROM cohort c JOIN result r ON r.submission = c.submission AND r.superseded IS NULL
    WHERE r.score IS NOT NULL AND EXISTS (
      SELECT 1 FROM run WHERE json_extract(options, '$.run') <> '')
    GROUP BY c.assignment, r.rules, r.run
  ) g JOIN rules ON rules.id = g.rules JOIN run ON run.id = g.run
) GROUP BY assignment, exercise HAVING count(DISTINCT coalesce(ran, 0)) = 2 ORDER BY 1
"""
_HELD = "SELECT learner, heading, value FROM identity WHERE learner IN holder ORDER BY learner"
_SHOWN = 12  # grades that are named, the others are counted
_TENTH, _FEW = 10, 2


def decide(
    connection: sqlite3.Connection,
    decisions: Iterable[tuple[str, str, str, str]],
    by: str,
    made: str,
) -> None:
    """Keep decisions: collection, entry, learner, why; earlier ones for these entries go."""
    rows = [(*utf8_row(row), by, made) for row in decisions]
    places = [(entry, place) for place, entry, *_ in rows]
    with transaction(connection):
        connection.executemany(
            "DELETE FROM decision WHERE entry = ? AND ? IN ('', collection)", places
        )
        connection.executemany("INSERT OR IGNORE INTO decision VALUES (?, ?, ?, ?, ?, ?)", rows)


def decided(
    connection: sqlite3.Connection, places: Sequence[str]
) -> dict[tuple[str, str], tuple[str, ...]]:
    """Return the learners of entries, by a collection (empty for any) and the name."""
    found: dict[tuple[str, str], tuple[str, ...]] = {}
    for place, entry, learner in connection.execute(_DECIDED, (json.dumps(places),)):
        found[place, entry] = (*found.get((place, entry), ()), learner)
    return found


def identities_of_held(connection: sqlite3.Connection) -> dict[str, dict[str, str]]:
    """Return what identifies the learners who have an override or a decision, by the heading."""
    return identities_beside_keys(connection.execute(_HELD))


def renamed(
    before: Mapping[str, Mapping[str, str]], after: Mapping[str, Mapping[str, str]]
) -> list[tuple[str, str, str]]:
    """Return keys with the names before and after, where nothing else shows who it is."""
    return [
        (key, old["name"], after[key]["name"])
        for key, old in before.items()
        if all_differing(old, after.get(key, {}))
    ]


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


def keep_attention(connection: sqlite3.Connection, run: int, lines: Iterable[str]) -> None:
    """Keep a line for each entry that a person has to look at, of the assignment of a run."""
    query = "SELECT assignment FROM run WHERE id = ?"
    with transaction(connection):
        (assignment,) = connection.execute(query, (run,)).fetchone()
        connection.execute("DELETE FROM attention WHERE assignment = ?", (assignment,))
        rows = ((assignment, utf8(line)) for line in lines)
        connection.executemany("INSERT OR IGNORE INTO attention VALUES (?, ?)", rows)


def keep_term(connection: sqlite3.Connection, path: str, document: str) -> None:
    """Keep a term: where its file is, and what it says."""
    values = (*map(utf8, (os.path.abspath(path), document)),)
    connection.execute("INSERT OR REPLACE INTO term VALUES (1, ?, ?)", values)


def keep_grades(connection: sqlite3.Connection, assignment: str = "") -> None:
    """Keep the grades of the last run of an assignment, before another one begins."""
    connection.execute("DELETE FROM earlier WHERE assignment = ?", (assignment,))
    connection.execute(
        "INSERT INTO earlier SELECT * FROM grade WHERE assignment = ?"
        " AND (score IS NOT NULL OR text NOT IN ('missing', 'error'))",
        (assignment,),
    )


def mixed(connection: sqlite3.Connection) -> str:
    """Return where some submissions were run and some were not, in one line; empty for nowhere."""
    rows = connection.execute(_MIXED).fetchall()
    return ", ".join(f"{visible(where)}: {ran:,} of {number:,}" for where, ran, number in rows)


def loss(connection: sqlite3.Connection) -> str:
    """Return what a run that has found its submissions drops, and what to do instead.

    It is empty if only a few learners have left, which happens.
    """
    found: dict[str, list[str]] = {"exercise": [], "learner": [], "collection": []}
    for kind, text in connection.execute("SELECT kind, text FROM dropped ORDER BY text"):
        found[kind].append(text if kind == "learner" else visible(text, 300))
    exercises, learners, collections = found.values()
    if exercises:
        step = "use a different --gradebook for each assignment"
        if not collections:
            step = "add" + "".join(f" --exercise {text.split()[0]}" for text in exercises)
        return f"{', '.join(exercises)} from the exports: {step}"
    query = "SELECT count(DISTINCT learner) FROM before WHERE score IS NOT NULL"
    (count,) = connection.execute(query).fetchone()
    allowed = count // _TENTH
    if not collections:
        allowed = max(1, min(count // 2, max(_FEW, allowed)))
    who = f"{len(learners):,} of {count:,} learners ({listed(learners)})"
    step = "grade all submissions together, use a new --gradebook for another class"
    return f"{who}: {step}" if len(learners) > allowed else ""


def changes(connection: sqlite3.Connection, assignment: str = "") -> str:
    """Return which grades of the run before are different now, in one line; empty for none."""
    rows = connection.execute(_CHANGED, {"name": assignment}).fetchall()
    return changed_line(rows, "grade", "the earlier run")


def changed_line(rows: Sequence[tuple[str, str, str, str]], what: str, of: str) -> str:
    """Return what has changed in one line, empty for nothing; a row is whose, where, old, new."""
    texts = [
        f"{visible(who, 60)} {visible(where, 60)} {visible(old, 60)} -> {visible(new, 60)}"
        for who, where, old, new in rows[:_SHOWN]
    ]
    more = f" and {len(rows) - _SHOWN:,} more" if rows[_SHOWN:] else ""
    what = f"{counted(len(rows), what)} of {of} changed"
    return f"{what}: {', '.join(texts)}{more}" if rows else ""
