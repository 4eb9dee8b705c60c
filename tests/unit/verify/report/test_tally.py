"""Tests of what the overview counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.unit.verify.report.conftest import CHECKS, EXERCISE
from verify.gradebook.values import Override
from verify.report.tally import CheckFigures, Tally, hardest_first

if TYPE_CHECKING:
    from collections.abc import Callable

    from verify.gradebook.values import Mark
    from verify.report.entry import Entry


def test_outcomes_scores_and_checks_are_counted_apart(
    make_entry: Callable[..., Entry], make_mark: Callable[..., Mark]
) -> None:
    tally = Tally((EXERCISE,))
    for number, letters in enumerate(["ppp", "ppf", "pfs", "fsp", "epp", "m"]):
        tally.add(make_entry(number, make_mark(letters)), has_roster=True)

    assert dict(tally.outcomes) == {"pass": 2, "fail": 2, "error": 1, "missing": 1}
    assert dict(tally.scores) == {5: 2, 2: 1, 0: 1}
    assert [f[2:6] for f in tally.checks()] == [(3, 1, 0, 1), (3, 1, 1, 0), (3, 1, 1, 0)]


def test_a_missing_or_ungraded_submission_is_in_no_pass_rate(
    make_entry: Callable[..., Entry], make_mark: Callable[..., Mark]
) -> None:
    tally = Tally((EXERCISE,))
    tally.add(make_entry(0, make_mark("m")), has_roster=True)
    tally.add(make_entry(1, make_mark("eee")), has_roster=True)

    assert [figures.rate for figures in tally.checks()] == [None, None, None]


def test_unknown_learners_are_counted_where_there_is_a_roster(
    make_entry: Callable[..., Entry],
) -> None:
    with_one, without = Tally((EXERCISE,)), Tally((EXERCISE,))
    with_one.add(make_entry(0, rostered=False), has_roster=True)
    without.add(make_entry(0, rostered=False), has_roster=False)

    assert (with_one.unknown, without.unknown) == (1, 0)


def test_overrides_and_several_attempts_are_noticed(
    make_entry: Callable[..., Entry], make_mark: Callable[..., Mark]
) -> None:
    tally = Tally((EXERCISE,))
    by_hand = Override(1, "me", "2026-01-01T00:00:00Z", "why")
    tally.add(make_entry(0, make_mark("fpp", override=by_hand), key="a"), has_roster=True)

    assert (tally.overridden, tally.attempts) == (1, False)

    tally.add(make_entry(1, key="a"), has_roster=True)

    assert tally.attempts


def test_the_hardest_check_comes_first_and_the_ungraded_last() -> None:
    easy = CheckFigures(CHECKS[0], EXERCISE, 9, 1, 0, 0)
    hard = CheckFigures(CHECKS[1], EXERCISE, 1, 5, 4, 0)
    never = CheckFigures(CHECKS[2], EXERCISE, 0, 0, 0, 3)

    assert hardest_first([easy, never, hard]) == [hard, easy, never]
