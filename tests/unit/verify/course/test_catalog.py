"""The catalogue finds exercises by level and number, and imports no level that is not asked for."""

from __future__ import annotations

import pytest

from verify.course import catalog
from verify.course.catalog import UnknownExercise


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
