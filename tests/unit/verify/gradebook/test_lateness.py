"""A late submission loses what the policy says, and nothing for a time that is not known."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verify.gradebook.lateness import Adjusted, LatePolicy, adjusted, moment, rounded

DUE = datetime(2026, 10, 5, 22, 0, tzinfo=timezone.utc)
TEN_A_DAY = LatePolicy(15, 10, 50)
policies = st.builds(LatePolicy, st.floats(0, 3_000), st.floats(0, 100), st.floats(0, 100))
scores = st.fractions(0, 100, max_denominator=100)
delays = st.timedeltas(timedelta(days=-40), timedelta(days=40))


@pytest.mark.parametrize(
    ("minutes", "score", "words"),
    [
        (0, 8, ""),
        (15, 8, ""),
        (16, 7, "1 day late, by 16 min: 10 % of 10 points deducted"),
        (1_440, 7, "1 day late, by 1 d: 10 % of 10 points deducted"),
        (1_441, 6, "2 days late, by 1 d 1 min: 20 % of 10 points deducted"),
        (9_000, 3, "7 days late, by 6 d 6 h: 50 % of 10 points deducted"),
    ],
)
def test_t1_each_day_begun_costs_a_share_of_the_points(
    minutes: int, score: int, words: str
) -> None:
    late = timedelta(minutes=minutes)

    assert adjusted(Fraction(8), 10, late, TEN_A_DAY) == Adjusted(Fraction(score), words)


@given(scores, delays, policies)
def test_t1_no_policy_gives_or_takes_more_than_there_is(
    score: Fraction, late: timedelta, policy: LatePolicy
) -> None:
    found = adjusted(score, 100, late, policy)
    later = adjusted(score, 100, late + timedelta(hours=7), policy)

    assert max(Fraction(0), score - Fraction(str(policy.cap))) <= found.score <= score
    assert later.score <= found.score
    if late <= timedelta(minutes=policy.grace):
        assert found == Adjusted(score)


def test_t1_a_time_without_a_zone_is_of_the_due_time_and_noise_is_unknown() -> None:
    assert moment("2026-10-05T22:30", DUE) == DUE + timedelta(minutes=30)
    assert moment("2026-10-05T22:30:00Z", None) == DUE + timedelta(minutes=30)
    outside = ("9999-12-31T23:59:59-12:00", "0001-01-01T00:00:00+14:00")  # in UTC
    unknown = ("", "soon", "2026-99-99", *outside)
    assert [moment(text, DUE) for text in unknown] == [None] * len(unknown)
    assert moment("2026-10-05T22:30", None) is None


def test_t1_a_half_is_rounded_up_once() -> None:
    exact: list[Fraction | float] = [
        Fraction(1, 3),
        Fraction(1, 200),
        Fraction(201, 200),
        2.675,
        4.5,
        1e300,
    ]

    assert [rounded(score, 2) for score in exact] == [0.33, 0.01, 1.01, 2.68, 4.5, 1e300]
    assert [rounded(score, 0) for score in (1.5, 2.4, 2)] == [2, 2, 2]
    assert rounded(Fraction(1, 2), 0) == 1
