"""Tests of groups of learners: with the same failure, and with the same artifacts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.unit.verify.report.conftest import CHECKS, FINDING, entry, mark
from verify.gradebook.copies import Copies
from verify.gradebook.values import CheckMark
from verify.report import groups
from verify.report.groups import CopyGroup, CopyGroups, Failures, Group

if TYPE_CHECKING:
    import pytest


def test_the_same_fault_in_another_element_is_the_same_failure() -> None:
    twice = (FINDING, FINDING._replace(path="$.steps[17].order"))
    checks = (CheckMark(CHECKS[0], "fail", 0, findings=twice),)
    found = Failures()
    found.add(entry(0, mark("fpp")))
    found.add(entry(1, mark("fpp", checks=checks)))

    assert found.commonest(9) == [Group(CHECKS[0], "wrong type", "$.steps[*].order", [0, 1])]


def test_the_largest_group_comes_first_and_what_costs_nothing_last() -> None:
    found = Failures()
    for number, letters in enumerate(["fpf", "pff", "pff", "ppf"]):
        found.add(entry(number, mark(letters)))

    assert [(group.check.code, group.rows) for group in found.commonest(9)] == [
        ("T01.2", [1, 2]),
        ("T01.1", [0]),
        ("T01.3", [0, 1, 2, 3]),
    ]
    assert len(found.commonest(1)) == 1


def test_submissions_that_provoke_ever_new_messages_do_not_fill_the_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(groups, "_KINDS", 3)
    found = Failures()
    for number in range(5):
        one = (FINDING._replace(message=f"m{number}"),)
        checks = (CheckMark(CHECKS[0], "fail", 0, findings=one),)
        found.add(entry(number, mark("fpp", checks=checks)))

    assert (len(found.commonest(9)), found.left_out) == (3, 2)


def test_each_learner_is_in_the_groups_of_copies_that_name_the_attempt() -> None:
    alike = Copies("toy/01", ("plan.json",), "", (("k0", ""), ("k1", ""), ("k2", "")))
    shipped = Copies("toy/01", ("plan.json",), "solution", (("k1", ""), ("k3", "2")))
    found = CopyGroups([alike, shipped])
    numbers = [found.add(entry(number)) for number in range(4)]

    assert numbers == [[1], [0, 1], [1], []]
    assert found.groups == [CopyGroup(shipped, [1]), CopyGroup(alike, [0, 1, 2])]
    assert [group.label for group in found.groups] == ["the shipped solution", "2 others"]
