"""The journal of what the writing process grades itself: whoever finds it knows what it died of."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Sequence

_BEGIN = "INSERT INTO flight (submission) VALUES (?) ON CONFLICT DO NOTHING"
_SUSPECTS = (
    "SELECT f.submission FROM flight f JOIN submission s ON s.id = f.submission WHERE s.seen = ?"
)


def begin(connection: sqlite3.Connection, ids: Sequence[int]) -> None:
    """Note what is being graded from now on."""
    connection.executemany(_BEGIN, [(number,) for number in ids])


def end(connection: sqlite3.Connection, ids: Iterable[int]) -> None:
    """Note that these came to an end."""
    connection.executemany("DELETE FROM flight WHERE submission = ?", [(n,) for n in ids])


def numbers(connection: sqlite3.Connection) -> set[int]:
    """Return the ids of what never came to an end."""
    return {number for (number,) in connection.execute("SELECT submission FROM flight")}


def left(connection: sqlite3.Connection, run: int) -> set[int]:
    """Return the ids of what never came to an end, of the submissions of a run."""
    return {number for (number,) in connection.execute(_SUSPECTS, (run,))}
