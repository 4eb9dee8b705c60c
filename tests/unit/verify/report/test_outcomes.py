"""Tests of what outcomes are called."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.unit.verify.report.conftest import CHECKS, EXERCISE
from verify.gradebook.values import CheckInfo
from verify.report.outcomes import SIGNS, gravest, letters_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from verify.gradebook.values import Mark


def test_every_outcome_has_a_letter_a_symbol_and_a_word_of_its_own() -> None:
    assert len({sign.symbol for sign in SIGNS.values()}) == 6
    assert len({sign.word for sign in SIGNS.values()}) == 6


def test_an_advisory_check_that_fails_is_a_note(make_mark: Callable[..., Mark]) -> None:
    assert letters_of(make_mark("pff"), EXERCISE) == "pfn"


def test_what_was_not_handed_in_is_missing_check_by_check(make_mark: Callable[..., Mark]) -> None:
    assert letters_of(make_mark("m"), EXERCISE) == "mmm"


def test_a_mark_of_checks_as_they_were_has_a_letter_for_each_check_as_it_is(
    make_mark: Callable[..., Mark],
) -> None:
    new = CheckInfo("T01.4", "it is new", 1, advisory=False, page="p#4")
    exercise = EXERCISE._replace(checks=(CHECKS[1], new, CHECKS[0]))

    assert letters_of(make_mark("pff"), exercise) == "fep"
    assert letters_of(make_mark("m"), exercise) == "mmm"


def test_the_gravest_outcome_of_several_exercises_counts(make_mark: Callable[..., Mark]) -> None:
    passed, failed, missing = make_mark("ppp"), make_mark("fpp"), make_mark("m")
    error = make_mark("epp")

    assert gravest([passed, failed, missing, error]).word == "error"
    assert gravest([passed, failed, missing]).word == "fail"
    assert gravest([passed, missing]).word == "missing"
    assert gravest([passed]).word == "pass"
