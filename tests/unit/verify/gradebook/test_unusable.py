"""What SQLite says is told in words of somebody who grades."""

from __future__ import annotations

import sqlite3

import pytest

from verify.gradebook.opening import told

KEPT = "what was graded so far is kept"


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (
            sqlite3.OperationalError("database or disk is full"),
            f"g.db cannot grow, the disk is full; {KEPT}: free some space and run this again",
        ),
        (
            sqlite3.OperationalError("disk I/O error"),
            f"g.db cannot be used, the disk is full or failing; {KEPT}: look at the disk",
        ),
        (
            sqlite3.OperationalError("database is locked"),
            "g.db is in use by another program: close it there and run this again",
        ),
        (
            sqlite3.OperationalError("unable to open database file"),
            "g.db cannot be opened: look at its name, its folder and your permissions",
        ),
        (
            sqlite3.OperationalError("Could not decode to UTF-8 column 'message'"),
            "g.db has a text that is not UTF-8, somebody changed it: put a copy of it back",
        ),
        (sqlite3.OperationalError('near "SELEC": syntax error'), ""),
        (sqlite3.IntegrityError("UNIQUE constraint failed"), ""),
        (sqlite3.ProgrammingError("Cannot operate on a closed database."), ""),
    ],
)
def test_an_error_is_told_with_what_to_do(error: sqlite3.DatabaseError, sentence: str) -> None:
    assert told("g.db", error) == sentence
