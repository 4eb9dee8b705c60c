"""The options of `verify regrade`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from verify.commands.batch_options import add_gradebook, add_limits, exercise_name, job_count
from verify.commands.options import add_format

if TYPE_CHECKING:
    import argparse

    from pipeline.terminal.arguments import Arguments

_EPILOG = """\
examples:
  python3 -m verify regrade                          what today's checks would change
  python3 -m verify regrade --exercise expert/04     for one exercise only
  python3 -m verify regrade --apply                  and write it into the gradebook

exit codes: 0 nothing changes, or it was written, 1 something would change, 2 wrong usage or
nothing to grade again, 3 something could not be graded again, 130 interrupted
"""


def add_regrade(commands: argparse._SubParsersAction[Arguments]) -> None:
    """Add the command that grades what is in a gradebook again."""
    parser = commands.add_parser(
        "regrade",
        help="grade a cohort again under today's checks, and show what changes",
        epilog=_EPILOG,
    )
    parser.set_defaults(command=_regrade)
    _add_what(parser)
    _add_how(parser)


def _add_what(parser: Arguments) -> None:
    parser.add_argument(
        "--exercise",
        dest="exercises",
        metavar="LEVEL/NN",
        type=exercise_name,
        action="append",
        default=[],
        help="grade this exercise only; may be given several times (default: all of the last run)",
    )
    parser.add_argument(
        "--apply", action="store_true", help="write the new results; without it nothing is written"
    )
    parser.add_argument(
        "--course",
        metavar="DIR",
        default="",
        help="the folder of your own course that the cohort was graded with",
    )
    add_gradebook(parser)


def _add_how(parser: Arguments) -> None:
    parser.add_argument(
        "--jobs",
        metavar="N",
        type=job_count,
        help="worker processes (default: one a processor)",
    )
    add_limits(parser)
    add_format(parser)
    parser.add_argument("--quiet", action="store_true", help="show no progress")


def _regrade(**options: Any) -> int:
    from verify.commands.regrade import regrade

    return regrade(**options)
