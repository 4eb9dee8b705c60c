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
        NotMoved: a link stands in the way, or the system refuses; everything is where it was.
    """
    present = [path for path in paths if _stands(root, path)]
    if not present:
        return ()
    _stands(root, f"{FOLDER}/{label}/new")  # raises where a link leads elsewhere
    try:
        into = _new_folder(root, f"{FOLDER}/{label}")
    except OSError as error:
        raise NotMoved(f"{FOLDER} cannot be made: {_reason(error)}") from None
    moves = tuple(Move(path, f"{into}/{path}") for path in present)
    _move_all(root, moves)
    for move in moves:
        _remove_empty(root, os.path.dirname(move.source), keep)
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
    try:
        with open(os.path.join(folder, ".gitignore"), "x", encoding="utf-8") as file:
            file.write("*\n")
    except FileExistsError:
        return


def _move_all(root: str, moves: Sequence[Move]) -> None:
    done: list[Move] = []
    try:
        for move in moves:
            destination = os.path.join(root, move.destination)
            os.makedirs(os.path.dirname(destination), exist_ok=True)
            os.rename(os.path.join(root, move.source), destination)
            done.append(move)
    except OSError as error:
        stranded = _moved_back(root, done)
        _remove_empty(root, os.path.dirname(moves[len(done)].destination))
        where = f"; still in {stranded}" if stranded else ": everything is where it was"
        raise NotMoved(
            f"{moves[len(done)].source} cannot be moved ({_reason(error)}){where}"
        ) from None


def _moved_back(root: str, done: Sequence[Move]) -> str:
    """Undo moves, the last one first; return the places of files that could not go back."""
    return ", ".join(move.destination for move in reversed(done) if not _is_back(root, move))


def _is_back(root: str, move: Move) -> bool:
    try:
        os.rename(os.path.join(root, move.destination), os.path.join(root, move.source))
    except OSError:
        return False
    _remove_empty(root, os.path.dirname(move.destination))
    return True


def _remove_empty(root: str, folder: str, keep: str = "") -> None:
    """Remove a folder and those above it, as long as they are empty."""
    while folder not in ("", keep):
        try:
            os.rmdir(os.path.join(root, folder))
        except OSError:  # something is left in it
            return
        folder = os.path.dirname(folder)


def _reason(error: OSError) -> str:
    return (error.strerror or "unknown reason").lower()
