"""Exercises come back as they were graded, those of a regrading in the place of a run's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from verify.gradebook.rules import Rules

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable

    from verify.gradebook.book import Book
    from verify.gradebook.values import ExerciseInfo


def test_the_last_regrading_after_a_run_counts_and_none_before_it(
    begun: Callable[..., Book],
    evidence: ExerciseInfo,
    tiers: ExerciseInfo,
    connection: sqlite3.Connection,
) -> None:
    begun(evidence, tiers, digest="d1")
    begun(evidence, kind="regrade", digest="d2")
    begun(evidence, kind="regrade", digest="d3")
    begun(evidence, tiers, digest="d4")
    begun(tiers, kind="regrade", digest="d5")
    rules = Rules(connection)

    assert [
        (run, one.exercise.name, rules.newest(one, run).digest)
        for run in (1, 4)
        for one in rules.asked(run)
    ] == [
        (1, "expert/04", "d3"),
        (1, "expert/02", "d5"),
        (4, "expert/04", "d4"),
        (4, "expert/02", "d5"),
    ]
