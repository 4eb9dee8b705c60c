"""Tests of what the plots are told to draw."""

from __future__ import annotations

from tests.unit.verify.report.conftest import CHECKS, EXERCISE
from verify.report.plots import WIDE, Bar, bars_of, distribution, per_check
from verify.report.tally import CheckFigures


def test_few_points_have_a_bar_each() -> None:
    assert bars_of({0: 1, 2: 4}, 2) == [Bar(0, 0, "0", 1), Bar(1, 1, "1", 0), Bar(2, 2, "2", 4)]


def test_many_points_share_bars_and_none_is_lost() -> None:
    bars = bars_of(dict.fromkeys(range(101), 1), 100)

    assert len(bars) <= 25
    assert sum(bar.learners for bar in bars) == 101
    assert (bars[0].label, bars[-1].label, bars[-1].high) == ("0–4", "100", 100)  # noqa: RUF001  # a range has an en dash


def test_scores_set_by_hand_go_to_the_bar_below_or_the_outermost() -> None:
    bars = bars_of({1.5: 1, -3: 1, 99: 1}, 2)

    assert [bar.learners for bar in bars] == [1, 1, 1]


def test_the_parts_of_a_check_fill_its_line_in_one_order() -> None:
    figures = CheckFigures(CHECKS[0], EXERCISE, 5, 3, 1, 1)
    values = per_check([figures], WIDE)["data"][0]["values"]

    assert [(v["part"], v["from"], v["to"], v["label"]) for v in values] == [
        ("pass", 0, 0.5, "50 %"),
        ("skip", 0.5, 0.6, ""),
        ("fail", 0.6, 0.9, "30 %"),
        ("error", 0.9, 1, ""),
    ]


def test_a_check_that_nobody_was_graded_on_keeps_its_line() -> None:
    figures = CheckFigures(CHECKS[0], EXERCISE, 0, 0, 0, 0)
    values = per_check([figures], WIDE)["data"][0]["values"]

    assert [(v["code"], v["from"], v["to"]) for v in values] == [("T01.1", 0, 0)]


def test_nothing_depends_on_the_fonts_of_the_machine_that_draws() -> None:
    plot = distribution(bars_of({1: 1}, 3), WIDE)

    assert plot["autosize"] == "none"
    assert plot["width"] + plot["padding"]["left"] + plot["padding"]["right"] == WIDE
