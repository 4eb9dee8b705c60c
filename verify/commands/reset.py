"""`verify reset`: moves the attempt at an exercise to `.aside`, so that it begins again.

Its files are moved all or none, and none is ever deleted.
"""

from __future__ import annotations

import os
import stat
import time
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from pipeline.bootstrap import interruptible
from pipeline.files import write_whole
from pipeline.terminal.display import visible
from pipeline.terminal.exit_codes import PASSED
from pipeline.terminal.streams import deliver
from verify import catalog
from verify.check import Request, UsageError, command, reason_of
from verify.commands.next import grading_command
from verify.commands.options import add_exercise, add_project
from verify.progress import note_reset
from verify.submission import open_folder

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
    interruptible()  # what was moved is moved back
    root = Request(level="", project=project).root
    open_folder(root).close()  # raises if it is not a folder
    label = f"{exercise.level}-{exercise.number:02}"
    try:
        moves = archive_attempt(root, exercise.paths, label, keep=exercise.target or "")
    except NotMoved as error:
        raise UsageError(visible(str(error), 1_000)) from None
    if not moves:
        deliver(f"{exercise.name}: there is nothing to move yet.\n")
        return PASSED
    deliver(
        "".join(f"moved {move.source}\n   to {move.destination}\n" for move in moves)
        + "Your code and branches are unchanged.\n"
        + f"{exercise.name} starts again:\n  {grading_command(exercise, project)}\n"
    )
    if project is None:
        note_reset(exercise.name)
    return PASSED


class NotMoved(Exception):
    """Nothing was moved; the message says why."""


class Move(NamedTuple):
    """A file that was moved: both paths are relative to the submission's root."""

    source: str
    destination: str


def archive_attempt(
    root: str, paths: Iterable[str], label: str, keep: str = ""
) -> tuple[Move, ...]:
    """Move the files at the paths to `.aside/<label>/<time>/`, all or none, under the same paths.

    Folders that are empty then go as well, but neither `keep` nor those above it.

    Raises:
        NotMoved: a link is in the way, or the system refuses. Everything is where it was, but for
            what was written again meanwhile: its old file stays in `.aside`, as the message says.
    """
    present = [path for path in paths if _exists(root, path)]
    if not present:
        return ()
    parent = f"{FOLDER}/{label}"
    _exists(root, f"{parent}/new")  # raises where a link leads elsewhere
    try:
        into = _new_folder(root, parent)
    except OSError as error:
        _remove_empty(root, parent)
        raise NotMoved(f"{FOLDER} cannot be created: {reason_of(error)}") from None
    moves = tuple(Move(path, f"{into}/{path}") for path in present)
    try:
        for move in moves:
            _move(root, move.source, move.destination)
        for move in moves:
            _remove_empty(root, os.path.dirname(move.source), keep)
    except BaseException as error:  # Ctrl-C too: never leave half a move
        stranded = [move.destination for move in reversed(moves) if not _is_back(root, move)]
        if not isinstance(error, NotMoved):
            raise
        where = f"; still in {', '.join(stranded)}" if stranded else ": everything is where it was"
        raise NotMoved(f"{error}{where}") from None
    return moves


def _exists(root: str, path: str) -> bool:
    """Return whether there is anything at a path.

    Raises:
        NotMoved: it is a link, or is reached through one.
    """
    names = path.split("/")
    for end in range(1, len(names) + 1):
        walked = "/".join(names[:end])
        try:
            mode = os.lstat(os.path.join(root, walked)).st_mode
        except (FileNotFoundError, NotADirectoryError):
            return False
        except OSError as error:
            raise NotMoved(f"{walked} cannot be read: {reason_of(error)}") from None
        if stat.S_ISLNK(mode):
            raise NotMoved(f"{walked} is a symbolic link, so nothing was moved")
    return True


def _new_folder(root: str, parent: str) -> str:
    """Make a folder that was not there before, named for the time, and return its path."""
    os.makedirs(os.path.join(root, parent), exist_ok=True)
    ignored = os.path.join(root, FOLDER, ".gitignore")
    if not os.path.lexists(ignored):
        write_whole(ignored, b"*\n")
    stamp = time.strftime("%Y%m%d-%H%M%S")
    for number in range(1, 1_000):
        folder = f"{parent}/{stamp}" + (f"-{number}" if number > 1 else "")
        with suppress(FileExistsError):
            os.mkdir(os.path.join(root, folder))
            return folder
    raise FileExistsError(0, "too many folders were created in this second")


def _move(root: str, source: str, destination: str) -> None:
    place = os.path.join(root, destination)
    try:
        os.makedirs(os.path.dirname(place), exist_ok=True)
        os.rename(os.path.join(root, source), place)
    except OSError as error:
        raise NotMoved(f"{source} cannot be moved ({reason_of(error)})") from None


def _is_back(root: str, move: Move) -> bool:
    """Undo a move, if it was made: an interrupt may come before it could be noted."""
    if os.path.lexists(os.path.join(root, move.destination)):
        try:
            if _exists(root, move.source):  # it was written again
                return False
            _move(root, move.destination, move.source)
        except NotMoved:
            return False
    _remove_empty(root, os.path.dirname(move.destination))
    return True


def _remove_empty(root: str, folder: str, keep: str = "") -> None:
    """Remove a folder and those above it, as long as they are empty."""
    while folder not in ("", keep):
        try:
            os.rmdir(os.path.join(root, folder))
        except FileNotFoundError:  # those above it may be there
            pass
        except OSError:  # something is left in it
            return
        folder = os.path.dirname(folder)
