"""The command `verify`: which commands there are; the one that is called is imported."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from pipeline.terminal.arguments import Arguments, add_commands
from pipeline.terminal.streams import printable_streams

if TYPE_CHECKING:
    from collections.abc import Callable

_EPILOG = """\
examples:
  python3 -m verify                              the next exercise to do
  python3 -m verify expert/01                    grade one exercise
  python3 -m verify expert/01 --watch            grade it again whenever you save
  python3 -m verify expert/01 --project ../work --format json
  python3 -m verify explain F01.3                what a check requires, and how to fix a failure
  python3 -m verify reset expert/01              start over; your attempt is kept
  python3 -m verify batch submissions/ --roster students.csv --exercise expert/04
                                                 grade a whole cohort

Once .venv is activated, verify is the same as python3 -m verify.

exit codes: 0 all passed, 1 something failed, 2 wrong usage or nothing to grade,
3 the harness itself failed, 130 interrupted
"""
COMMANDS = {  # each has its options and its work in verify/commands/, in a module of its name
    "check": "grade one exercise (same as python3 -m verify LEVEL/NN)",
    "list": "list the exercises with their state",
    "next": "show the next exercise of the course",
    "explain": "explain a check, such as F01.3",
    "reset": "move your attempt aside and start over",
    "pack": "write one zip to submit, and grade it",
    "self-test": "test the course itself: fixtures, pages and mutants",
    "match": "show which learner each submission belongs to",
    "batch": "grade a whole cohort",
    "regrade": "grade a cohort again, and show what changes",
    "show": "show what one learner has: checks, attempts, overrides",
    "override": "set scores by hand, withdraw them, or list them",
    "merge": "make one gradebook of two",
    "export": "write grades and feedback from a gradebook, without grading",
    "kit": "write an autograder, a container or a copy of the course",
    "new-term": "write a commented description of a term, to start from",
    "new-course": "create a small working course that you can build on",
}


def main(argv: list[str] | None = None) -> int:
    """Run the command and return the exit code; `argv` is what follows its name."""
    printable_streams()
    words = sys.argv[1:] if argv is None else argv
    if not words:
        words = ["next"]
    elif ("/" in words[0] and not words[0].startswith("-")) or words[0].isdecimal():  # expert/01
        words = ["check", *words]
    options = vars(parser_of(words[0]).parse_args(words))
    if not options:  # verify --
        return main(["next"])
    command: Callable[..., int] = options.pop("command")
    return command(**options)


def parser_of(word: str) -> Arguments:
    """Return the parser of the command line, with the options of one command."""
    parser = Arguments(
        prog="python3 -m verify",
        usage="python3 -m verify [-h] [LEVEL/NN | COMMAND] ...",
        epilog=_EPILOG,
    )
    add_commands(parser, COMMANDS, "verify.commands", word)
    return parser
