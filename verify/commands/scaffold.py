"""Carries out `verify new-course`."""

from __future__ import annotations

import shlex

from pipeline.bootstrap import called
from pipeline.terminal.crash import fenced
from pipeline.terminal.display import inert, visible
from pipeline.terminal.exit_codes import PASSED, UNUSABLE
from pipeline.terminal.streams import deliver, guarded, tell
from verify.own_course.faults import CourseFault
from verify.own_course.scaffold import make_course


def new_course(folder: str) -> int:
    """Make a course in a folder; return 0, or 2 where that is not empty or cannot be written to."""
    return guarded(lambda: fenced(lambda: _new_course(folder)))


def _new_course(folder: str) -> int:
    try:
        files = make_course(folder)
    except CourseFault as fault:
        tell(inert(f"verify: {fault}"))
        return UNUSABLE
    verify = shlex.join(called("verify"))
    shown = visible(shlex.quote(folder), 300)
    deliver(
        f"{shown} is a course now: {files} files, two exercises. README.md says what is what.\n"
        f"Prove it:   {verify} self-test --course {shown}\n"
        f"List it:    {verify} list basics --course {shown}\n"
    )
    return PASSED
