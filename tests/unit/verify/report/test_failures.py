"""Tests of the groups of failures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.unit.verify.report.conftest import CHECKS, FINDING
from verify.gradebook.values import CheckMark
from verify.report import failures
from verify.report.failures import Failures, Group

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest

    from verify.gradebook.values import Mark
    from verify.report.entry import Entry


def test_the_same_fault_in_another_element_is_the_same_failure(
    make_entry: Callable[..., Entry], make_mark: Callable[..., Mark]
) -> None:
    twice = (FINDING, FINDING._replace(path="$.steps[17].order"))
    checks = (CheckMark(CHECKS[0], "fail", 0, findings=twice),)
    found = Failures()
    found.add(make_entry(0, make_mark("fpp")))
    found.add(make_entry(1, make_mark("fpp", checks=checks)))

    assert found.commonest(9) == [Group(CHECKS[0], "wrong type", "$.steps[*].order", [0, 1])]


def test_the_largest_group_comes_first_and_what_costs_nothing_last(
    make_entry: Callable[..., Entry], make_mark: Callable[..., Mark]
) -> None:
    found = Failures()
    for number, letters in enumerate(["fpf", "pff", "pff", "ppf"]):
        found.add(make_entry(number, make_mark(letters)))

    assert [(group.check.code, group.rows) for group in found.commonest(9)] == [
        ("T01.2", [1, 2]),
        ("T01.1", [0]),
        ("T01.3", [0, 1, 2, 3]),
    ]
    assert len(found.commonest(1)) == 1


def test_submissions_that_provoke_ever_new_messages_do_not_fill_the_memory(
    make_entry: Callable[..., Entry],
    make_mark: Callable[..., Mark],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(failures, "_KINDS", 3)
    found = Failures()
    for number in range(5):
        one = (FINDING._replace(message=f"m{number}"),)
        checks = (CheckMark(CHECKS[0], "fail", 0, findings=one),)
        found.add(make_entry(number, make_mark("fpp", checks=checks)))

    assert (len(found.commonest(9)), found.left_out) == (3, 2)
