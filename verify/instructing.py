"""The commands of instructors and authors on the command line, each with its options."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from verify.commands.batch_options import add_batch, add_match
from verify.commands.export_options import add_export
from verify.commands.override_options import add_override
from verify.commands.regrade_options import add_regrade
from verify.commands.scaffold_options import add_new_course
from verify.request import add_course, add_format

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from pipeline.terminal.arguments import Arguments

    Commands = argparse._SubParsersAction[Arguments]  # noqa: SLF001  # the type has no public name


def add_commands(commands: Commands, exercise: Callable[[str], tuple[str, str]]) -> None:
    """Add the commands; `exercise` reads one from its name."""
    _add_self_test(commands, exercise)
    for add in (add_match, add_batch, add_regrade, add_override, add_export, add_new_course):
        add(commands)


def _self_test(selection: list[tuple[str, str]], **options: Any) -> int:
    from verify.selftest.proof import self_test

    return self_test(selection, **options)


def _add_self_test(commands: Commands, exercise: Callable[[str], tuple[str, str]]) -> None:
    proving = commands.add_parser("self-test", help="prove the course: fixtures, pages, mutants")
    proving.set_defaults(command=_self_test)
    add_course(proving)
    proving.add_argument(
        "--exercise",
        dest="selection",
        metavar="LEVEL/NN",
        type=exercise,
        action="append",
        default=[],
        help="prove this exercise only; may be given several times",
    )
    add_format(proving)
    proving.add_argument(
        "--update",
        action="store_true",
        help="first write what grading finds beside each fixture, and print the difference",
    )
