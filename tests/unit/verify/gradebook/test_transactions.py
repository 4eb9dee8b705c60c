"""A transaction is whole or was not, and one within another belongs to that."""

from __future__ import annotations

import sqlite3
from contextlib import closing, suppress
from typing import TYPE_CHECKING

import pytest

from verify.gradebook.transactions import transaction

if TYPE_CHECKING:
    from collections.abc import Iterator

INSERT = "INSERT INTO noted VALUES (1)"


@pytest.fixture
def noted() -> Iterator[sqlite3.Connection]:
    """Return a connection that begins no transaction by itself, to a table of nothing."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        connection.execute("CREATE TABLE noted (number)")
        yield connection


def _count(connection: sqlite3.Connection) -> int:
    return int(connection.execute("SELECT count(*) FROM noted").fetchone()[0])


def test_what_is_done_is_kept(noted: sqlite3.Connection) -> None:
    with transaction(noted):
        noted.execute(INSERT)

    assert (noted.in_transaction, _count(noted)) == (False, 1)


def test_what_raises_was_not(noted: sqlite3.Connection) -> None:
    with suppress(LookupError), transaction(noted):
        noted.execute(INSERT)
        raise LookupError

    assert (noted.in_transaction, _count(noted)) == (False, 0)


def test_one_within_another_is_kept_with_it(noted: sqlite3.Connection) -> None:
    with transaction(noted), transaction(noted):
        noted.execute(INSERT)

    assert (noted.in_transaction, _count(noted)) == (False, 1)


def test_one_within_another_is_undone_with_it(noted: sqlite3.Connection) -> None:
    with suppress(LookupError), transaction(noted):
        with transaction(noted):
            noted.execute(INSERT)
        raise LookupError

    assert (noted.in_transaction, _count(noted)) == (False, 0)
