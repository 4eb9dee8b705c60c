"""A score set by hand says who, when and why, and none is ever lost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from verify.gradebook.overrides import Overridden, history, holding, override, withdraw
from verify.gradebook.values import Override

if TYPE_CHECKING:
    import sqlite3

FIRST = Override(4.5, "ada", "2026-03-01T12:00:00Z", "oral exam")
SECOND = Override(5.0, "bob", "2026-02-01T12:00:00Z", "oral exam, heard again")


def test_a_second_override_withdraws_the_first_and_keeps_it(connection: sqlite3.Connection) -> None:
    override(connection, "zoe", "expert/04", FIRST)
    before = override(connection, "zoe", "expert/04", SECOND)

    assert before == FIRST
    assert list(history(connection)) == [
        Overridden("zoe", "expert/04", FIRST, "2026-02-01T12:00:00Z", "bob"),
        Overridden("zoe", "expert/04", SECOND),
    ]


def test_a_withdrawn_override_stays_in_the_history(connection: sqlite3.Connection) -> None:
    override(connection, "zoe", "expert/04", FIRST)
    withdrawn = withdraw(connection, "zoe", "expert/04", by="bob", when="2026-03-02T00:00:00Z")

    assert withdrawn == FIRST
    assert holding(connection) == {}
    assert list(history(connection)) == [
        Overridden("zoe", "expert/04", FIRST, "2026-03-02T00:00:00Z", "bob")
    ]
