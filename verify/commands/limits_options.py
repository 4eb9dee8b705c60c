"""The command `verify limits` and the option `--limits` of the commands that grade."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import argparse

    from pipeline.help import Arguments

_EPILOG = """\
examples:
  verify limits                           what is bounded, and how far that can be set
  verify limits --limits course.json      the same with your own limits
  verify check expert/04 --limits course.json

A file of limits is a JSON object: {"artifact_bytes": 65536, "depth": 32}

exit codes: 0 listed, 2 wrong usage
"""


def add_limits(commands: argparse._SubParsersAction[Arguments]) -> None:
    """Add the command that lists the limits."""
    parser = commands.add_parser(
        "limits", help="list the limits of what is read, for instructors", epilog=_EPILOG
    )
    parser.set_defaults(command=_limits)
    parser.add_argument(
        "--limits", metavar="FILE", default="", help="a file of limits, to see them in force"
    )


def _limits(**options: Any) -> int:
    from verify.commands.limits import limits

    return limits(**options)
