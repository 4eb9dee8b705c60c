"""What fuzzing feeds bytes to: each target reads them as the grader does, and may refuse them.

A target returns what came of it, in a word. Whatever it raises is a defect: the documented
exceptions are caught here, and nothing else is.
"""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from functools import cache
from io import BytesIO
from typing import TYPE_CHECKING

from pipeline.files import Unreadable
from pipeline.protocol.validate import PROFILES, validate
from pipeline.schema import KINDS
from tests.stubs.hostile.cases import PLAN
from verify.archives import open_archive
from verify.files import Unresolved
from verify.history.history import of_bundle
from verify.intake.collection import ZipCollection
from verify.intake.manifest import Manifest
from verify.intake.platforms.gradescope import read_metadata
from verify.intake.roster import read_roster
from verify.intake.table import Unusable
from verify.submission import Rooted

if TYPE_CHECKING:
    from collections.abc import Callable

    from verify.submission import Submission

SOUND, REFUSED = "sound", "refused"
_MOST_PROBLEMS = 100_000
_LOOKED_AT = 20  # names of an archive that are asked for


def document(data: bytes) -> str:
    """Validate an artifact as the kind that it may be."""
    sound = False
    kind = KINDS[next((name for key, name in _TELLING if key in data), "classifications")]
    for profile in PROFILES:
        validation = validate(data, kind, profile)
        assert len(validation.problems) <= _MOST_PROBLEMS
        for problem in validation.problems[:20]:
            assert problem.line_for("x").isprintable()
        sound = sound or not validation.problems
    return SOUND if sound else REFUSED


_TELLING = ((b"steps", "plan"), (b"branch", "git-result"), (b"blockers", "worker-result"))


def _asked(door: Submission) -> str:
    """Ask a submission as checks do."""
    found = REFUSED
    names = [PLAN, "", "..", "a/../b", "sandbox", PLAN.upper()]
    with suppress(Unreadable):
        names += door.names("")[:_LOOKED_AT]
    for name in names:
        assert door.is_file(name) in (True, False)
        with suppress(Unreadable):
            assert len(door.read(name)) <= 1 << 20
            found = SOUND
        with suppress(Unreadable):
            assert all("/" not in each for each in door.names(name))
    return found


def _archive(name: str) -> Callable[[bytes], str]:
    def target(data: bytes) -> str:
        try:
            return _asked(Rooted(open_archive(name, BytesIO(data), "learner"), [PLAN]))
        except Unresolved as error:
            return _refused(error)

    return target


def cohort(data: bytes) -> str:
    """List the learners of one .zip of many."""
    path = os.path.join(_folder(), "all.zip")
    _write(path, data)
    try:
        return SOUND if list(ZipCollection(path).entries()) else REFUSED
    except Unusable as error:
        return _refused(error)


def _refused(error: Exception) -> str:
    """Refuse, in a line that may be shown."""
    assert str(error).isprintable()
    return REFUSED


def bundle(data: bytes) -> str:
    """Read a history from a bundle in memory, then what it has of commits and trees."""
    try:
        history = of_bundle(data)
    except Unreadable:
        return REFUSED
    found = REFUSED
    with suppress(Unreadable):
        for name in list(history.branches.refs.values())[:_LOOKED_AT]:
            history.find(name[:8])
            commit = history.commit(name)
            history.tree(commit.tree)
            found = SOUND
    return found


def roster(data: bytes) -> str:
    """Read a class list."""
    path = os.path.join(_folder(), "roster.csv")
    _write(path, data)
    try:
        read_roster(path)
    except Unusable as error:
        return _refused(error)
    return SOUND


def manifest(data: bytes) -> str:
    """Read a list of submissions."""
    path = os.path.join(_folder(), "manifest.csv")
    _write(path, data)
    try:
        list(Manifest(path).entries())
    except Unusable as error:
        return _refused(error)
    return SOUND


def metadata(data: bytes) -> str:
    """Read Gradescope's table of submissions."""
    try:
        return SOUND if read_metadata(data) else REFUSED
    except Unusable as error:
        return _refused(error)


@cache
def _held() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="fuzz-")  # gone when the process ends


def _folder() -> str:
    return _held().name


def _write(path: str, data: bytes) -> None:
    with open(path, "wb") as file:
        file.write(data)


TARGETS: dict[str, Callable[[bytes], str]] = {
    "document": document,
    "zip": _archive("work.zip"),
    "tar": _archive("work.tar"),
    "packed": _archive("work.tar.gz"),
    "cohort": cohort,
    "bundle": bundle,
    "metadata": metadata,
    "roster": roster,
    "manifest": manifest,
}
