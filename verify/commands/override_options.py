"""The options of `verify override`."""

from __future__ import annotations

import argparse
import math
from typing import TYPE_CHECKING, Any

from pipeline.terminal.display import visible
from verify.commands.batch_options import add_gradebook, exercise_name

if TYPE_CHECKING:
    from pipeline.terminal.arguments import Arguments

_EPILOG = """\
examples:
  python3 -m verify override                                         list them, withdrawn ones too
  python3 -m verify override zoe --exercise expert/04 --score 4.5 --reason 'oral exam'
  python3 -m verify override zoe --exercise expert/04 --withdraw

exit codes: 0 done, 2 wrong usage, or nobody and nothing of that name
"""


def add_override(commands: argparse._SubParsersAction[Arguments]) -> None:
    """Add the command that sets scores by hand."""
    parser = commands.add_parser(
        "override", help="set a score by hand, withdraw one, or list them", epilog=_EPILOG
    )
    parser.set_defaults(command=_override)
    parser.add_argument("learner", metavar="LEARNER", nargs="?", help="as the gradebook has them")
    parser.add_argument(
        "--exercise", metavar="LEVEL/NN", type=exercise_name, help="such as expert/04"
    )
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--score", metavar="S", type=_score, help="the score that counts from now on")
    what.add_argument(
        "--withdraw", action="store_true", help="let the score that the checks gave count again"
    )
    parser.add_argument("--reason", metavar="TEXT", help="why; it shows in every export")
    parser.add_argument("--by", metavar="NAME", help="who (default: the user of this system)")
    add_gradebook(parser)


def _score(text: str) -> float:
    try:
        score = float(text) if len(text) < 20 else math.nan  # noqa: PLR2004  # digits of a score
    except ValueError:
        score = math.nan
    if math.isfinite(score) and score >= 0:
        return score
    raise argparse.ArgumentTypeError(
        f"{visible(text)} is no score (expected a number from 0 on, such as 4.5)"
    )


def _override(**options: Any) -> int:
    from verify.commands.override import override

    return override(**options)
