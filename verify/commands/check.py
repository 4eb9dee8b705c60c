"""`verify LEVEL/NN`, in full `verify check`, and the script of a level: grades one exercise."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from pipeline.bootstrap import from_here
from pipeline.terminal.arguments import Arguments
from pipeline.terminal.streams import printable_streams
from verify.commands import options
from verify.learner.check import execute
from verify.learner.request import GradingRequest
from verify.reporters import REPORTERS

if TYPE_CHECKING:
    import argparse

_SCRIPT_EPILOG = """\
examples:
  python3 {script}                            list the level's exercises and the next one
  python3 {script} --exercise 02              grade exercise 02
  python3 {script} --exercise 02 --hint       show a hint for the first failure; repeat for more
  python3 {script} --exercise 02 --watch      grade it again whenever you save
  python3 {script} --exercise 02 --project ../work --format json

To start over, move your attempt aside: python3 -m verify reset {level}/02
What a check requires, and how to fix a failure: python3 -m verify explain {code}02.1

exit codes: 0 all passed, 1 something failed, 2 wrong usage or nothing to grade,
3 the harness itself failed, 130 interrupted
"""
_COMMON = ("--help", "--project", "--format", "--verbose", "--strict", "--hint", "--watch", "--run")
OWN = "; with it, the default of --project is the current folder"


def add_options(parser: Arguments) -> None:
    """Add the options of `verify check`."""
    parser.common = _COMMON
    parser.set_defaults(command=check)
    options.add_exercise(parser)
    add_grading(parser, one_exercise=True)
    options.add_course(parser, OWN)


def check(selection: tuple[str, str | None], **options: Any) -> int:
    """Grade one exercise, or a level if the number is None; return the exit code."""
    level, number = selection
    if options["course"] and options["project"] is None:
        options["project"] = os.curdir  # with a course of one's own, the work is here
    return _carried_out(GradingRequest(console=True, level=level, number=number, **options))


def level_main(level: str, script: str, argv: list[str] | None = None) -> int:
    """Run the script of a level and return the exit code; `script` is its path as it was run."""
    printable_streams()
    script = from_here(script)
    parser = Arguments(
        prog=f"python3 {script}",
        description=f"Grade the {level} exercises. Without --exercise, list them with their state.",
        epilog=_SCRIPT_EPILOG.format(script=script, level=level, code=level[0].upper()),
    )
    parser.common = ("--exercise", *_COMMON)
    parser.add_argument("--exercise", metavar="NN", help="the exercise to grade, such as 02")
    add_grading(parser, one_exercise=True)
    options = vars(parser.parse_args(argv))
    number = options.pop("exercise")
    if number:  # foundation/02, as the table writes it, is 02 to the script of its level
        number = number.removeprefix(f"{level}/")
    return _carried_out(GradingRequest(level=level, number=number, **options))


def _carried_out(request: GradingRequest) -> int:
    if request.watch:
        from verify.learner.watch import watch

        return watch(request)
    return execute(request)


def add_grading(parser: argparse.ArgumentParser, *, one_exercise: bool) -> None:
    """Add what `check` and `list` have in common; some options go with one exercise only."""
    where = parser.add_argument_group("what to grade")
    options.add_project(where)
    if one_exercise:
        options.add_subject(where)
    how = parser.add_argument_group("how to report")
    forms = f"one of {', '.join(REPORTERS)} (default: table)"
    how.add_argument("--format", metavar="F", choices=tuple(REPORTERS), default="table", help=forms)
    verbose = "show each skipped check, the notes and the provenance in full"
    how.add_argument("-v", "--verbose", action="store_true", help=verbose)
    options.add_strict(how)
    options.add_provenance(how)
    if one_exercise:
        options.add_run(how)
        hint = "show a hint for the first failure; repeat --hint for more"
        how.add_argument("--hint", action="count", default=0, help=hint)
        watch = "grade again whenever a file of the exercise changes"
        how.add_argument("--watch", action="store_true", help=watch)
