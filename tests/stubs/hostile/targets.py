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
from verify.intake.manifest import Manifest
from verify.intake.platforms.gradescope import read_metadata
from verify.intake.roster import read_roster
from verify.intake.table import Unusable
from verify.intake.zip_collection import ZipCollection
from verify.submissions.archives import open_archive
from verify.submissions.files import Unresolved
from verify.submissions.history.history import of_bundle
from verify.submissions.submission import OpenSubmission

if TYPE_CHECKING:
    from collections.abc import Callable

    from verify.submissions.submission import Submission

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


_TELLING = (
    *((b'"blockers":', "worker-result"), (b"steps", "plan"), (b"branch", "git-result")),
    *((b'"findings"', "review-result"), (b'"command"', "test-result")),
)


def _target(read: Callable[[bytes], object], refusal: type[Exception]) -> Callable[[bytes], str]:
    """Return a target that refuses by an exception, in a line to be shown, or finds nothing."""

    def target(data: bytes) -> str:
        try:
            return SOUND if read(data) else REFUSED
        except refusal as error:
            assert str(error).isprintable()  # noqa: PT017  # the message is what is tried
            return REFUSED

    return target


def _archive(name: str) -> Callable[[bytes], str]:
    return _target(
        lambda data: _asked(OpenSubmission(open_archive(name, BytesIO(data), "learner"), [PLAN])),
        Unresolved,
    )


def _asked(door: Submission) -> bool:
    """Ask a submission as checks do; return whether it has a file."""
    found = False
    names = [PLAN, "", "..", "a/../b", "sandbox", PLAN.upper()]
    with suppress(Unreadable):
        names += door.names("")[:_LOOKED_AT]
    for name in names:
        assert door.is_file(name) in (True, False)
        with suppress(Unreadable):
            assert len(door.read(name)) <= 1 << 20
            found = True
        with suppress(Unreadable):
            assert all("/" not in each for each in door.names(name))
    return found


def _bundle(data: bytes) -> bool:
    """Read a history from a bundle in memory, then what it has of commits and trees."""
    history = of_bundle(data)
    found = False
    with suppress(Unreadable):
        for name in list(history.branches.refs.values())[:_LOOKED_AT]:
            history.find(name[:8])
            commit = history.commit(name)
            history.tree(commit.tree)
            found = True
    return found


def _file(name: str, read: Callable[[str], object]) -> Callable[[bytes], str]:
    """Return a target that reads a file of this name."""

    def written(data: bytes) -> object:
        path = os.path.join(_folder().name, name)
        with open(path, "wb") as file:
            file.write(data)
        return read(path)

    return _target(written, Unusable)


@cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="fuzz-")  # gone when the process ends


TARGETS: dict[str, Callable[[bytes], str]] = {
    "document": document,
    "zip": _archive("work.zip"),
    "tar": _archive("work.tar"),
    "packed": _archive("work.tar.gz"),
    "cohort": _file("all.zip", lambda path: list(ZipCollection(path).entries())),
    "bundle": _target(_bundle, Unreadable),
    "metadata": _target(read_metadata, Unusable),
    "roster": _file("roster.csv", read_roster),
    "manifest": _file("manifest.csv", lambda path: list(Manifest(path).entries())),
}
