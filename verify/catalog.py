"""The one list of exercises: each level in teaching order, imported when it is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from verify.model import Exercise

LEVELS = ("foundation", "practitioner", "expert")


class UnknownExercise(LookupError):
    """A selection that names no exercise; the message lists the choices."""


def level(name: str) -> tuple[Exercise, ...]:
    """Return the exercises of a level.

    Raises:
        UnknownExercise: no such level.
    """
    if name == "foundation":
        return _foundation()
    if name == "practitioner":
        return _practitioner()
    if name == "expert":
        return _expert()
    raise UnknownExercise(f"no level {name!r} (expected one of {', '.join(LEVELS)})")


def find(level_name: str, number: str) -> Exercise:
    """Return an exercise by its level and number; `2` and `02` are the same.

    Raises:
        UnknownExercise: no such level, or no such number in it.
    """
    exercises = level(level_name)
    for exercise in exercises:
        if number in (str(exercise.number), f"{exercise.number:02}"):
            return exercise
    choices = ", ".join(f"{e.number:02} ({e.title})" for e in exercises)
    raise UnknownExercise(f"no exercise {number!r} in {level_name} (expected one of {choices})")


def _foundation() -> tuple[Exercise, ...]:
    from verify.exercises.foundation import ex01_plan, ex02_implement, ex03_publish, ex04_trace

    return (
        ex01_plan.EXERCISE,
        ex02_implement.EXERCISE,
        ex03_publish.EXERCISE,
        ex04_trace.EXERCISE,
    )


def _practitioner() -> tuple[Exercise, ...]:
    from verify.exercises.practitioner import ex01_setup, ex02_delegate, ex03_implement, ex04_trace

    return (
        ex01_setup.EXERCISE,
        ex02_delegate.EXERCISE,
        ex03_implement.EXERCISE,
        ex04_trace.EXERCISE,
    )


def _expert() -> tuple[Exercise, ...]:
    from verify.exercises.expert import ex01_classify, ex02_tiers, ex03_cross_domain, ex04_evidence

    return (
        ex01_classify.EXERCISE,
        ex02_tiers.EXERCISE,
        ex03_cross_domain.EXERCISE,
        ex04_evidence.EXERCISE,
    )
