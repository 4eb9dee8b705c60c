"""The command `verify`: a learner's commands are read at once, the others when they are called."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING, Any

from pipeline.terminal.arguments import Arguments
from pipeline.terminal.display import visible
from pipeline.terminal.streams import printable_streams
from verify.catalog import LEVELS
from verify.command import execute
from verify.commands.pack_options import add_pack
from verify.request import Request, add_course, add_options, add_project

if TYPE_CHECKING:
    from collections.abc import Callable

_EPILOG = """\
examples:
  python3 -m verify                              the next exercise to do
  python3 -m verify list                         every exercise with its state
  python3 -m verify expert/01                    grade one exercise
  python3 -m verify expert/01 --watch            grade it again whenever you save
  python3 -m verify expert/01 --project ../work --format json
  python3 -m verify explain F01.3                what a check asks, and how to fix it
  python3 -m verify reset expert/01              begin again; your attempt is kept
  python3 -m verify pack                         write one zip to submit
  python3 -m verify self-test                    prove the course itself, for its authors
  python3 -m verify match submissions/ --roster students.csv
                                                 whose each submission is, for instructors
  python3 -m verify batch submissions/ --roster students.csv --exercise expert/04
                                                 grade a whole cohort

Once .venv is activated, verify is the same as python3 -m verify.

exit codes: 0 all passed, 1 something failed, 2 wrong usage or nothing to grade,
3 the harness itself failed, 130 interrupted
"""
_LEARNERS = ("check", "list", "next", "explain", "reset", "pack")


def main(argv: list[str] | None = None) -> int:
    """Run the command and return the exit code; `argv` is what follows its name."""
    import sys

    printable_streams()
    words = _with_command(sys.argv[1:] if argv is None else argv)
    options = vars(_parser(words).parse_args(words))
    command: Callable[..., int] | None = options.pop("command", None)
    return _next(project=None) if command is None else command(**options)


def _with_command(words: list[str]) -> list[str]:
    """Return the words with `check` where an exercise comes first: `verify expert/01`."""
    names_exercise = bool(words) and "/" in words[0] and not words[0].startswith("-")
    return ["check", *words] if names_exercise else words


def _grade(selection: tuple[str, str | None], **options: Any) -> int:
    level, number = selection
    if options["course"] and options["project"] is None:
        options["project"] = os.curdir  # with a course of one's own, the work is here
    return execute(Request(console=True, level=level, number=number, **options))


def _next(project: str | None) -> int:
    from verify.moving_on import show_next

    return show_next(project)


def _reset(selection: tuple[str, str], project: str | None) -> int:
    from verify.moving_on import reset

    return reset(*selection, project)


def _explain(code: str, course: str) -> int:
    from verify.commands.explain import explain

    return explain(code, course)


def _parser(words: list[str]) -> Arguments:
    parser = Arguments(
        prog="python3 -m verify",
        usage="python3 -m verify [-h] [LEVEL/NN | COMMAND] ...",
        description="Grade the exercises of the issue pipeline course.",
        epilog=_EPILOG,
    )
    # as long a word as this lines up the commands alike on every version of Python
    commands = parser.add_subparsers(prog="python3 -m verify", metavar="COMMAND ...")
    _add_grading(commands)
    _add_moving_on(commands)
    add_pack(commands, _exercise)
    if not (words and words[0] in _LEARNERS):  # what a learner does not call is not imported
        from verify.instructing import add_commands

        add_commands(commands, _exercise)
    return parser


def _add_grading(commands: argparse._SubParsersAction[Arguments]) -> None:
    check = commands.add_parser("check", help="grade one exercise, as python3 -m verify LEVEL/NN")
    check.set_defaults(command=_grade)
    _add_exercise(check)
    add_options(check, one_exercise=True)
    add_course(check)
    listing = commands.add_parser("list", help="list the exercises with their state")
    listing.add_argument(
        "selection",
        metavar="LEVEL",
        nargs="?",
        default=("", None),
        type=lambda level: (level, None),
        help=f"{', '.join(LEVELS)} (default: all)",
    )
    listing.set_defaults(command=_grade)
    add_options(listing, one_exercise=False)
    add_course(listing)


def _add_moving_on(commands: argparse._SubParsersAction[Arguments]) -> None:
    following = commands.add_parser("next", help="show the next exercise of the course")
    following.set_defaults(command=_next)
    add_project(following)
    explaining = commands.add_parser("explain", help="explain a check, such as F01.3")
    explaining.set_defaults(command=_explain)
    explaining.add_argument("code", metavar="CHECK", help="its code in the table, such as F01.3")
    add_course(explaining)
    reset = commands.add_parser("reset", help="move your attempt aside, to begin again")
    reset.set_defaults(command=_reset)
    _add_exercise(reset)
    add_project(reset)


def _add_exercise(parser: Arguments) -> None:
    parser.add_argument(
        "selection", metavar="LEVEL/NN", type=_exercise, help="such as foundation/02"
    )


def _exercise(text: str) -> tuple[str, str]:
    level, slash, number = text.partition("/")
    if slash:
        return level, number
    expected = "expected LEVEL/NN, such as foundation/02"
    if text.isdecimal():
        expected = f"each level has one: {', '.join(f'{name}/{text:0>2}' for name in LEVELS)}"
    raise argparse.ArgumentTypeError(f"{visible(text)} is not an exercise ({expected})")
