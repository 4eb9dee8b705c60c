"""The options of `verify flaky`."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from pipeline.display import visible

if TYPE_CHECKING:
    from pipeline.help import Arguments

_LEAST, _MOST = 2, 20  # gradings


def add_flaky(commands: argparse._SubParsersAction[Arguments]) -> None:
    """Add the command that looks for checks that are not the same each time."""
    looking = commands.add_parser(
        "flaky", help="grade again under other circumstances, and tell which checks differ"
    )
    looking.set_defaults(command=_flaky)
    looking.add_argument(
        "submissions",
        metavar="SUBMISSION",
        nargs="*",
        help="the root of a submission (default: the fixtures of each exercise)",
    )
    looking.add_argument(
        "--exercise",
        dest="exercises",
        metavar="LEVEL/NN",
        action="append",
        default=[],
        help="look at this exercise only; may be given several times",
    )
    looking.add_argument(
        "--course", metavar="DIR", default="", help="the folder of a course of your own"
    )
    looking.add_argument(
        "--times",
        metavar="N",
        type=_times,
        default=3,
        help="how often to grade, the first time among them (default: 3)",
    )


def _times(text: str) -> int:
    if text.isascii() and text.isdecimal() and _LEAST <= int(text[:4]) <= _MOST:
        return int(text)
    raise argparse.ArgumentTypeError(f"{visible(text)} is no number from {_LEAST} to {_MOST}")


def _flaky(submissions: list[str], exercises: list[str], course: str, times: int) -> int:
    from verify.commands.flaky import flaky

    return flaky(submissions, exercises, course, times)
