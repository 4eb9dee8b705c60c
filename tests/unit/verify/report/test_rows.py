"""Tests of the table's data."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.unit.verify.report.conftest import EXERCISE
from verify.gradebook.values import Learner, Override, Standing
from verify.report.entry import entry_of
from verify.report.rows import Rows, described

if TYPE_CHECKING:
    from collections.abc import Callable

    from verify.gradebook.values import Mark


def test_a_row_has_all_that_the_table_sorts_and_filters_by(
    make_mark: Callable[..., Mark],
) -> None:
    learner = Learner("k1", "Ada", "ada@example.edu")
    override = Override(4.0, "me", "2026-01-01T00:00:00Z", "why")
    marks = (make_mark("pfs", attempt="2", override=override), make_mark("m"), make_mark("epf"))
    rows = Rows()
    entry = entry_of(0, Standing(learner, marks), [EXERCISE] * 3)
    rows.add(entry, has_roster=True)

    assert rows.rows == [
        [
            *(entry.file[:-5], "Ada", "k1", "ada@example.edu", "2", "e", "u"),
            *("fme", [4, None, None], "pfs mmm epn", [0]),
        ]
    ]


def test_a_key_that_is_the_name_stands_once(make_mark: Callable[..., Mark]) -> None:
    rows = Rows()
    standing = Standing(Learner("k1"), (make_mark("ppp"),))
    rows.add(entry_of(0, standing, [EXERCISE]), has_roster=False)

    assert rows.rows[0][1:7] == ["k1", "", "", "", "p", ""]


def test_exercises_are_described_with_their_checks() -> None:
    assert described([EXERCISE]) == [
        {
            "name": "toy/01",
            "title": "A toy",
            "points": 5,
            "checks": [
                ["T01.1", "it is there"],
                ["T01.2", "it is <right>"],
                ["T01.3", "it is nice"],
            ],
        }
    ]
