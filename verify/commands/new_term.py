"""`verify new-term`: a commented description of a term, to start from."""

from __future__ import annotations

import os
import shlex
from typing import TYPE_CHECKING

from pipeline.bootstrap import called_as
from pipeline.files import reason_of, write_whole
from pipeline.terminal.display import visible
from pipeline.terminal.exit_codes import PASSED
from pipeline.terminal.streams import deliver
from verify.gradebook.term import EXAMPLE
from verify.learner.check import UsageError, command

if TYPE_CHECKING:
    from pipeline.terminal.arguments import Arguments


def add_options(parser: Arguments) -> None:
    """Add the options of `verify new-term`."""
    parser.set_defaults(command=new_term)
    parser.add_argument("file", metavar="FILE", help="a new file, such as term.toml")


@command
def new_term(*, file: str) -> int:
    """Write an example; return 0, or 2 where something is there or it cannot be written."""
    shown = visible(file, 300)
    if os.path.lexists(file):
        raise UsageError(f"{shown} exists: choose a different name")
    with open(EXAMPLE, "rb") as example:
        data = example.read()
    try:
        write_whole(file, data)
    except OSError as error:
        raise UsageError(f"{shown} cannot be written: {reason_of(error)}") from None
    grade = f"{called_as('verify')} batch --term {visible(shlex.quote(file), 300)}"
    deliver(f"{shown} describes a term of two weeks: change it to yours.\nGrade it:   {grade}\n")
    return PASSED
