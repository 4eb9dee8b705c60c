"""Makes a small course that works at once, to be turned into an instructor's own."""

from __future__ import annotations

import os

from pipeline.files import MAX_BYTES, read_file, write_whole
from verify.own_course.faults import CourseFault, fault_at

TEMPLATE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "template")


def make_course(folder: str) -> int:
    """Write the files of the course into a folder, made if missing, and return how many.

    Raises:
        CourseFault: the folder is not empty, is none, or cannot be written to.
    """
    try:
        if os.path.lexists(folder) and os.listdir(folder):
            raise fault_at(folder, "is not empty (expected a new folder, or an empty one)")
        files = _files()
        for name in files:
            write_whole(
                os.path.join(folder, name), read_file(os.path.join(TEMPLATE, name), MAX_BYTES)
            )
    except OSError as error:
        what = (error.strerror or "cannot be written").lower()
        raise CourseFault(str(fault_at(folder, f"no course can be made here: {what}"))) from None
    return len(files)


def _files() -> list[str]:
    return sorted(
        os.path.relpath(os.path.join(at, name), TEMPLATE)
        for at, _, names in os.walk(TEMPLATE)
        for name in names
        if not name.endswith(".pyc")
    )
