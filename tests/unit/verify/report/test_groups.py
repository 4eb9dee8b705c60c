"""Tests of groups of learners: with the same failure, and with the same artifact."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.unit.verify.report.conftest import CHECKS, FINDING, entry, mark
from verify.gradebook.values import CheckMark
from verify.report import groups
from verify.report.groups import Artifacts, Common, Failures, Group, Same

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


def test_learners_who_share_artifacts_stand_together_with_all_that_they_share() -> None:
    handed = [("1", "a"), ("2", "b"), ("1", "a"), ("3", "c"), ("4", "c"), ("", "d"), ("", "e")]
    found = Artifacts()
    for number, (plan, result) in enumerate(handed):
        artifacts = (("plan.json", plan), ("result.json", result))
        found.add(entry(number, mark("ppp", artifacts=artifacts)))

    assert found.suspicious() == [
        Same(("plan.json", "result.json"), (0, 2)),
        Same(("result.json",), (3, 4)),
    ]
    assert found.paths == ["plan.json", "result.json"]


def test_what_more_than_three_and_a_tenth_share_was_handed_out() -> None:
    found = {}
    for sharing, of in ((3, 9), (4, 9), (4, 40), (5, 40)):
        artifacts = Artifacts()
        for number in range(of):
            digest = "x" if number < sharing else str(number)
            artifacts.add(entry(number, mark("ppp", artifacts=(("AGENTS.md", digest),))))
        found[sharing, of] = (artifacts.suspicious(), artifacts.common())

    assert found == {
        (3, 9): ([Same(("AGENTS.md",), (0, 1, 2))], []),
        (4, 9): ([], [Common("AGENTS.md", 4)]),
        (4, 40): ([Same(("AGENTS.md",), (0, 1, 2, 3))], []),
        (5, 40): ([], [Common("AGENTS.md", 5)]),
    }


def test_a_learners_own_attempts_may_be_alike() -> None:
    found = Artifacts()
    for number in range(2):
        one = mark("ppp", artifacts=(("plan.json", "x"),))
        found.add(entry(number, one, one, key="ada"))

    assert found.suspicious() == []
