"""The options that say what to export; their values are checked before anything is graded."""

from __future__ import annotations

import argparse
import re
from typing import TYPE_CHECKING

from pipeline.terminal.display import visible

if TYPE_CHECKING:
    from collections.abc import Callable

_TARGETS = (
    ("csv", "FILE", "a table with a row for each learner, exercise and check"),
    ("csv-wide", "FILE", "a table with a row for each learner"),
    ("json", "FILE", "one JSON document"),
    ("jsonl", "FILE", "a JSON document on a line for each learner"),
    ("gradescope", "PATH", "a folder with Gradescope's results.json for each learner"),
    ("canvas", "FILE", "a file for Canvas's gradebook import"),
    ("moodle", "FILE", "Moodle's grading worksheet, filled in; needs --moodle-from"),
    ("feedback", "DIR", "a Markdown page for each learner"),
    ("html", "DIR", "the report as a site that needs no server"),
)
_INPUTS = (
    ("canvas-from", "EXPORT.csv", "fill this export of Canvas's gradebook in, for --canvas"),
    ("moodle-from", "WORKSHEET.csv", "the worksheet that --moodle fills in"),
)


def add_exports(parser: argparse.ArgumentParser) -> None:
    """Add the exports; what is asked for is in `exports`, pairs of an option's name and value."""
    group = parser.add_argument_group("what to export")
    for name, metavar, text in (*_TARGETS, *_INPUTS):
        group.add_argument(
            f"--{name}",
            dest="exports",
            action="append",
            default=[],
            metavar=metavar,
            type=_paired(name),
            help=text,
        )
    group.add_argument(
        "--assignment",
        dest="exports",
        action="append",
        metavar="L/NN=TITLE (ID)",
        type=_assignment,
        help="the column of an exercise in Canvas; may be given several times",
    )


def _paired(name: str) -> Callable[[str], tuple[str, str]]:
    def pair(text: str) -> tuple[str, str]:
        if text:
            return name, text
        raise argparse.ArgumentTypeError("it is empty (expected a path)")

    return pair


def _assignment(text: str) -> tuple[str, str]:
    if re.fullmatch(r"[a-z][a-z0-9-]*/[0-9]{2}=\s*\S.*", text):
        return "assignment", text
    raise argparse.ArgumentTypeError(
        f"{visible(text)} names no column (expected LEVEL/NN=TITLE (ID), such as"
        " 'expert/04=Evidence (1234)')"
    )
