"""Scores set by hand: who set them, when and why; none is ever overwritten."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, NamedTuple

from verify.gradebook.records import NotOurs, Override
from verify.gradebook.store import transaction

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator


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
        (each.learner, each.exercise): each.override
        for each in history(connection)
        if not each.withdrawn
    }


def history(connection: sqlite3.Connection) -> Iterator[Overridden]:
    """Yield overrides by learner and exercise, earlier ones first, also those withdrawn.

    Raises:
        NotOurs: a score is not a finite number.
    """
    query = (
        "SELECT learner, exercise, score, by, made, reason, coalesce(withdrawn, ''),"
        " coalesce(withdrawn_by, '') FROM override ORDER BY learner, exercise, id"
    )
    for learner, exercise, score, by, made, reason, *withdrawn in connection.execute(query):
        if not isfinite(score):
            raise NotOurs(f"is not a score: {score}")
        yield Overridden(learner, exercise, Override(score, by, made, reason), *withdrawn)


def override(
    connection: sqlite3.Connection, learner: str, exercise: str, made: Override
) -> Override | None:
    """Set a score by hand and return the override that it takes the place of.

    The earlier one stays in the gradebook, withdrawn by the author of the new one.
    """
    with transaction(connection):
        before = withdraw(connection, learner, exercise, by=made.by, when=made.made)
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
    found = connection.execute(
        "UPDATE override SET withdrawn = ?, withdrawn_by = ?"
        " WHERE learner = ? AND exercise = ? AND withdrawn IS NULL"
        " RETURNING score, by, made, reason",
        (when, by, learner, exercise),
    ).fetchall()
    return Override(*found[0]) if found else None
