"""The console script `verify`: the same grading as the levels' scripts, for any exercise."""

from __future__ import annotations

import argparse

from pipeline.display import visible
from pipeline.help import Arguments
from pipeline.streams import printable_streams
from verify.catalog import LEVELS
from verify.command import execute
from verify.request import Request, add_options

_EPILOG = """\
examples:
  verify list foundation               the level's exercises and the next one
  verify check expert/01               grade one exercise
  verify check expert/01 --project ../work --format json

exit codes: 0 all passed, 1 something failed, 2 wrong usage or nothing to grade,
3 the harness itself failed, 130 interrupted
"""


def main(argv: list[str] | None = None) -> int:
    """Run the console script and return the exit code."""
    printable_streams()
    options = vars(_parser().parse_args(argv))
    level, number = options.pop("selection")
    return execute(Request(console=True, level=level, number=number, **options))


def _parser() -> Arguments:
    parser = Arguments(
        prog="verify",
        description="Grade the exercises of the issue pipeline course.",
        epilog=_EPILOG,
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    check = commands.add_parser("check", help="grade one exercise")
    check.add_argument(
        "selection", metavar="LEVEL/NN", type=_exercise, help="such as foundation/02"
    )
    listing = commands.add_parser("list", help="list a level's exercises with their state")
    listing.add_argument(
        "selection", metavar="LEVEL", type=lambda level: (level, None), help=", ".join(LEVELS)
    )
    add_options(check, one_exercise=True)
    add_options(listing, one_exercise=False)
    return parser


def _exercise(text: str) -> tuple[str, str]:
    level, slash, number = text.partition("/")
    if slash:
        return level, number
    raise argparse.ArgumentTypeError(
        f"{visible(text)} is not an exercise (expected LEVEL/NN, such as foundation/02)"
    )
