"""`verify new-course`: a small course of one's own that works, to start from."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from pipeline.bootstrap import called_as
from pipeline.terminal.display import visible
from pipeline.terminal.exit_codes import PASSED
from pipeline.terminal.streams import deliver
from verify.learner.check import command

if TYPE_CHECKING:
    from pipeline.terminal.arguments import Arguments


def add_options(parser: Arguments) -> None:
    """Add the options of `verify new-course`."""
    parser.set_defaults(command=new_course)
    parser.add_argument("folder", metavar="DIR", help="a new or empty folder")


@command
def new_course(*, folder: str) -> int:
    """Make a course in a folder; return 0, or 2 where that is not empty or cannot be written to."""
    from verify.course.own_course.loading import make_course

    files = make_course(folder)
    shown = visible(shlex.quote(folder), 300)
    deliver(
        f"{shown} is now a course with two exercises ({files} files). README.md explains them.\n"
        f"Test it:    {called_as('verify')} self-test --course {shown}\n"
        f"List it:    {called_as('verify')} list basics --course {shown}\n"
    )
    return PASSED
