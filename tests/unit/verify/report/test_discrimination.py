"""Tests of the discrimination of checks."""

from __future__ import annotations

import statistics
from itertools import product

import pytest

from tests.unit.verify.report.conftest import CHECKS
from verify.gradebook.values import CheckInfo
from verify.report.discrimination import discriminations

FOUR = tuple(CheckInfo(f"T.{n}", "", n, advisory=False, page="") for n in (1, 2, 3, 4))


def test_it_is_the_correlation_with_the_points_of_the_other_checks() -> None:
    rows = ["pppp", "pppf", "ppff", "pfff", "ffff", "fppp", "spfp", "fsfp"]

    for position, found in enumerate(discriminations(FOUR, dict.fromkeys(rows, 1))):
        passed = [float(row[position] == "p") for row in rows]
        rest = [
            float(sum(c.points for i, c in enumerate(FOUR) if i != position and row[i] == "p"))
            for row in rows
        ]

        assert found == pytest.approx(statistics.correlation(passed, rest))


def test_a_pattern_of_many_learners_weighs_as_much_as_they_do() -> None:
    once = discriminations(FOUR, {"pppp": 2, "pfff": 3, "fppf": 1})
    spread = {"pppp": 20, "pfff": 30, "fppf": 10}

    assert discriminations(FOUR, spread) == pytest.approx(once)


def test_it_is_undefined_where_all_pass_or_the_rest_is_equal() -> None:
    assert discriminations(CHECKS, {"ppp": 7}) == (None, None, None)
    assert discriminations(CHECKS[:1], {"p": 3, "f": 4}) == (None,)
    assert discriminations(CHECKS, {}) == (None, None, None)


def test_it_stays_between_minus_one_and_one() -> None:
    for counts in product((0, 1, 5), repeat=4):
        patterns = dict(zip(("pp", "pf", "fp", "ff"), counts, strict=True))
        found = discriminations(FOUR[:2], patterns)

        assert all(value is None or -1 <= round(value, 12) <= 1 for value in found)
