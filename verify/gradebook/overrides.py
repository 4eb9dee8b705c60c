"""Scores set by hand: who set them, when and why; none is ever overwritten."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, NamedTuple

from verify.gradebook.records import Override
from verify.gradebook.stored import NotOurs
from verify.gradebook.transactions import transaction

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator

_COLUMNS = "learner, exercise, score, by, made, reason, withdrawn, withdrawn_by"


class Overridden(NamedTuple):
    """An override of the gradebook; `withdrawn` and `withdrawn_by` are empty while it holds."""

    learner: str
    exercise: str
    override: Override
    withdrawn: str = ""
    withdrawn_by: str = ""


def holding(connection: sqlite3.Connection) -> dict[tuple[str, str], Override]:
    """Return the overrides that hold, by learner and exercise."""
    return {
        (each.learner, each.exercise): each.override for each in history(connection, all_=False)
    }


def history(connection: sqlite3.Connection, *, all_: bool = True) -> Iterator[Overridden]:
    """Yield overrides by learner and exercise, earlier ones first; `all_`: also withdrawn ones.

    Raises:
        NotOurs: a score is no finite number.
    """
    kept = "" if all_ else " WHERE withdrawn IS NULL"
    query = f"SELECT {_COLUMNS} FROM override{kept} ORDER BY learner, exercise, id"  # noqa: S608  # our own words
    for learner, exercise, score, by, made, reason, withdrawn, who in connection.execute(query):
        if not isfinite(score):
            raise NotOurs(f"is not a score: {score}")
        override = Override(score, by, made, reason)
        yield Overridden(learner, exercise, override, withdrawn or "", who or "")


def override(
    connection: sqlite3.Connection, learner: str, exercise: str, made: Override
) -> Override | None:
    """Set a score by hand and return the override that it takes the place of.

    That one is kept, withdrawn by whoever made the new one.
    """
    with transaction(connection):
        before = _withdraw(connection, learner, exercise, by=made.by, when=made.made)
        connection.execute(
            "INSERT INTO override (learner, exercise, score, reason, by, made)"
            " VALUES (?, ?, ?, ?, ?, ?)",
            (learner, exercise, float(made.score), made.reason, made.by, made.made),
        )
    return before


def withdraw(
    connection: sqlite3.Connection, learner: str, exercise: str, *, by: str, when: str
) -> Override | None:
    """Withdraw the override that holds and return it; None where there is none."""
    with transaction(connection):
        return _withdraw(connection, learner, exercise, by=by, when=when)


def _withdraw(
    connection: sqlite3.Connection, learner: str, exercise: str, *, by: str, when: str
) -> Override | None:
    holds = " WHERE learner = ? AND exercise = ? AND withdrawn IS NULL"
    query = f"SELECT score, by, made, reason FROM override{holds}"  # noqa: S608  # our own words
    found = connection.execute(query, (learner, exercise)).fetchone()
    if found is None:
        return None
    connection.execute(
        f"UPDATE override SET withdrawn = ?, withdrawn_by = ?{holds}",  # noqa: S608  # the same
        (when, by, learner, exercise),
    )
    return Override(*found)
