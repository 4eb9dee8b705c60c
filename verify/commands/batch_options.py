"""The options of `verify batch` and `verify match`."""

from __future__ import annotations

import argparse
import re
from typing import TYPE_CHECKING, Any

from pipeline.terminal.display import visible
from verify.batch.limits import MEGABYTES, SECONDS
from verify.commands.options import add_provenance, folder_within, issue_id
from verify.exports.exporting import add_exports
from verify.intake.platforms.base import LAYOUTS

if TYPE_CHECKING:
    from pipeline.terminal.arguments import Arguments

GRADEBOOK = "gradebook.db"
_MOST_JOBS = 1_024
_LEAST_SECONDS, _LEAST_MEGABYTES = 0.1, 30

_EPILOG = """\
examples:
  python3 -m verify batch submissions/ --exercise expert/04
  python3 -m verify batch download.zip --exercise expert/04 --roster students.csv --csv grades.csv
  python3 -m verify batch s3://course/spring --exercise expert/03 --exercise expert/04 --html report

Run the same command again to go on after an interrupt, and to grade only what has changed.

exit codes: 0 all passed, 1 something failed, is missing, unresolved or unmatched, 2 wrong
usage or nothing to grade, 3 something could not be graded, 130 interrupted
"""


_MATCHING = """\
examples:
  python3 -m verify match submissions/ --roster students.csv
  python3 -m verify match download.zip --roster students.csv --entries entries.csv
  python3 -m verify match download.zip --roster students.csv --decisions entries.csv

Fill in the column `learner` of the file that --entries writes, and name it with --decisions. A
row without a learner decides nothing.

exit codes: 0 every entry has its learner, 1 some are unmatched or unresolved, 2 wrong usage
"""


def add_batch(commands: argparse._SubParsersAction[Arguments]) -> None:
    """Add the command that grades a cohort."""
    grading = commands.add_parser("batch", help="grade a whole cohort", epilog=_EPILOG)
    grading.set_defaults(command=_batch)
    grading.add_argument(
        "sources",
        metavar="COLLECTION",
        nargs="+",
        help="a folder or .zip of submissions, a manifest .csv, or an address such as s3://…",
    )
    _add_what(grading)
    _add_how(grading)
    add_exports(grading)


def add_match(commands: argparse._SubParsersAction[Arguments]) -> None:
    """Add the command that shows whose each submission is."""
    parser = commands.add_parser(
        "match", help="show whose each submission is, and grade nothing", epilog=_MATCHING
    )
    parser.set_defaults(command=_match)
    parser.add_argument(
        "sources", metavar="COLLECTION", nargs="+", help="as for verify batch: a folder, a zip, …"
    )
    add_roster(parser)  # the group of --roster has no other option here


def _add_what(parser: Arguments) -> None:
    what = parser.add_argument_group("what to grade")
    what.add_argument(
        "--exercise",
        dest="exercises",
        metavar="LEVEL/NN",
        type=exercise_name,
        action="append",
        required=True,
        help="such as expert/04; may be given several times",
    )
    roster = add_roster(what)
    roster.add_argument(
        "--no-roster",
        dest="keep_roster",
        action="store_false",
        help="drop the roster of the gradebook, which counts without --roster",
    )
    what.add_argument(
        "--attempts",
        choices=("latest", "all"),
        default="latest",
        help="which of a learner's submissions (default: latest)",
    )
    what.add_argument(
        "--target", metavar="DIR", type=folder_within, help="another target project; . is the root"
    )
    what.add_argument("--issue", metavar="ID", type=issue_id, help="another issue, such as ISSUE-7")
    what.add_argument("--strict", action="store_true", help="advisory checks count as well")
    what.add_argument(
        "--course", metavar="DIR", default="", help="the folder of a course of your own"
    )
    add_provenance(what)


def add_roster(parser: argparse._ActionsContainer) -> argparse._MutuallyExclusiveGroup:
    """Add the options that say whose each entry is; return the group of `--roster`."""
    parser.add_argument(
        "--layout",
        metavar="NAME",
        type=layout_name,
        help=f"read names as one platform writes them: {', '.join(LAYOUTS)}[:PREFIX]",
    )
    parser.add_argument(
        "--decisions", metavar="CSV", help="whose an entry is: columns entry and learner"
    )
    parser.add_argument(
        "--entries", metavar="CSV", help="write what becomes of each entry to this file"
    )
    roster = parser.add_mutually_exclusive_group()
    roster.add_argument("--roster", metavar="CSV", help="who is in the class")
    return roster


def layout_name(text: str) -> str:
    """Return the name of a platform; raises argparse's error for any other text."""
    name, colon, prefix = text.partition(":")
    if name in LAYOUTS and (not colon or (name == "classroom" and prefix)):
        return text
    expected = f"one of {', '.join(LAYOUTS)}, or classroom:PREFIX"
    raise argparse.ArgumentTypeError(f"{visible(text)} is not a layout (expected {expected})")


def _add_how(parser: Arguments) -> None:
    how = parser.add_argument_group("how to grade")
    add_gradebook(how)
    how.add_argument(
        "--no-resume",
        dest="resume",
        action="store_false",
        help="grade again what has not changed, too",
    )
    workers = how.add_mutually_exclusive_group()
    workers.add_argument(
        "--jobs",
        metavar="N",
        type=job_count,
        help="worker processes (default: one a processor)",
    )
    workers.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        help="grade on the Dask cluster of this scheduler, such as tcp://10.0.0.5:8786",
    )
    add_limits(how)
    how.add_argument("--quiet", action="store_true", help="show no progress")


def add_gradebook(parser: argparse._ActionsContainer) -> None:
    """Add the option that names the gradebook."""
    parser.add_argument(
        "--gradebook",
        metavar="FILE",
        default=GRADEBOOK,
        help=f"where results are kept (default: {GRADEBOOK})",
    )


def add_limits(parser: argparse._ActionsContainer) -> None:
    """Add the options that limit what grading one submission may take."""
    parser.add_argument(
        "--time-limit",
        metavar="SECONDS",
        type=_seconds,
        default=SECONDS,
        help=f"CPU time that grading one submission may take (default: {SECONDS:g})",
    )
    parser.add_argument(
        "--memory-limit",
        metavar="MB",
        type=_megabytes,
        default=MEGABYTES,
        help=f"memory that it may take beyond a worker's own (default: {MEGABYTES})",
    )


def exercise_name(text: str) -> str:
    """Return the name of an exercise as it was given; argparse tells what is none."""
    if re.fullmatch(r"[^/]+/[^/]+", text):
        return text
    raise argparse.ArgumentTypeError(
        f"{visible(text)} is not an exercise (expected LEVEL/NN, such as expert/04)"
    )


def job_count(text: str) -> int:
    """Return a number of worker processes; argparse tells what is none."""
    if text.isascii() and text.isdecimal() and 1 <= int(text[:6]) <= _MOST_JOBS:
        return int(text)
    raise argparse.ArgumentTypeError(
        f"{visible(text)} is no number of processes (expected 1 to {_MOST_JOBS})"
    )


def _seconds(text: str) -> float:
    if re.fullmatch(r"[0-9]{1,5}(\.[0-9]{1,3})?", text) and float(text) >= _LEAST_SECONDS:
        return float(text)
    raise argparse.ArgumentTypeError(
        f"{visible(text)} is no time limit (expected {_LEAST_SECONDS} to 99999 seconds)"
    )


def _megabytes(text: str) -> int:
    if re.fullmatch(r"[0-9]{1,6}", text) and int(text) >= _LEAST_MEGABYTES:
        return int(text)
    raise argparse.ArgumentTypeError(
        f"{visible(text)} is no memory limit (expected {_LEAST_MEGABYTES} to 999999 megabytes)"
    )


def _batch(**options: Any) -> int:
    from verify.commands.batch import batch

    return batch(**options)


def _match(**options: Any) -> int:
    from verify.commands.match import match

    return match(**options)
