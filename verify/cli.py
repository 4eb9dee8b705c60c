"""The console script `verify`: grading as by the levels' scripts, and the course's own proof."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING, Any

from pipeline.display import visible
from pipeline.help import Arguments
from pipeline.streams import printable_streams
from verify.catalog import LEVELS
from verify.command import execute
from verify.commands.batch_options import add_batch, add_match
from verify.commands.export_options import add_export
from verify.commands.override_options import add_override
from verify.commands.regrade_options import add_regrade
from verify.commands.scaffold_options import add_new_course
from verify.request import Request, add_course, add_options, add_project

if TYPE_CHECKING:
    from collections.abc import Callable

_EPILOG = """\
examples:
  verify list foundation               the level's exercises and the next one
  verify check expert/01               grade one exercise
  verify check expert/01 --watch       grade it again whenever you save
  verify check expert/01 --project ../work --format json
  verify next                          the next exercise to do, as verify alone
  verify reset expert/01               move your attempt aside and begin afresh
  verify self-test                     prove the course itself, for its authors
  verify match submissions/ --roster students.csv
                                       whose each submission is, for instructors
  verify batch submissions/ --roster students.csv --exercise expert/04
                                       grade a whole cohort

exit codes: 0 all passed, 1 something failed, 2 wrong usage or nothing to grade,
3 the harness itself failed, 130 interrupted
"""


def main(argv: list[str] | None = None) -> int:
    """Run the console script and return the exit code."""
    printable_streams()
    options = vars(_parser().parse_args(argv))
    command: Callable[..., int] | None = options.pop("command", None)
    return _next(project=None) if command is None else command(**options)


def _grade(selection: tuple[str, str | None], **options: Any) -> int:
    level, number = selection
    if options["course"] and options["project"] is None:
        options["project"] = os.curdir  # who takes another course stands in their own work
    return execute(Request(console=True, level=level, number=number, **options))


def _next(project: str | None) -> int:
    from verify.moving_on import tell_next

    return tell_next(project)


def _reset(selection: tuple[str, str], project: str | None) -> int:
    from verify.moving_on import reset

    return reset(*selection, project)


def _self_test(selection: list[tuple[str, str]], **options: Any) -> int:
    from verify.selftest.command import self_test

    return self_test(selection, **options)


def _parser() -> Arguments:
    parser = Arguments(
        prog="verify",
        usage="verify [-h] [COMMAND ...]",
        description="Grade the exercises of the issue pipeline course.",
        epilog=_EPILOG,
    )
    # as long a word as this lines up the commands alike on every version of Python
    commands = parser.add_subparsers(prog="verify", metavar="COMMAND ...")
    check = commands.add_parser("check", help="grade one exercise")
    check.set_defaults(command=_grade)
    _add_exercise(check)
    listing = commands.add_parser("list", help="list a level's exercises with their state")
    listing.add_argument(
        "selection", metavar="LEVEL", type=lambda level: (level, None), help=", ".join(LEVELS)
    )
    listing.set_defaults(command=_grade)
    add_options(check, one_exercise=True)
    add_options(listing, one_exercise=False)
    add_course(check)
    add_course(listing)
    _add_moving_on(commands)
    _add_self_test(commands)
    for add in (add_match, add_batch, add_regrade, add_override, add_export, add_new_course):
        add(commands)
    return parser


def _add_moving_on(commands: argparse._SubParsersAction[Arguments]) -> None:
    following = commands.add_parser("next", help="show the next exercise of the course")
    following.set_defaults(command=_next)
    add_project(following)
    reset = commands.add_parser(
        "reset", help="move your attempt at an exercise aside, to begin afresh"
    )
    reset.set_defaults(command=_reset)
    _add_exercise(reset)
    add_project(reset)


def _add_self_test(commands: argparse._SubParsersAction[Arguments]) -> None:
    proving = commands.add_parser("self-test", help="prove the course: fixtures, pages, mutants")
    proving.set_defaults(command=_self_test)
    add_course(proving)
    proving.add_argument(
        "--exercise",
        dest="selection",
        metavar="LEVEL/NN",
        type=_exercise,
        action="append",
        default=[],
        help="prove this exercise only; may be given several times",
    )
    proving.add_argument(
        "--format",
        dest="format_",
        metavar="F",
        choices=("table", "json"),
        default="table",
        help="one of table, json (default: table)",
    )
    proving.add_argument(
        "--update",
        action="store_true",
        help="first write what grading finds beside each fixture, and print the difference",
    )


def _add_exercise(parser: Arguments) -> None:
    parser.add_argument(
        "selection", metavar="LEVEL/NN", type=_exercise, help="such as foundation/02"
    )


def _exercise(text: str) -> tuple[str, str]:
    level, slash, number = text.partition("/")
    if slash:
        return level, number
    raise argparse.ArgumentTypeError(
        f"{visible(text)} is not an exercise (expected LEVEL/NN, such as foundation/02)"
    )
