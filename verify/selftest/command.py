"""Carries out `verify self-test`: proves, reports, returns the exit code."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from pipeline.protocol.issue import MalformedIssue
from pipeline.terminal.crash import broken, fenced
from pipeline.terminal.display import inert, visible
from pipeline.terminal.exit_codes import FAILED, PASSED, UNUSABLE
from pipeline.terminal.streams import deliver, guarded, tell
from verify.catalog import UnknownExercise
from verify.selftest.course import own_course
from verify.selftest.fixtures import updated
from verify.selftest.proof import prove, record, table
from verify.selftest.shipped import NoCheckout, the_course

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verify.selftest.course import Course


def self_test(
    selection: Sequence[tuple[str, str]], format_: str, course: str = "", *, update: bool = False
) -> int:
    """Prove the exercises that are selected, the whole course by default.

    `course` is the folder of a course of one's own, empty for the one that comes with the project.
    To `update` is to write the expectations of its fixtures first, and to say how they differ.

    Returns 0 where the course is proven, 1 where it has a defect, 2 for an unknown exercise, a
    course that cannot be loaded or an installed copy without fixtures, 3 where the harness or one
    of the course's issues is broken.
    """
    return guarded(lambda: fenced(lambda: _self_test(selection, format_, course, update=update)))


def _self_test(
    selection: Sequence[tuple[str, str]], format_: str, folder: str, *, update: bool
) -> int:
    begun = time.perf_counter()
    try:
        course = own_course(folder, selection) if folder else the_course(selection)
        if update:
            _update(course)
        proof = prove(course)
    except (UnknownExercise, NoCheckout, OSError) as error:
        tell(inert(f"verify: {visible(str(error), 1_000)}"))
        return UNUSABLE
    except MalformedIssue as error:
        return broken(f"the course's own files are damaged: {error}")
    deliver(record(proof) if format_ == "json" else table(proof))
    tell(f"verify: self-test took {time.perf_counter() - begun:.1f} seconds")
    return FAILED if proof.defects else PASSED


def _update(course: Course) -> None:
    """Write the expectations of the fixtures; what was changed goes to stderr."""
    changed = 0
    for exercise in course.selected:
        for difference in updated(course, exercise):
            changed += 1
            for line in difference.splitlines():
                tell(inert(visible(line, 1_000)))
    tell(f"verify: {changed} expectation{'s' * (changed != 1)} changed")
