"""Looks for what no grading has written into a gradebook, once reading it has failed."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any, NamedTuple

from pipeline.display import visible
from verify.gradebook.opening import UnusableGradebook, reading
from verify.gradebook.stored import DIGEST, NotOurs, checks_of, ids_of, options_of, questions_of
from verify.gradebook.unusable import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_SCHEMA = os.path.join(os.path.dirname(__file__), "schema.sql")
_LARGEST = 1_000_000  # points, lines or columns


class _Table(NamedTuple):
    """A table as it is made: its columns with their types and whether they need a value."""

    name: str
    columns: tuple[tuple[str, str, bool], ...]
    key: tuple[str, ...]


class _Rule(NamedTuple):
    """What is wrong with a column in the rows of which `where` holds."""

    table: str
    column: str
    what: str
    where: str


_RULES = (
    _Rule("run", "kind", "is none of ours", "kind NOT IN ('grade', 'regrade')"),
    _Rule("asked", "rules", "leads nowhere", "rules NOT IN (SELECT id FROM rules)"),
    _Rule("rules", "points", "is out of bounds", f"points NOT BETWEEN 0 AND {_LARGEST}"),
    _Rule("result", "submission", "leads nowhere", "submission NOT IN (SELECT id FROM submission)"),
    _Rule("result", "rules", "leads nowhere", "rules NOT IN (SELECT id FROM rules)"),
    _Rule("result", "questions", "leads nowhere", "questions NOT IN (SELECT id FROM questions)"),
    _Rule("result", "outcome", "is none of ours", "outcome NOT IN ('pass', 'fail', 'error')"),
    _Rule("result", "outcomes", "is not of p, f, s and e", "outcomes GLOB '*[^pfse]*'"),
    _Rule("result", "score", "does not fit", "(score IS NULL) <> (outcome = 'error')"),
    _Rule("result", "score", "is out of bounds", f"score NOT BETWEEN 0 AND {_LARGEST}"),
    _Rule("result", "answers", "has no whole digests", f"length(answers) % {DIGEST} <> 0"),
    _Rule(
        "result", "provenance", "is no level", "provenance NOT GLOB 'L[0-3]' AND provenance <> ''"
    ),
    _Rule("finding", "line", "is out of bounds", f"line NOT BETWEEN 0 AND {_LARGEST * 2}"),
    _Rule("override", "score", "is no score", "score NOT BETWEEN 0 AND 1e20"),
)
_TEXTS: tuple[tuple[str, str, Callable[[str], Any]], ...] = (
    ("run", "options", options_of),
    ("learner", "ids", ids_of),
    ("rules", "checks", checks_of),
    ("questions", "text", questions_of),
)


def altered(path: str) -> str:
    """Return what is wrong with a gradebook, in one line with what to do; empty for a sound one.

    It goes over every row, which takes a while: it is asked where a command has failed.
    """
    if not os.path.lexists(path):
        return ""
    try:
        with reading(path) as connection:
            found = next(_faults(connection), "")
    except UnusableGradebook as error:
        return str(error)
    if not found:
        return ""
    told = f"{shown(path)} has what no grading wrote: {found}"
    return f"{told}; put a copy of it back, or name another --gradebook and grade again"


def _faults(connection: sqlite3.Connection) -> Iterator[str]:
    tables = {table.name: table for table in _tables()}
    for table in tables.values():
        for column, type_, needed in table.columns:
            allowed = [type_] if needed else [type_, "null"]
            names = ", ".join(f"'{name}'" for name in allowed)
            where = f'typeof("{column}") NOT IN ({names})'
            for row in _rows(connection, table, where):
                yield f"{row}, {column} is no {type_}"
    for table in tables.values():
        yield from _of_encoding(connection, table)
    for rule in _RULES:
        for row in _rows(connection, tables[rule.table], rule.where):
            yield f"{row}, {rule.column} {rule.what}"
    for name, column, read in _TEXTS:
        yield from _of_texts(connection, tables[name], column, read)
    yield from _of_letters(connection, tables["result"])


def _tables() -> Iterator[_Table]:
    """Yield the tables of a new gradebook."""
    with closing(sqlite3.connect(":memory:")) as sound, open(_SCHEMA, encoding="utf-8") as script:
        sound.executescript(script.read())
        query = "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name"
        for (name,) in sound.execute(query).fetchall():
            columns = sound.execute(f"PRAGMA table_info({name})").fetchall()
            kinds = tuple((one[1], one[2].lower(), bool(one[3] or one[5])) for one in columns)
            yield _Table(name, kinds, tuple(one[1] for one in columns if one[5]))


def _of_encoding(connection: sqlite3.Connection, table: _Table) -> Iterator[str]:
    """Yield the texts that are no UTF-8."""
    names = [column for column, type_, _ in table.columns if type_ == "text"]
    columns = ", ".join(f'CAST("{name}" AS BLOB)' for name in (*names, *table.key))
    for found in connection.execute(f"SELECT {columns} FROM {table.name}"):  # noqa: S608  # our own words
        for name, data in zip(names, found, strict=False):
            if data is not None and _is_broken(data):
                key = tuple(each.decode("utf-8", "replace") for each in found[len(names) :])
                yield f"{_named(table, key)}, {name} is no UTF-8"


def _is_broken(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return True
    return False


def _rows(connection: sqlite3.Connection, table: _Table, where: str) -> Iterator[str]:
    """Yield the rows of which a condition holds, as a message names them."""
    query = f'SELECT {", ".join(table.key)} FROM "{table.name}" WHERE {where}'  # noqa: S608  # our own words
    for found in connection.execute(query):
        yield _named(table, found)


def _named(table: _Table, found: tuple[Any, ...]) -> str:
    pairs = zip(table.key, found, strict=True)
    which = ", ".join(f"{name} {visible(str(value), 60)}" for name, value in pairs)
    return f"in {table.name}, {which}"


def _of_texts(
    connection: sqlite3.Connection, table: _Table, column: str, read: Callable[[str], Any]
) -> Iterator[str]:
    query = f"SELECT {column}, {', '.join(table.key)} FROM {table.name}"  # noqa: S608  # our own words
    for text, *key in connection.execute(query):
        fault = _fault(text, read)
        if fault:
            yield f"{_named(table, tuple(key))}, {column} {fault}"


def _fault(text: str, read: Callable[[str], Any]) -> str:
    try:
        read(text)
    except NotOurs as error:
        return str(error)
    return ""


def _of_letters(connection: sqlite3.Connection, table: _Table) -> Iterator[str]:
    """Yield the results that have not one letter for each check."""
    for number, checks in connection.execute("SELECT id, checks FROM rules").fetchall():
        where = f"rules = {int(number)} AND length(outcomes) <> {len(checks_of(checks))}"
        for row in _rows(connection, table, where):
            yield f"{row}, outcomes has not one letter for each check"
