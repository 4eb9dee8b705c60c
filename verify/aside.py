"""Moves an exercise's files out of the way, all of them or none; never deletes one."""

from __future__ import annotations

import os
import stat
import time
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

FOLDER = ".aside"


class NotMoved(Exception):
    """Nothing was moved; the message says why."""


class Move(NamedTuple):
    """A file that was moved: both paths are relative to the submission's root."""

    source: str
    destination: str


def set_aside(root: str, paths: Iterable[str], label: str, keep: str = "") -> tuple[Move, ...]:
    """Move what stands at the paths to `.aside/<label>/<time>/`, under the same relative paths.

    Folders that are empty then go as well, but neither `keep` nor those above it.

    Raises:
        NotMoved: a link stands in the way, or the system refuses. Everything is where it was; what
            something new stands in the place of by then stays in `.aside`, and the message says so.
    """
    present = [path for path in paths if _stands(root, path)]
    if not present:
        return ()
    _stands(root, f"{FOLDER}/{label}/new")  # raises where a link leads elsewhere
    try:
        into = _new_folder(root, f"{FOLDER}/{label}")
    except OSError as error:
        _remove_empty(root, f"{FOLDER}/{label}")
        raise NotMoved(f"{FOLDER} cannot be made: {_reason(error)}") from None
    moves = tuple(Move(path, f"{into}/{path}") for path in present)
    _move_all(root, moves, keep)
    return moves


def _stands(root: str, path: str) -> bool:
    """Tell whether something stands at a path.

    Raises:
        NotMoved: it is a link, or is reached through one.
    """
    walked = ""
    for name in path.split("/"):
        walked = f"{walked}/{name}" if walked else name
        try:
            mode = os.lstat(os.path.join(root, walked)).st_mode
        except (FileNotFoundError, NotADirectoryError):
            return False
        except OSError as error:
            raise NotMoved(f"{walked} cannot be looked at: {_reason(error)}") from None
        if stat.S_ISLNK(mode):
            raise NotMoved(f"{walked} is a link, which is not followed: nothing was moved")
    return True


def _new_folder(root: str, parent: str) -> str:
    """Make a folder that was not there before, named for the time, and return its path."""
    os.makedirs(os.path.join(root, parent), exist_ok=True)
    _hide_from_git(os.path.join(root, FOLDER))
    stamp = time.strftime("%Y%m%d-%H%M%S")
    for number in range(1, 1_000):
        folder = f"{parent}/{stamp}" + (f"-{number}" if number > 1 else "")
        try:
            os.mkdir(os.path.join(root, folder))
        except FileExistsError:
            continue
        return folder
    raise FileExistsError(0, "too many folders of this second")


def _hide_from_git(folder: str) -> None:
    """Write a `.gitignore` where there is none, or an empty one: a write that was cut short."""
    path = os.path.join(folder, ".gitignore")
    if os.path.lexists(path):
        status = os.lstat(path)
        if status.st_size or not stat.S_ISREG(status.st_mode):
            return
    try:
        with open(path, "w", encoding="utf-8") as file:
            file.write("*\n")
    except BaseException:
        _remove(path)
        raise


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:  # it was not made; what went wrong before is what is told
        return


def _move_all(root: str, moves: Sequence[Move], keep: str) -> None:
    try:
        for move in moves:
            _move(root, move)
        for move in moves:
            _remove_empty(root, os.path.dirname(move.source), keep)
    except NotMoved as error:
        stranded = _moved_back(root, moves)
        where = f"; still in {stranded}" if stranded else ": everything is where it was"
        raise NotMoved(f"{error}{where}") from None
    except BaseException:  # Ctrl-C, for one: half a move is no state to leave things in
        _moved_back(root, moves)
        raise


def _move(root: str, move: Move) -> None:
    destination = os.path.join(root, move.destination)
    try:
        os.makedirs(os.path.dirname(destination), exist_ok=True)
        os.rename(os.path.join(root, move.source), destination)
    except OSError as error:
        raise NotMoved(f"{move.source} cannot be moved ({_reason(error)})") from None


def _moved_back(root: str, moves: Sequence[Move]) -> str:
    """Undo moves, the last one first; return the places of files that could not go back."""
    return ", ".join(move.destination for move in reversed(moves) if not _is_back(root, move))


def _is_back(root: str, move: Move) -> bool:
    """Undo a move, if it was made: an interrupt may come before anybody could note that it was."""
    moved, source = (os.path.join(root, path) for path in (move.destination, move.source))
    if os.path.lexists(moved):
        try:
            if _stands(root, move.source):  # somebody wrote it anew
                return False
            os.makedirs(os.path.dirname(source), exist_ok=True)
            _rename_to_nothing(moved, source)
        except (OSError, NotMoved):
            return False
    _remove_empty(root, os.path.dirname(move.destination))
    return True


def _rename_to_nothing(old: str, new: str) -> None:
    """Rename a file, but never over another one: a link is refused where a name is taken.

    Raises:
        OSError: the new name is taken, or the system refuses.
    """
    try:
        os.link(old, new)
    except FileExistsError:
        raise
    except OSError:  # a folder, or a file system without links
        if os.path.lexists(new):
            raise
        os.rename(old, new)
    else:
        os.unlink(old)


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


def _reason(error: OSError) -> str:
    return (error.strerror or "unknown reason").lower()
