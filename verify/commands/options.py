"""The options that several commands have, and how their values are read."""

from __future__ import annotations

import argparse
import math
import re
from contextlib import suppress
from glob import glob
from typing import TYPE_CHECKING, TypeVar

from pipeline.protocol.layout import is_issue_id
from pipeline.protocol.patterns import PATH
from pipeline.terminal.display import did_you_mean, visible
from verify.course.catalog import ISSUES, LEVELS
from verify.grading.ways import CONTAINER, JAIL, TRUSTED

if TYPE_CHECKING:
    from collections.abc import Callable

Number = TypeVar("Number", int, float)


def add_exercise(parser: argparse.ArgumentParser) -> None:
    """Add the exercise that a command is about, as `selection`."""
    selection = "the exercise, such as foundation/02"
    parser.add_argument("selection", metavar="LEVEL/NN", type=level_and_number, help=selection)


def add_exercises(parser: argparse._ActionsContainer, text: str, *, required: bool = False) -> None:
    """Add the option that chooses exercises, as `exercises`: pairs of a level and a number."""
    parser.add_argument(
        "--exercise",
        dest="exercises",
        metavar="LEVEL/NN",
        type=level_and_number,
        action="append",
        default=[],
        required=required,
        help=f"{text}; can be repeated",
    )


def add_subject(parser: argparse._ActionsContainer) -> None:
    """Add the options for a different target project or issue."""
    target = "the path of a different target project (. is the submission's root)"
    parser.add_argument("--target", metavar="DIR", type=folder_within, help=target)
    parser.add_argument(
        "--issue",
        metavar="ID",
        type=issue_id,
        help="grade a different issue, such as ISSUE-7; its acceptance criteria are checked"
        " if the course has the issue",
    )


def add_strict(parser: argparse._ActionsContainer) -> None:
    """Add the option that makes advisory checks count."""
    parser.add_argument(
        "--strict", action="store_true", help="let advisory checks fail an exercise, too"
    )


def add_project(parser: argparse._ActionsContainer) -> None:
    """Add the option that names the submission."""
    project = "the submission: a folder or archive (default: the course)"
    parser.add_argument("--project", metavar="PATH", help=project)


def add_course(parser: argparse._ActionsContainer, also: str = "") -> None:
    """Add the option that names an instructor's own course; `also` is what else it changes."""
    course = f"the folder of your own course (default: the course of this project){also}"
    parser.add_argument("--course", metavar="DIR", default="", help=course)


def add_provenance(parser: argparse._ActionsContainer) -> None:
    """Add the options for provenance, which changes no score."""
    provenance = "show the provenance level of each artifact, using the records of agent clients"
    parser.add_argument("--provenance", action="store_true", help=provenance)
    parser.add_argument(
        "--witness-key",
        metavar="FILE",
        default="",
        help="also verify the signed statements of a witnessed run with this public key"
        " (a PEM file)",
    )


def add_run(parser: argparse._ActionsContainer, *, own: bool = True) -> None:
    """Add the options that run a submission's service; `own` says whose it may be."""
    run = "run the service of the submission in a jail, and ask it each acceptance criterion"
    parser.add_argument("--run", dest="run", action="store_const", const=JAIL, default="", help=run)
    parser.add_argument(
        "--run-trusted",
        dest="run",
        action="store_const",
        const=TRUSTED,
        help="the same without a jail, for your own work" if own else argparse.SUPPRESS,
    )
    tests = "with --run: also run the submission's own tests, whose results are advice"
    parser.add_argument("--run-tests", action="store_true", help=tests)
    jail = "with --run: this container was made for one submission, and is jail enough"
    parser.add_argument("--jail", choices=(CONTAINER,), default="", help=jail)
    if own:
        seed = "with --run: repeat the values of an earlier run"
        parser.add_argument("--seed", type=_seed, metavar="N", help=seed)


def level_and_number(text: str) -> tuple[str, str]:
    """Return an exercise's level and number; raises argparse's error for any other text."""
    if match := re.fullmatch("([^/]+)/([^/]+)", text):
        return match[1], match[2]
    expected = "expected LEVEL/NN, such as foundation/02"
    if text.isdecimal():
        expected = f"add its level: {', '.join(f'{name}/{text:0>2}' for name in LEVELS)}"
    raise argparse.ArgumentTypeError(f"{visible(text)} is not an exercise ({expected})")


def folder_within(text: str) -> str:
    """Return a folder within the submission; raises argparse's error for any other text."""
    path = "." if text == "./" else text.removeprefix("./")
    path = path.removesuffix("/")  # as a shell completes it
    if path == "." or re.fullmatch(PATH.pattern, path):
        return path
    raise argparse.ArgumentTypeError(
        f"{visible(text)} is not a folder within the submission (expected a path such as apps/web)"
    )


def issue_id(text: str) -> str:
    """Return an issue's id; raises argparse's error for any other text."""
    if is_issue_id(text):
        return text
    issues = [name.removesuffix(".md") for name in glob("*.md", root_dir=ISSUES)]
    raise argparse.ArgumentTypeError(
        f"{visible(text)} is not an issue id (expected capital letters, a hyphen and digits, such "
        f"as ISSUE-7){did_you_mean(text, issues, 0.8)}"
    )


def number(
    read: Callable[[str], Number], least: float, most: float, what: str
) -> Callable[[str], Number]:
    """Return a function that reads a number from an option; argparse reports anything else."""

    def value_of(text: str) -> Number:
        with suppress(ValueError):
            value = read(text)
            if least <= value <= most and "_" not in text:  # Python reads 1_5 as 15
                return value
        raise argparse.ArgumentTypeError(f"{visible(text)} is not {what}")

    return value_of


_seed = number(int, 0, math.inf, "a seed (expected a whole number from 0 on)")
