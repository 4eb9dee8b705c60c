"""The one list of exercises: each level in teaching order, imported when it is asked for."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from pipeline.terminal.display import visible

if TYPE_CHECKING:
    from verify.model import Exercise
    from verify.own_course.loading import OwnCourse

LEVELS = ("foundation", "practitioner", "expert")


class UnknownExercise(LookupError):
    """A selection that names no exercise; the message lists the choices."""


class UnusableCourse(UnknownExercise):
    """A course of an instructor's own that cannot be loaded; the message is one line."""


def levels(course: str = "") -> tuple[str, ...]:
    """Return the names of the levels in teaching order; `course` is the folder of one's own.

    Raises:
        UnusableCourse: the folder holds no course, or a damaged one.
    """
    return _own(course).levels if course else LEVELS


def level(name: str, course: str = "") -> tuple[Exercise, ...]:
    """Return the exercises of a level, of the course in a folder of one's own if one is given.

    Raises:
        UnknownExercise: no such level.
        UnusableCourse: as `levels`.
    """
    if course:
        own = _own(course).exercises
        if name in own:
            return own[name]
    elif name == "foundation":
        return _foundation()
    elif name == "practitioner":
        return _practitioner()
    elif name == "expert":
        return _expert()
    told = f"no level {visible(repr(name))}"
    raise UnknownExercise(f"{told} (expected one of {', '.join(levels(course))})")


def find(level_name: str, number: str, course: str = "") -> Exercise:
    """Return an exercise by its level and number; `2` and `02` are the same.

    Raises:
        UnknownExercise: no such level, or no such number in it.
        UnusableCourse: as `levels`.
    """
    exercises = level(level_name, course)
    for exercise in exercises:
        if number in (str(exercise.number), f"{exercise.number:02}"):
            return exercise
    choices = ", ".join(f"{e.number:02} ({e.title})" for e in exercises)
    told = f"no exercise {visible(repr(number))} in {level_name}"
    raise UnknownExercise(f"{told} (expected one of {choices})")


def _own(course: str) -> OwnCourse:
    from verify.own_course.faults import CourseFault
    from verify.own_course.loading import load

    try:
        return load(os.path.realpath(course))
    except CourseFault as fault:
        raise UnusableCourse(f"--course {visible(course, 300)}: {fault}") from None


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
