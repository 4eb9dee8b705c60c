"""Transactions on a connection that begins none by itself."""

from __future__ import annotations

from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Write everything that is done inside, or nothing of it; within another it is part of that."""
    with nullcontext() if connection.in_transaction else _outermost(connection):
        yield


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
