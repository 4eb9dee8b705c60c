"""What is wrong with a course's own files: one line that says where and what."""

from __future__ import annotations

import os
import traceback
from typing import TYPE_CHECKING

from pipeline.terminal.display import visible

if TYPE_CHECKING:
    from pipeline.protocol.problems import Problem

_LONGEST = 300  # characters of what an exception says


class CourseFault(Exception):
    """A course that cannot be loaded; the message is one line: where, and what is wrong."""


def fault_at(path: str, what: str, line: int = 0) -> CourseFault:
    """Return the fault of a file or folder of the course."""
    spot = f":{line}" if line else ""
    return CourseFault(f"{visible(path, _LONGEST)}{spot}: {what}")


def fault_of(problem: Problem, path: str) -> CourseFault:
    """Return the fault that tells of a problem of one of the course's JSON files."""
    return CourseFault(problem.line_for(path))


def fault_of_code(error: BaseException, root: str, path: str) -> CourseFault:
    """Return the fault of a Python file of the course that raised while it was loaded.

    The line is the last one within the course that the exception passed through.
    """
    if isinstance(error, SyntaxError) and _is_below(error.filename or "", root):
        what = f"this is not Python: {visible(error.msg, _LONGEST)}"
        return fault_at(error.filename or path, what, error.lineno or 0)
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if _is_below(frame.filename, root)]
    place = (own[-1].filename, own[-1].lineno or 0) if own else (path, 0)
    said = visible(" ".join(str(error).split()), _LONGEST)
    what = f"{type(error).__name__}: {said}" if said else type(error).__name__
    return fault_at(place[0], what, place[1])


def _is_below(path: str, root: str) -> bool:
    return path.startswith(os.path.join(root, ""))
