"""The catalogue finds exercises by level and number, and imports no level that is not asked for."""

from __future__ import annotations

import inspect
import re
from itertools import chain

import pytest

from verify.course import catalog
from verify.course.catalog import UnknownExercise
from verify.course.exercises import shared
from verify.course.tables import TEXTS


@pytest.mark.spec("4.13")
def test_an_unknown_level_lists_the_choices() -> None:
    with pytest.raises(UnknownExercise) as refusal:
        catalog.find("beginner", "01")

    assert str(refusal.value) == (
        "no level 'beginner' (expected one of foundation, practitioner, expert)"
    )


@pytest.mark.parametrize(
    ("number", "meant"),
    [
        ("5", ""),
        ("", ""),
        ("\u0662", ""),
        *((n, "02") for n in ("002", "+2", "O2", "ex02", "02-implement")),
    ],
)
def test_m10_an_unknown_exercise_lists_the_choices_and_the_likely_one(
    number: str, meant: str
) -> None:
    with pytest.raises(UnknownExercise) as refusal:
        catalog.find("foundation", number)

    assert str(refusal.value) == (
        f"no exercise {number!r} in foundation (expected one of 01 (Plan an issue), "
        "02 (Implement the plan), 03 (Publish the work), 04 (Trace a pipeline run))"
        + f" (did you mean {meant}?)"
        * bool(meant)
    )


def test_h_texts_are_those_of_the_checks_and_kinds_that_there_are() -> None:
    exercises = list(catalog.exercises())
    codes = {check.code for exercise in exercises for check in exercise.checks}
    kinds = set(re.findall(r'kind\(\s*"(\w+)"', inspect.getsource(shared)))

    assert len(kinds) > 20
    assert {name for name in TEXTS if name not in codes} == kinds
    assert {*chain.from_iterable(TEXTS.values())} == {"title", "look_at", "hint", "why", "example"}


def test_an_exercise_has_one_name_however_it_is_asked_for() -> None:
    assert catalog.canonical([("expert", "4"), ("foundation", "01"), ("expert", "04")]) == (
        "expert/04",
        "foundation/01",
    )
    with pytest.raises(UnknownExercise):
        catalog.canonical([("expert", "99")])
