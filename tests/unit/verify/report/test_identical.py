"""Tests of what counts as identical."""

from __future__ import annotations

from typing import TYPE_CHECKING

from verify.report.identical import Artifacts, Common, Same

if TYPE_CHECKING:
    from collections.abc import Callable

    from verify.gradebook.values import Mark
    from verify.report.entry import Entry


def test_learners_who_share_artifacts_stand_together_with_all_that_they_share(
    make_entry: Callable[..., Entry], make_mark: Callable[..., Mark]
) -> None:
    handed = [("1", "a"), ("2", "b"), ("1", "a"), ("3", "c"), ("4", "c")]
    found = Artifacts()
    for number, (plan, result) in enumerate(handed):
        artifacts = (("plan.json", plan), ("result.json", result))
        found.add(make_entry(number, make_mark("ppp", artifacts=artifacts)))

    assert found.suspicious() == [
        Same(("plan.json", "result.json"), (0, 2)),
        Same(("result.json",), (3, 4)),
    ]
    assert found.paths == ["plan.json", "result.json"]


def test_what_many_share_was_handed_out(
    make_entry: Callable[..., Entry], make_mark: Callable[..., Mark]
) -> None:
    found = Artifacts()
    for number in range(40):
        found.add(make_entry(number, make_mark("ppp", artifacts=(("AGENTS.md", "x"),))))

    assert (found.suspicious(), found.common()) == ([], [Common("AGENTS.md", 40)])


def test_three_of_a_small_cohort_may_still_be_suspicious(
    make_entry: Callable[..., Entry], make_mark: Callable[..., Mark]
) -> None:
    found = Artifacts()
    for number in range(3):
        found.add(make_entry(number, make_mark("ppp", artifacts=(("plan.json", "x"),))))

    assert found.suspicious() == [Same(("plan.json",), (0, 1, 2))]


def test_a_learners_own_attempts_may_be_alike(
    make_entry: Callable[..., Entry], make_mark: Callable[..., Mark]
) -> None:
    found = Artifacts()
    for number in range(2):
        one = make_mark("ppp", artifacts=(("plan.json", "x"),))
        found.add(make_entry(number, one, one, key="ada"))

    assert found.suspicious() == []


def test_an_artifact_that_could_not_be_read_is_like_no_other(
    make_entry: Callable[..., Entry], make_mark: Callable[..., Mark]
) -> None:
    found = Artifacts()
    for number in range(2):
        found.add(make_entry(number, make_mark("ppp", artifacts=(("plan.json", ""),))))

    assert (found.suspicious(), found.paths) == ([], [])
