"""What runs: the sources of a submission's service, laid over those that the course comes with."""

from __future__ import annotations

import os
import tarfile
from functools import cache
from io import BytesIO
from typing import TYPE_CHECKING, NamedTuple

from pipeline.files import MISSING, TOO_LARGE, Unreadable, size_of
from pipeline.terminal.display import named
from verify.files import Unresolved, is_debris
from verify.submission import open_folder

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from verify.submission import Submission

INSTALLED = "node_modules"  # the course's own are used
MAX_FILES = 500
MAX_TOTAL = 8 << 20  # bytes of all sources
_STEP = "Submit the sources of the service, without data, builds and installed packages."


class Sources(NamedTuple):
    """Files by their paths in the folder of the service, and why each other one is left out."""

    files: dict[str, bytes]
    left_out: dict[str, str]


def sources_in(submission: Submission, folder: str) -> Sources:
    """Return the sources in a folder of a submission, without links and hidden files.

    Raises `Unresolved`: they are more than a service of the course needs, and whoever submits
    them decides neither that they are run nor that they are not.
    """
    found, total = Sources({}, {}), 0
    for path in _below(submission, folder, found.left_out):
        try:
            data = submission.read(path)
        except Unreadable as error:
            _refuse_large(error, path)
            found.left_out[path] = str(error)
            continue
        total += len(data)
        if len(found.files) == MAX_FILES or total > MAX_TOTAL:
            most = f"{MAX_FILES} files and {size_of(MAX_TOTAL)}"
            raise Unresolved(f"{named(folder)} is too large to be run: more than {most}", _STEP)
        found.files[path.removeprefix(f"{folder}/")] = data
    return found


def _below(submission: Submission, folder: str, left_out: dict[str, str]) -> Iterator[str]:
    """Yield the paths in a folder that may be files."""
    folders = [folder]
    while folders:
        at = folders.pop()
        try:
            names = submission.names(at)
        except Unreadable as error:
            _refuse_large(error, at)
            if error.reason != MISSING:
                left_out[at] = str(error)
            continue
        for name in names:
            if name.startswith(".") or name == INSTALLED or is_debris(name):
                continue
            path = f"{at}/{name}"
            if submission.is_file(path):
                yield path
            else:
                folders.append(path)


def _refuse_large(error: Unreadable, path: str) -> None:
    if error.reason == TOO_LARGE:
        raise Unresolved(f"{named(path)} cannot be run: it {error}", _STEP) from None


@cache
def shipped(root: str, folder: str) -> Mapping[str, bytes]:
    """Return the sources of a service that the course in a folder comes with."""
    if not os.path.isdir(os.path.join(root, folder)):
        return {}
    with open_folder(root) as course:
        return sources_in(course, folder).files


def packed(files: Mapping[str, bytes], folder: str) -> bytes:
    """Return files as a tar archive, in a folder."""
    made = BytesIO()
    with tarfile.open(fileobj=made, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for path, data in files.items():
            member = tarfile.TarInfo(f"{folder}/{path}")
            member.size = len(data)
            archive.addfile(member, BytesIO(data))
    return made.getvalue()
