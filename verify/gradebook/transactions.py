"""Transactions on a connection that begins none by itself, and databases for one run."""

from __future__ import annotations

import sqlite3
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_SCRATCH = """
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
PRAGMA cache_size = -1000; -- KiB: what is beyond is in a temporary file
"""


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Write everything that is done inside, or nothing of it; within another it is part of that."""
    with nullcontext() if connection.in_transaction else _outermost(connection):
        yield


def scratch(tables: str) -> sqlite3.Connection:
    """Return a database that takes little memory and vanishes when it is closed.

    It is in one transaction that never ends. Any thread may close it.
    """
    connection = sqlite3.connect("", isolation_level=None, check_same_thread=False)
    connection.executescript(f"{_SCRATCH}{tables}BEGIN")
    return connection


@contextmanager
def _outermost(connection: sqlite3.Connection) -> Iterator[None]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:  # a full disk has ended it already
            connection.execute("ROLLBACK")
        raise
