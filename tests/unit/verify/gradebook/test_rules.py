"""Exercises come back as they were graded, those of a regrading in the place of a run's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from verify.gradebook.rules import Rules, RuleSet
from verify.gradebook.values import CheckMark, ExerciseInfo

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable

    from verify.gradebook.book import Book


def test_rules_are_as_they_were_written(
    begun: Callable[..., Book], evidence: ExerciseInfo, connection: sqlite3.Connection
) -> None:
    begun(evidence, digest="d1")
    rules = Rules(connection)
    first, second = evidence.checks

    assert rules[1] == RuleSet(
        1, "d1", evidence, (CheckMark(first, "pass", 2), CheckMark(second, "pass", 3)), "pp"
    )
    assert rules[1] is rules[1]


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
