"""One artifact of an issue: whether it is there, whether it is valid, what it says."""

from __future__ import annotations

import os
import stat
from typing import Any, Literal, NamedTuple

from pipeline.files import (
    MISSING,
    NO_FOLLOW_FLAGS,
    NOT_REGULAR,
    Unreadable,
    read_descriptor,
    unreadable,
)
from pipeline.protocol.validate import EXERCISE, Kind, validate
from pipeline.schema import kind_of
from pipeline.terminal.display import inert, visible

Condition = Literal["absent", "valid", "invalid"]
ABSENT: Condition = "absent"
VALID: Condition = "valid"
INVALID: Condition = "invalid"

SHOWN = 5  # problems of an artifact; `schema.py --validate` shows more
_OPENS_LINKS = not hasattr(os, "O_NOFOLLOW")  # Windows: a link has to be looked for


class Artifact(NamedTuple):
    """What stands in the place of an artifact.

    `value` is the parsed document, None where there is none. `problems` are the first lines of what
    is wrong, safe to print, in the form `PATH:LINE:COLUMN: $.path: sentence`; `more` counts the
    rest.
    """

    name: str
    condition: Condition
    value: Any = None
    problems: tuple[str, ...] = ()
    more: int = 0

    def says(self, field: str) -> Any:
        """Return a field of a valid artifact, None where it has none or is not valid."""
        return self.value.get(field) if self.condition == VALID else None

    @property
    def producer(self) -> str:
        """The agent that the artifact names as its own, valid or not; empty where it names none."""
        claimed = self.value.get("produced_by") if isinstance(self.value, dict) else None
        return claimed if isinstance(claimed, str) else ""


def read_artifact(folder: str, name: str) -> Artifact:
    """Read and validate `<folder>/<name>` by the `exercise` profile, following no link."""
    path = f"{folder}/{name}"
    try:
        data = _read(path)
    except Unreadable as error:
        if error.reason == MISSING:
            return Artifact(name, ABSENT)
        return Artifact(name, INVALID, problems=(inert(f"{visible(path, 300)}: {error}"),))
    result = validate(data, _kind(name), EXERCISE)
    if not result.problems:
        return Artifact(name, VALID, result.value)
    lines = tuple(inert(problem.line_for(path)) for problem in result.problems[:SHOWN])
    return Artifact(name, INVALID, result.value, lines, len(result.problems) - len(lines))


def is_real_folder(path: str) -> bool:
    """Tell whether a folder stands at a path, not reached by a link in its last part.

    A link that is swapped in after the look is not noticed: the files of the user's own project
    are read for the user, and what is guarded against is a repository that was shipped with links.

    Raises:
        Unreadable: something else stands there, or it may not be looked at.
    """
    try:
        status = os.lstat(path)
    except (OSError, ValueError) as error:
        reason = unreadable(error)
        if reason.reason == MISSING:
            return False
        raise reason from None
    if _is_link(status):
        raise Unreadable(NOT_REGULAR, "is a link, which is not followed")
    if not stat.S_ISDIR(status.st_mode):
        raise Unreadable(NOT_REGULAR, "is not a folder")
    return True


def _read(path: str) -> bytes:
    try:
        if _OPENS_LINKS and _is_link(os.lstat(path)):
            raise Unreadable(NOT_REGULAR, "is a link, not a regular file")
        descriptor = os.open(path, NO_FOLLOW_FLAGS)
    except (OSError, ValueError) as error:
        raise unreadable(error) from None
    return read_descriptor(descriptor)


def _is_link(status: os.stat_result) -> bool:
    # Junctions of Windows are links by another name.
    return stat.S_ISLNK(status.st_mode) or bool(getattr(status, "st_reparse_tag", 0))


def _kind(name: str) -> Kind:
    kind = kind_of(name)
    if kind is None:
        raise ValueError(f"not an artifact's name: {name!r}")
    return kind
