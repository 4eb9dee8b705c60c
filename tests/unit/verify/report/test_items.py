"""The figures of each check, compared with those that polars computes from all rows at once."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import polars as pl
import pytest

from verify.grading.model import CheckInfo, ExerciseInfo
from verify.report.items import ItemFigures, ItemTally

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

LETTERS = "pppppffsneam"
ANSWERS = {"p": 1, "f": 0, "n": 0, "s": 0}


def exercise(*points: int) -> ExerciseInfo:
    """Return an exercise whose checks have these points."""
    checks = tuple(
        CheckInfo(f"T01.{number}", "", worth, not worth, "") for number, worth in enumerate(points)
    )
    return ExerciseInfo("toy/01", "A toy", sum(points), checks)


def figures(*learners: Sequence[str], points: Sequence[int] = (2, 3, 0)) -> list[ItemFigures]:
    """Return the figures of one exercise; a learner is the letters of each attempt."""
    tally = ItemTally([exercise(*points)])
    for attempts in learners:
        tally.add([(letters,) for letters in attempts])
    return tally.figures()[0]


def test_t6_the_last_attempt_counts_and_the_first_that_was_graded_is_told_apart() -> None:
    first, second, _ = figures(["uuu", "fsp", "ppp"], ["fpp"], ["mmm"])

    assert first == ItemFigures(2, 0.5, 0.0, None)  # all passed the rest
    assert second == ItemFigures(2, 1.0, 0.5, None)
    assert (first.is_same_for_all, second.is_same_for_all) == (False, True)


def test_t6_a_check_has_no_discrimination_where_there_is_nothing_to_compare() -> None:
    assert figures(["p"], ["f"], points=(2,)) == [ItemFigures(2, 0.5, 0.5, None)]
    assert figures(["eee"]) == [ItemFigures(0, None, None, None)] * 3
    assert not figures(["ppp"])[0].is_same_for_all  # of one learner


def test_t6_a_check_that_goes_with_the_rest_is_near_one_and_against_it_near_minus_one() -> None:
    first, _, last = figures(["ppf"], ["ffp"], ["ppf"])

    assert first.discrimination == pytest.approx(1)
    assert last.discrimination == pytest.approx(-1)


@pytest.mark.figure
def test_t6_every_figure_is_that_of_an_independent_computation(
    how_many: Callable[[int, int], int],
) -> None:
    learners = how_many(400, 20_000)
    draw = random.Random(32)  # noqa: S311  # the same every time
    points = [draw.choice((0, 1, 1, 2, 3)) for _ in range(8)]
    cohort = []
    for _ in range(learners):
        able = draw.random()
        count = draw.choice((1, 1, 2, 3))
        cohort.append(
            [
                "".join("p" if draw.random() < able else draw.choice(LETTERS) for _ in points)
                for _ in range(count)
            ]
        )
    found = figures(*cohort, points=points)
    for position, item in enumerate(found):
        graded, rate, first, correlation = independent(cohort, points, position)

        assert item.graded == graded
        assert item.rate == pytest.approx(rate)
        assert item.first_rate == pytest.approx(first)
        assert item.discrimination == pytest.approx(correlation, abs=1e-9)
    print(f"item figures of {learners} learners and {len(points)} checks are those of polars")


def independent(
    cohort: Sequence[Sequence[str]], points: Sequence[int], position: int
) -> tuple[int, float, float, float]:
    """Return graded, pass rate, rate of first attempts and the correlation, by polars."""
    rows = [
        (number, at, at == len(attempts) - 1, check, ANSWERS.get(letter), points[check])
        for number, attempts in enumerate(cohort)
        for at, letters in enumerate(attempts)
        for check, letter in enumerate(letters)
    ]
    columns = ["learner", "attempt", "last", "check", "x", "worth"]
    table = pl.DataFrame(rows, schema=columns, orient="row").drop_nulls("x")
    begun = pl.col("attempt") == pl.col("attempt").min().over("learner")
    first = table.filter(begun & (pl.col("check") == position))
    last = table.filter("last")
    item = last.filter(pl.col("check") == position)
    rest = (
        last.filter((pl.col("check") != position) & (pl.col("worth") > 0))
        .group_by("learner")
        .agg(((pl.col("x") * pl.col("worth")).sum() / pl.col("worth").sum()).alias("rest"))
    )
    correlation = item.join(rest, on="learner").select(pl.corr("x", "rest")).item()
    rates = [float(part["x"].sum()) / part.height for part in (item, first)]
    return item.height, rates[0], rates[1], correlation
