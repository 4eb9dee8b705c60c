"""`verify reset`: moves the attempt at an exercise aside, so that it begins again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipeline.bootstrap import interruptible
from pipeline.terminal.display import visible
from pipeline.terminal.exit_codes import PASSED
from pipeline.terminal.streams import deliver
from verify import catalog
from verify.aside import NotMoved, set_aside
from verify.check import Request, UsageError, carried_out
from verify.commands.next import grading_command
from verify.commands.options import add_exercise, add_project
from verify.progress import note_reset
from verify.submission import open_folder

if TYPE_CHECKING:
    from pipeline.terminal.arguments import Arguments
    from verify.model import Exercise


def add_options(parser: Arguments) -> None:
    """Add the options of `verify reset`."""
    parser.set_defaults(command=reset)
    add_exercise(parser)
    add_project(parser)


def reset(selection: tuple[str, str], project: str | None) -> int:
    """Move the artifacts of an exercise aside; return the exit code."""
    return carried_out(lambda: _reset(catalog.find(*selection), project), project)


def _reset(exercise: Exercise, project: str | None) -> int:
    interruptible()  # what was moved is moved back
    root = Request(level="", project=project).root
    open_folder(root).close()  # raises where there is no submission
    label = f"{exercise.level}-{exercise.number:02}"
    try:
        moves = set_aside(root, exercise.paths, label, keep=exercise.target or "")
    except NotMoved as error:
        raise UsageError(visible(str(error), 1_000)) from None
    if not moves:
        deliver(f"{exercise.name}: nothing is there yet, so nothing was moved.\n")
        return PASSED
    lines = [f"moved {move.source}\n   to {move.destination}" for move in moves]
    lines += [
        "Code and branches stay as they are.",
        f"{exercise.name} begins again:",
        f"  {grading_command(exercise, project)}",
    ]
    deliver("\n".join(lines) + "\n")
    if project is None:
        note_reset(exercise.name)
    return PASSED
