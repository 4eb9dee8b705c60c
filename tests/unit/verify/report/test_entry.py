"""Tests of how one standing is seen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from verify.gradebook.values import Override

if TYPE_CHECKING:
    from collections.abc import Callable

    from verify.gradebook.values import Mark
    from verify.report.entry import Entry


def test_a_score_adds_up_what_has_one_and_says_when_that_is_not_all(
    make_entry: Callable[..., Entry], make_mark: Callable[..., Mark]
) -> None:
    entry = make_entry(0, make_mark("pfp"), make_mark("m"), make_mark("epp"))

    assert (entry.score, entry.points, entry.complete) == (2, 5, False)


def test_a_score_set_by_hand_counts_instead_of_the_checks(
    make_entry: Callable[..., Entry], make_mark: Callable[..., Mark]
) -> None:
    override = Override(4.5, "grader", "2026-01-02T03:04:05Z", "late")
    entry = make_entry(0, make_mark("m", override=override))

    assert (entry.score, entry.points, entry.complete) == (4.5, 5, True)
    assert entry.overridden


def test_an_attempt_is_the_first_that_a_mark_names(
    make_entry: Callable[..., Entry], make_mark: Callable[..., Mark]
) -> None:
    entry = make_entry(0, make_mark("m"), make_mark("ppp", attempt="2"))

    assert entry.attempt == "2"
