"""What runs: the sources of a submission's service, laid over those that the course comes with."""

from __future__ import annotations

import os
import stat
import tarfile
from functools import cache
from io import BytesIO
from typing import TYPE_CHECKING, NamedTuple

from pipeline.bootstrap import ROOT
from pipeline.files import (
    MAX_BYTES,
    MAX_HISTORY,
    MISSING,
    NOT_REGULAR,
    TOO_LARGE,
    Unreadable,
    read_file,
    size_of,
    too_large,
)
from pipeline.terminal.display import named
from verify.submissions.files import Unresolved, is_debris
from verify.submissions.submission import open_folder

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from verify.submissions.files import Readable
    from verify.submissions.history.history import History
    from verify.submissions.submission import Submission

ARCHIVE = os.path.join(ROOT, "fixtures", "sandbox.bundle")
INSTALLED = "node_modules"  # the course's own are used
_ISSUES = "issues"  # what is asked is no part of the service
MAX_FILES = 500
MAX_FOLDERS = 5_000  # a few trees of git can be as many folders as there are paths through them
MAX_TOTAL = 8 << 20  # bytes of all sources
_NAME, _PATH = 255, 3_000  # bytes of a name and of a path: an archive may have what no disk takes
_NO_NAMES = frozenset({"", ".", ".."})
_STEP = "Submit the sources of the service, without data, builds and installed packages."


class Sources(NamedTuple):
    """What is taken of a submission's service."""

    files: dict[str, bytes]  #: by path in the folder of the service
    left_out: dict[str, str]  #: why, by path


def sources_in(submission: Readable, folder: str) -> Sources:
    """Return the sources in a folder of a submission, without links and hidden files.

    Raises `Unresolved`: they are more than a service of the course needs, and whoever submits
    them decides neither that they are run nor that they are not.
    """
    found, total = Sources({}, {}), 0
    for path in _below(submission, folder, found.left_out):
        steps = path.encode("utf-8", "surrogatepass").split(b"/")
        if max(map(len, steps)) > _NAME or sum(map(len, steps)) > _PATH:
            found.left_out[path] = "has a name that is too long for a disk"
            continue
        try:
            data = submission.read(path)
        except Unreadable as error:
            _refuse_large(error, path)
            found.left_out[path] = str(error)
            continue
        total += len(data)
        if len(found.files) == MAX_FILES or total > MAX_TOTAL:
            raise _too_large(folder, f"{MAX_FILES} files and {size_of(MAX_TOTAL)}")
        found.files[path.removeprefix(f"{folder}/")] = data
    return found


def _below(submission: Readable, folder: str, left_out: dict[str, str]) -> Iterator[str]:
    """Yield the paths in a folder that may be files."""
    folders, searched, issues = [folder], 0, f"{folder}/{_ISSUES}"
    while folders:
        at = folders.pop()
        searched += 1
        if searched > MAX_FOLDERS:
            raise _too_large(folder, f"{MAX_FOLDERS:,} folders")
        try:
            names = submission.names(at)
        except Unreadable as error:
            _refuse_large(error, at)
            if error.reason != MISSING:
                left_out[at] = str(error)
            continue
        for name in names:
            path = f"{at}/{name}"
            if name.startswith(".") or is_debris(name) or name == INSTALLED or path == issues:
                continue
            if submission.is_file(path):
                yield path
            else:
                folders.append(path)


def _too_large(folder: str, most: str) -> Unresolved:
    return Unresolved(f"{named(folder)} is too large to be run: more than {most}", _STEP)


def _refuse_large(error: Unreadable, path: str) -> None:
    if error.reason == TOO_LARGE:
        raise Unresolved(f"{named(path)} cannot be run: it {error}", _STEP) from None


def published(submission: Submission, commit: str, folder: str) -> Sources | None:
    """Return the sources that a commit of the submission's history has, None where it has none.

    What is published is on its own branch: the files beside the history may be another one's.
    """
    try:
        history = submission.history()
        found = history.find(commit.lower()) if history else {}
        if history is None or [*found.values()] != ["commit"]:
            return None
        sources = sources_in(_AtCommit(history, next(iter(found))), folder)
    except Unreadable:  # what it would show is in the files, too
        return None
    return sources if sources.files else None


class _AtCommit:
    """The files of a commit, as those of a submission."""

    def __init__(self, history: History, commit: str) -> None:
        self._history, self._commit = history, commit

    def read(self, path: str) -> bytes:
        data = self._history.blob(self._history.entry_at(self._commit, path)[1])
        if len(data) > MAX_BYTES:
            raise too_large(MAX_BYTES)
        return data

    def is_file(self, path: str) -> bool:
        return stat.S_ISREG(self._history.entry_at(self._commit, path)[0])

    def names(self, path: str) -> list[str]:
        mode, tree = self._history.entry_at(self._commit, path)
        if not stat.S_ISDIR(mode):
            raise Unreadable(MISSING if not mode else NOT_REGULAR, "is not a folder")
        names = [name.decode("utf-8", "surrogateescape") for name in self._history.tree(tree)]
        return sorted(name for name in names if name not in _NO_NAMES and "/" not in name)


@cache
def shipped(course: str, folder: str) -> Mapping[str, bytes]:
    """Return the sources of a service that a course comes with; `course` is one's own, or empty.

    Those of this project are as they were archived: people may work on the sandbox itself, and
    their work may not count as a learner's.
    """
    if not course:
        from verify.submissions.history.history import of_bundle

        history = of_bundle(read_file(ARCHIVE, MAX_HISTORY))
        (tip,) = history.branches.tips_of("main")
        return sources_in(_AtCommit(history, tip), folder).files
    if not os.path.isdir(os.path.join(course, folder)):
        return {}
    with open_folder(course) as started:
        return sources_in(started, folder).files


def laid_over(base: Mapping[str, bytes], files: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return files over those of the course: one may take the place of a folder, or the reverse."""
    folders = {folder for path in files for folder in _above(path)}
    kept = (path for path in base if path not in folders and files.keys().isdisjoint(_above(path)))
    return {**{path: base[path] for path in kept}, **files}


def _above(path: str) -> list[str]:
    """Return the folders that lead to a path, the outermost first."""
    return [path[:at] for at, character in enumerate(path) if character == "/"]


def packed(files: Mapping[str, bytes], folder: str) -> bytes:
    """Return files as a tar archive, in a folder."""
    made = BytesIO()
    with tarfile.open(fileobj=made, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for path, data in files.items():
            member = tarfile.TarInfo(f"{folder}/{path}")
            member.size = len(data)
            archive.addfile(member, BytesIO(data))
    return made.getvalue()
