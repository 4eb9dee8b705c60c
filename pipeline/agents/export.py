"""Puts a tree into a folder: all of it or nothing, and nothing of the user's is lost."""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING, NamedTuple

from pipeline.agents import hooks
from pipeline.agents.sections import merged
from pipeline.files import MISSING, Unreadable, read_file, write_whole

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pipeline.agents.trees import File


class Conflict(NamedTuple):
    """A file that keeps the tree from being written, and why; `forcible`: `--force` settles it."""

    path: str
    reason: str
    forcible: bool


class Planned(NamedTuple):
    """What becomes of one file: `data` goes to `real`, which held `before` (None: it is new)."""

    path: str
    real: str
    data: bytes
    before: bytes | None


class Plan(NamedTuple):
    """What an export would do: files to write, files that are right as they are, obstacles."""

    write: tuple[Planned, ...]
    unchanged: tuple[str, ...]
    conflicts: tuple[Conflict, ...]


class NotWritten(Exception):
    """The disk or the system refused a file; everything is as it was before. Says which and why."""


def planned(files: Iterable[File], folder: str, *, force: bool) -> Plan:
    """Return what exporting `files` to `folder` means; nothing is written.

    A file that stands there with other content is a conflict, unless `force` is set. Of a shared
    file only the pack's own section counts, and `force` keeps the rest of it. Line endings do not
    count. A link that leads out of the folder is a conflict, whatever is asked for.
    """
    root = os.path.realpath(folder)
    write: list[Planned] = []
    unchanged: list[str] = []
    conflicts: list[Conflict] = []
    for file in files:
        outcome = _outcome(file, root, force=force)
        if isinstance(outcome, Planned):
            write.append(outcome)
        elif isinstance(outcome, Conflict):
            conflicts.append(outcome)
        else:
            unchanged.append(file.path)
    return Plan(tuple(write), tuple(unchanged), tuple(conflicts))


def _outcome(file: File, root: str, *, force: bool) -> Planned | Conflict | None:
    path = os.path.join(root, *file.path.split("/"))
    real = os.path.realpath(path)
    if not real.startswith(root.rstrip(os.sep) + os.sep):
        return Conflict(file.path, "a link leads out of the folder", forcible=False)
    try:
        before = read_file(real)
    except Unreadable as error:
        if error.reason == MISSING and (obstacle := _obstacle(os.path.dirname(real))) is None:
            return Planned(file.path, real, file.text.encode(), None)
        reason = str(error) if error.reason != MISSING else f"{obstacle} is not a folder"
        return Conflict(file.path, reason, forcible=False)
    return _replacement(file, real, before, force=force)


def _obstacle(folder: str) -> str | None:
    """Return what stands in the way of making a folder: a file where a folder is needed."""
    while not os.path.lexists(folder):
        folder = os.path.dirname(folder)
    return None if os.path.isdir(folder) else os.path.basename(folder)


def _replacement(file: File, real: str, before: bytes, *, force: bool) -> Planned | Conflict | None:
    wanted = file.text.encode()
    if file.shared:
        try:
            wanted = _with_ours(file, before)
        except UnicodeDecodeError:
            return Conflict(file.path, "is not UTF-8 text", forcible=False)
        except hooks.Unmergeable as error:
            return Conflict(file.path, str(error), forcible=False)
    if before.replace(b"\r\n", b"\n") == wanted.replace(b"\r\n", b"\n"):
        return None
    if force:
        return Planned(file.path, real, wanted, before)
    return Conflict(file.path, f"is there {_lacks(file)}", forcible=True)


def _with_ours(file: File, before: bytes) -> bytes:
    if file.path.endswith(".json"):
        return hooks.merged(before, file.text).encode()
    return merged(before.decode(), file.text).encode()


def _lacks(file: File) -> str:
    if not file.shared:
        return "with other content"
    return "without these hooks" if file.path.endswith(".json") else "without this section"


def carry_out(plan: Plan) -> None:
    """Write the files of a plan.

    Raises:
        NotWritten: one of them could not be written; those before it are as they were again.
    """
    done: list[Planned] = []
    made: list[str] = []
    for each in plan.write:
        made += _missing_folders(os.path.dirname(each.real))
        try:
            write_whole(each.real, each.data)
        except OSError as error:
            _undo(done, made)
            reason = (error.strerror or str(error)).lower()
            raise NotWritten(f"{each.path} cannot be written: {reason}") from None
        done.append(each)


def _missing_folders(folder: str) -> list[str]:
    missing: list[str] = []
    while not os.path.lexists(folder):
        missing.append(folder)
        folder = os.path.dirname(folder)
    return missing[::-1]


def _undo(done: list[Planned], made: list[str]) -> None:
    for each in reversed(done):
        with contextlib.suppress(OSError):
            if each.before is None:
                os.unlink(each.real)
            else:
                write_whole(each.real, each.before)
    for folder in reversed(made):
        with contextlib.suppress(OSError):
            os.rmdir(folder)
