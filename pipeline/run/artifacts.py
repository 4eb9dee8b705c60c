"""An artifact of an issue as it is on disk: there or not, valid or not, and what it says."""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from pipeline.files import (
    MAX_BYTES,
    MISSING,
    NOT_REGULAR,
    Unreadable,
    is_link,
    read_file,
    unreadable,
    write_json,
)
from pipeline.protocol.validate import validate
from pipeline.schema import KINDS
from pipeline.terminal.display import inert, visible
from pipeline.terminal.fault import Fault

if TYPE_CHECKING:
    from pipeline.run.assignment import Assignment

SHOWN = 12  # problems in a prompt or a message


class StageArtifact(NamedTuple):
    """An artifact by its name: whether it is there and valid."""

    name: str
    condition: Literal["absent", "valid", "invalid"]
    value: Any = None  #: the parsed document, None where there is none
    #: the first, safe to print: `PATH:LINE:COLUMN: $.path: sentence`
    problems: tuple[str, ...] = ()
    more: int = 0  #: how many follow

    @property
    def exists(self) -> bool:
        """Whether there is something in its place."""
        return self.condition != "absent"

    @property
    def is_valid(self) -> bool:
        """Whether it is there and has no problem."""
        return self.condition == "valid"

    @property
    def lines(self) -> tuple[str, ...]:
        """The problems, and how many more there are."""
        return self.problems + ((f"and {self.more} more problems",) if self.more else ())

    @property
    def producer(self) -> str:
        """The agent in `produced_by`, even if the artifact is not valid; empty if there is none."""
        claimed = self.value.get("produced_by") if isinstance(self.value, dict) else None
        return claimed if isinstance(claimed, str) else ""

    def says(self, field: str) -> Any:
        """Return a field of a valid artifact, None where it has none or is not valid."""
        return self.value.get(field) if self.is_valid else None


def read_artifact(folder: str, name: str, shown: str = "", most: int = SHOWN) -> StageArtifact:
    """Read and validate `<folder>/<name>` by the `exercise` profile, following no link.

    Messages name the folder `shown`, if one is given; `most` problems are kept.
    """
    path = f"{shown or folder}/{name}"
    try:
        data = read_file(f"{folder}/{name}", follow=False)
    except Unreadable as error:
        if error.reason == MISSING:
            return StageArtifact(name, "absent")
        return StageArtifact(name, "invalid", problems=(inert(f"{visible(path, 300)}: {error}"),))
    kind = next(kind for kind in KINDS.values() if name.endswith(kind.ending))
    result = validate(data, kind, "exercise")
    lines = tuple(inert(problem.line_for(path)) for problem in result.problems[:most])
    more = len(result.problems) - len(lines)
    return StageArtifact(name, "invalid" if lines else "valid", result.value, lines, more)


def find(assignment: Assignment, name: str) -> StageArtifact:
    """Return an artifact of the issue."""
    return read_artifact(assignment.folder_on_disk, name, assignment.folder)


def write_own(assignment: Assignment, name: str, value: Any) -> None:
    """Write an artifact that is the runner's to write; an invalid one in its place is kept."""
    path = assignment.on_disk(name)
    if not find(assignment, name).is_valid:
        keep_copy(path)
    write_json(path, value)
    found = find(assignment, name)
    if not found.is_valid:
        raise Fault(f"{assignment.path(name)} is not valid", *found.lines)


def is_real_folder(path: str) -> bool:
    """Return whether there is a folder at a path, and no link in its place.

    This guards against a repository that was shipped with links, not against a link that is made
    after this check. If there is something other than a folder, `Unreadable` names it.
    """
    shown = visible(path, 300)
    try:
        status = os.lstat(path)
    except (OSError, ValueError) as error:
        reason = unreadable(error)
        if reason.reason == MISSING:
            return False
        raise Unreadable(reason.reason, f"{shown} {reason}") from None
    if is_link(status):
        raise Unreadable(NOT_REGULAR, f"{shown} is a link, which is not followed")
    if not stat.S_ISDIR(status.st_mode):
        raise Unreadable(NOT_REGULAR, f"{shown} is not a folder")
    return True


def is_real_path(folder: str) -> bool:
    """Return whether an issue's folder and its parent are real folders, as `is_real_folder`."""
    return is_real_folder(os.path.dirname(folder)) and is_real_folder(folder)


def keep_copy(path: str) -> None:
    """Keep a copy of what is about to be written again, since a person may have written it."""
    if os.path.isfile(path) and not os.path.islink(path):
        copy = f"{path}.invalid"
        with contextlib.suppress(FileNotFoundError):
            os.unlink(copy)  # through a link, the copy would overwrite a different file
        if os.path.getsize(path) > MAX_BYTES:  # no person wrote it, and a copy could fill the disk
            os.replace(path, copy)
        else:
            shutil.copyfile(path, copy)
