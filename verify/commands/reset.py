"""`verify reset`: moves the attempt at an exercise to `.aside`, so that it begins again.

Its files are moved all or none, and none is ever deleted.
"""

from __future__ import annotations

import os
import signal
import stat
import time
from typing import TYPE_CHECKING

from pipeline.files import reason_of, write_whole
from pipeline.terminal.display import visible
from pipeline.terminal.exit_codes import PASSED
from pipeline.terminal.streams import deliver
from verify.commands.next import grading_command
from verify.commands.options import add_exercise, add_project
from verify.course import catalog
from verify.learner.check import UsageError, command
from verify.learner.request import GradingRequest
from verify.submissions.submission import open_folder

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pipeline.terminal.arguments import Arguments


FOLDER = ".aside"


def add_options(parser: Arguments) -> None:
    """Add the options of `verify reset`."""
    parser.set_defaults(command=reset)
    add_exercise(parser)
    add_project(parser)


@command
def reset(*, selection: tuple[str, str], project: str | None) -> int:
    """Move the artifacts of an exercise aside; return the exit code."""
    exercise = catalog.find(*selection)
    root = GradingRequest(level="", project=project).root
    open_folder(root).close()  # raises if it is not a folder
    moved = archive_attempt(root, exercise.paths, f"{exercise.level}-{exercise.number:02}")
    if not moved:
        deliver(f"{exercise.name}: {visible(root, 300)} has none of its files to move.\n")
        return PASSED
    deliver(
        "".join(f"moved {source}\n   to {destination}\n" for source, destination in moved.items())
        + "Your code and branches are unchanged.\n"
        + f"{exercise.name} starts again:\n  {grading_command(exercise, project)}\n"
    )
    return PASSED


def archive_attempt(root: str, paths: Iterable[str], label: str) -> dict[str, str]:
    """Move the files at the paths to `.aside/<label>/<time>/`, all or none, under the same paths.

    Returns each path, and where its file is now. Folders that are empty then go as well.

    Raises:
        UsageError: a link is in the way, or the system refuses. Everything is where it was, but for
            what was written again meanwhile: its old file stays in `.aside`, as the message says.
    """
    into = f"{FOLDER}/{label}/{time.strftime('%Y%m%d-%H%M%S')}"
    moves = {path: f"{into}/{path}" for path in paths if _exists(root, path)}
    if moves and _exists(root, into):
        raise UsageError(f"{into} already exists: wait a second, and run the command again")
    moved: list[str] = []
    interrupt = signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C leaves no half of a move
    try:
        if moves and not os.path.lexists(os.path.join(root, FOLDER, ".gitignore")):
            write_whole(os.path.join(root, FOLDER, ".gitignore"), b"*\n")
        for source, destination in moves.items():
            os.renames(os.path.join(root, source), os.path.join(root, destination))
            moved.append(source)
    except OSError as error:
        stranded = [moves[path] for path in reversed(moved) if not _is_back(root, path, moves)]
        where = (
            f"restore {', '.join(stranded)} yourself" if stranded else "everything is where it was"
        )
        what = os.path.relpath(error.filename or root, root)
        why = f"{what} cannot be moved ({reason_of(error)}): {where}"
        raise UsageError(visible(why, 1_000)) from None
    finally:
        signal.signal(signal.SIGINT, interrupt)
    return moves


def _exists(root: str, path: str) -> bool:
    """Return whether there is anything at a path; raises `UsageError` if a link is on the way."""
    names = path.split("/")
    for end in range(1, len(names) + 1):
        walked = "/".join(names[:end])
        try:
            mode = os.lstat(os.path.join(root, walked)).st_mode
        except (FileNotFoundError, NotADirectoryError):
            return False
        except OSError as error:
            raise UsageError(f"{walked} cannot be read: {reason_of(error)}") from None
        if stat.S_ISLNK(mode):
            raise UsageError(f"{walked} is a symbolic link, so nothing was moved")
    return True


def _is_back(root: str, path: str, moves: dict[str, str]) -> bool:
    """Move a file back, unless it was written again meanwhile; return whether it is back."""
    try:
        if _exists(root, path):
            return False
        os.renames(os.path.join(root, moves[path]), os.path.join(root, path))
    except (OSError, UsageError):
        return False
    return True
