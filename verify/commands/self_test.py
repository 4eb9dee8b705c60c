"""The options of `verify self-test`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from verify.check import command
from verify.commands.options import add_course, add_exercises, add_format
from verify.selftest.proof import self_test

if TYPE_CHECKING:
    from pipeline.terminal.arguments import Arguments


def add_options(parser: Arguments) -> None:
    """Add the options of `verify self-test`."""
    parser.set_defaults(command=command(self_test))
    add_course(parser)
    add_exercises(parser, "test only this exercise")
    add_format(parser)
    parser.add_argument(
        "--update",
        action="store_true",
        help="first update the expected result of each fixture, and print the differences",
    )
