"""The journal of what the writing process grades itself: whoever finds it knows what it died of."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Sequence

_BEGIN = (
    "INSERT INTO flight (submission, alone) VALUES (?, ?)"
    " ON CONFLICT DO UPDATE SET alone = alone + excluded.alone"
)
_SUSPECTS = (
    "SELECT f.submission, f.alone FROM flight f JOIN submission s ON s.id = f.submission"
    " WHERE s.seen = ? ORDER BY f.submission"
)


def begin(connection: sqlite3.Connection, ids: Sequence[int]) -> None:
    """Note what is being graded from now on."""
    alone = int(len(ids) == 1)
    connection.executemany(_BEGIN, [(number, alone) for number in ids])


def end(connection: sqlite3.Connection, ids: Iterable[int]) -> None:
    """Note that these came to an end."""
    connection.executemany("DELETE FROM flight WHERE submission = ?", [(n,) for n in ids])


def numbers(connection: sqlite3.Connection) -> set[int]:
    """Return the ids of what never came to an end."""
    return {number for (number,) in connection.execute("SELECT submission FROM flight")}


def left(connection: sqlite3.Connection, run: int) -> dict[int, int]:
    """Return what never came to an end, of the submissions of a run: id, times begun alone."""
    return dict(connection.execute(_SUSPECTS, (run,)).fetchall())
