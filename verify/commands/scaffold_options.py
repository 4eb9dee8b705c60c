"""The options of `verify new-course`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from pipeline.terminal.arguments import Arguments


def add_new_course(commands: argparse._SubParsersAction[Arguments]) -> None:
    """Add the command that makes a course of one's own."""
    making = commands.add_parser(
        "new-course", help="make a small course of your own that works, to start from"
    )
    making.set_defaults(command=_new_course)
    making.add_argument("folder", metavar="DIR", help="a new folder, or an empty one")


def _new_course(folder: str) -> int:
    from verify.commands.scaffold import new_course

    return new_course(folder)
