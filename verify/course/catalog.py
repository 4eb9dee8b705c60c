"""The course: its levels and exercises in teaching order, and the texts of its issues."""

from __future__ import annotations

import os
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING

from pipeline.bootstrap import ROOT
from pipeline.protocol.issue import Issue, MalformedIssue, read_issue
from pipeline.terminal.display import did_you_mean, visible
from pipeline.terminal.fault import Fault
from verify.course.exercises import EXERCISES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from verify.grading.model import Exercise

ISSUES = os.path.join(ROOT, "sandbox", "issues")
LEVELS = tuple(EXERCISES)


class UnknownExercise(Fault):
    """A selection that fits no exercise, or an unusable course; the message says why."""


def levels(course: str = "") -> tuple[str, ...]:
    """Return the names of the levels in teaching order; `course` is the folder of one's own."""
    return tuple(_own(course)) if course else LEVELS


def level(name: str, course: str = "") -> tuple[Exercise, ...]:
    """Return the exercises of a level; raises `UnknownExercise`."""
    if course and name in (courses := _own(course)):
        return courses[name]
    if not course and name in EXERCISES:
        return tuple(_exercise(name, module) for module in EXERCISES[name])
    choices, meant = ", ".join(levels(course)), did_you_mean(name, levels(course))
    raise UnknownExercise(f"no level {visible(repr(name))} (expected one of {choices}){meant}")


def exercises(course: str = "") -> Iterator[Exercise]:
    """Yield all exercises in teaching order."""
    return (exercise for name in levels(course) for exercise in level(name, course))


def find(
    level_name: str,
    number: str,
    course: str = "",
    *,
    target: str | None = None,
    issue: str | None = None,
) -> Exercise:
    """Return an exercise by its level and number; `2` and `02` are the same.

    `target` and `issue` replace the exercise's own target project and issue. Raises
    `UnknownExercise`.
    """
    exercise = _numbered(level_name, number, course)
    if not (target or issue):
        return exercise
    for option, value, present in (
        ("target", target, exercise.target),
        ("issue", issue, exercise.issue),
    ):
        if value and present is None:
            raise UnknownExercise(f"--{option} does not apply to {exercise.name}")
    has_criteria = issue is None or issue_text(issue, course) is not None
    return exercise.retargeted(target=target, issue=issue, has_criteria=has_criteria)


def named(name: str, course: str = "") -> Exercise:
    """Return an exercise by its name, such as `expert/04`; raises `UnknownExercise`."""
    level_name, _, number = name.partition("/")
    return find(level_name, number, course)


def canonical(chosen: Iterable[tuple[str, str]], course: str = "") -> tuple[str, ...]:
    """Return the names of exercises, each once, such as `expert/04`; raises `UnknownExercise`."""
    return tuple(dict.fromkeys(find(*pair, course).name for pair in chosen))


def asking(exercise: Exercise, course: str = "", *, tests: bool = True) -> Exercise:
    """Return an exercise with a check for each criterion that its running service is asked.

    So is each question about the submission's own tests, if it is asked for.
    """
    if not exercise.asks:
        return exercise
    from verify.course.checks.running import checks_of_criteria, checks_of_tests

    checks = list(exercise.checks)
    for issue, first in exercise.asks:
        text = issue_text(issue, course)
        checks += checks_of_criteria(exercise, text, first) if text else ()
    checks += checks_of_tests(exercise) if tests else ()
    return replace(exercise, checks=tuple(checks))


def following(exercise: Exercise, course: str = "") -> Exercise | None:
    """Return the exercise after this one: of its level, else the next level's first one."""
    modules = () if course else EXERCISES[exercise.level]
    if exercise.number < len(modules):
        return _exercise(exercise.level, modules[exercise.number])
    after = [e for e in level(exercise.level, course) if e.number > exercise.number]
    later = levels(course)[levels(course).index(exercise.level) + 1 :]
    return next(iter(after or (level(later[0], course) if later else ())), None)


def need_course() -> None:
    """Raise `UnknownExercise` where the package is installed without the course."""
    if not os.path.isdir(ISSUES):
        raise UnknownExercise(
            "the course is not here, only its package: run this in a clone of the course, or name "
            "your own course with --course DIR and the work with --project DIR"
        )


def exercises_in(folder: str, course: str = "") -> str:
    """Return the names of the exercises that have an artifact in a folder, empty for none."""
    has = (e for e in exercises(course) if folder in (p.rpartition("/")[0] for p in e.paths))
    return ", ".join(exercise.name for exercise in has)


def issues_in(course: str = "") -> str:
    """Return the folder of a course with the texts of its issues and their acceptance criteria."""
    return os.path.join(course, "issues") if course else ISSUES


def issue_text(issue: str | None, course: str = "") -> Issue | None:
    """Return the course's text of an issue, None where there is none.

    It is never read from a submission: a learner could remove criteria there.
    """
    return read_issue(issues_in(course), issue) if issue else None


def issue_of(exercise: Exercise, course: str = "") -> Issue | None:
    """Return the course's text of an exercise's issue, None where it needs none and has none.

    Raises:
        UnknownExercise: the package is installed without the course.
        MalformedIssue: the course lacks the text.
    """
    issue = issue_text(exercise.issue, course)
    if issue is None and any(check.needs_criteria for check in exercise.checks):
        if not course:
            need_course()
        raise MalformedIssue(f"the text of {exercise.issue} is missing")
    return issue


def _numbered(level_name: str, number: str, course: str) -> Exercise:
    if not course:
        for place, module in enumerate(EXERCISES.get(level_name, ()), 1):
            if number in (str(place), f"{place:02}"):
                return _exercise(level_name, module)
    choices = level(level_name, course)
    for exercise in choices:
        if number in (str(exercise.number), f"{exercise.number:02}"):
            return exercise
    expected = ", ".join(f"{e.number:02} ({e.title})" for e in choices)
    digits = "".join(filter(str.isdecimal, number.upper().replace("O", "0"))).lstrip("0")
    near = (f" (did you mean {e.number:02}?)" for e in choices if str(e.number) == digits)
    meant = next(near, "")
    raise UnknownExercise(
        f"no exercise {visible(repr(number))} in {level_name} (expected one of {expected}){meant}"
    )


def _exercise(level_name: str, module: str) -> Exercise:
    exercise: Exercise = import_module(f"verify.course.exercises.{level_name}.{module}").EXERCISE
    return exercise


def _own(course: str) -> dict[str, tuple[Exercise, ...]]:
    from verify.course.own_course.loading import CourseFault, load

    try:
        return load(os.path.realpath(course))
    except CourseFault as fault:
        raise UnknownExercise(f"--course {visible(course, 300)}: {fault}") from None
