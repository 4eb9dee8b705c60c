"""Writes down which submissions a run met: new ones, known ones, several of one learner."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from verify.gradebook.records import Enlisted
from verify.gradebook.texts import whole

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable

_CHUNK = 2_000

_HOLDER = "SELECT kind, container, inner FROM submission WHERE learner = ? AND attempt = ?"


def enlist(connection: sqlite3.Connection, run: int, rows: Iterable[Enlisted]) -> None:
    """Write submissions down as met by a run, within the caller's transaction.

    A label that the same learner's other submission holds in this run becomes `label@inner`; the
    same place met twice is one submission.
    """
    meet = _meeting(run)
    source = iter(rows)
    while chunk := list(islice(source, _CHUNK)):
        try:
            met = connection.executemany(meet, chunk).rowcount
        except UnicodeEncodeError:  # half a character, as a file name that is no UTF-8 has them
            chunk = [Enlisted(*map(whole, row)) for row in chunk]
            met = 0
        if met < len(chunk):  # some were held back: their label is taken in this run
            for row in chunk:
                _meet_one(connection, meet, row)


def _meeting(run: int) -> str:
    # the number of the run is not bound: rows go in as they come
    return (
        f"INSERT INTO submission VALUES (NULL, ?, ?, ?, ?, ?, {run:d})"  # noqa: S608  # a number
        " ON CONFLICT (learner, attempt) DO UPDATE SET"
        " kind = excluded.kind, container = excluded.container, inner = excluded.inner,"
        " seen = excluded.seen WHERE seen <> excluded.seen"
    )


def _meet_one(connection: sqlite3.Connection, meet: str, row: Enlisted) -> None:
    place = (row.kind, row.container, row.inner)
    connection.execute(meet, row)
    while connection.execute(_HOLDER, (row.learner, row.attempt)).fetchone() != place:
        row = row._replace(attempt=f"{row.attempt}@{row.inner}")
        connection.execute(meet, row)
