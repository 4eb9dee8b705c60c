"""The course of this checkout, as its authors declare it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from pipeline.bootstrap import ROOT
from verify import catalog
from verify.selftest.concerns import SUBJECTS
from verify.selftest.course import Course
from verify.selftest.examples import WITHOUT_EXAMPLE
from verify.selftest.excuses import EXCUSES

if TYPE_CHECKING:
    from collections.abc import Sequence

PRACTICE_ISSUES = frozenset({"ISSUE-306"})  # a learner may work on it, no exercise grades it


class NoCheckout(Exception):
    """The course was installed without its fixtures and pages: nothing can be proven."""


def the_course(selection: Sequence[tuple[str, str]] = (), root: str = ROOT) -> Course:
    """Return the course, with those of its exercises to prove that (level, number) select.

    Raises:
        UnknownExercise: a selection names none.
        NoCheckout: `root` has no fixtures.
    """
    chosen = [catalog.find(level, number).name for level, number in selection]
    course = Course(
        root=root,
        exercises=tuple(e for level in catalog.LEVELS for e in catalog.level(level)),
        subjects=SUBJECTS,
        excuses=EXCUSES,
        practice_issues=PRACTICE_ISSUES,
        without_example=WITHOUT_EXAMPLE,
        only=frozenset(chosen),
    )
    if not os.path.isdir(course.submissions):
        raise NoCheckout(f"no fixtures in {root}: run it in a checkout of the course")
    return course
