"""`verify list`: the exercises of the course with their state."""

from __future__ import annotations

from typing import TYPE_CHECKING

from verify.commands.check import OWN, add_grading, check
from verify.commands.options import add_course
from verify.course.catalog import LEVELS

if TYPE_CHECKING:
    from pipeline.terminal.arguments import Arguments


def add_options(parser: Arguments) -> None:
    """Add the options of `verify list`."""
    parser.common = ("--help", "--project", "--format", "--verbose", "--strict", "--course")
    parser.set_defaults(command=check)
    parser.add_argument(
        "selection",
        metavar="LEVEL",
        nargs="?",
        default=("", None),
        type=lambda level: (level, None),
        help=f"{', '.join(LEVELS)}, or a level of --course (default: all)",
    )
    add_grading(parser, one_exercise=False)
    add_course(parser, OWN)
