"""One big .zip of all submissions, as learning platforms hand it out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from verify.sources.archive_bytes import Damaged, FileBytes, ReadAhead
from verify.sources.archive_door import FOLDER, Member
from verify.sources.archive_layout import Place, Within
from verify.sources.archive_names import clean_rest, own_path
from verify.sources.archive_opening import opened
from verify.sources.archive_source import ArchiveSource
from verify.sources.zip_directory import decoded, directory_of, listed, named
from verify.sources.zip_members import zip_reader
from verify.submission import NoSubmission

if TYPE_CHECKING:
    from collections.abc import Iterator

    from typing_extensions import Self

    from verify.sources.archive_bytes import Bytes
    from verify.sources.archive_layout import Payload
    from verify.submission import Submission

KIND = "zip"


def zip_source(path: str, naming: str = "") -> ArchiveSource:
    """Return the submissions in a .zip; raises `UnusableSource`."""
    return ArchiveSource(KIND, path, naming, _places)


def _places(data: Bytes, outer: str) -> Iterator[Place]:
    """Yield members, of those side by side in one folder of a learner only the first."""
    start, end, _ = directory_of(data)
    place, prefix = Place("", is_folder=False, start=start, end=start), b""
    for at, name, flags in named(data, start, end):
        if prefix and name.startswith(prefix):
            continue
        yield place._replace(end=at)
        path = own_path(decoded(name, flags))
        top, deeper, _ = path[len(outer) :].partition("/")
        prefix = f"{outer}{top}/".encode() if top and path.startswith(outer) else b""
        is_folder = name.endswith(b"/")
        if not (deeper or is_folder) or not name.startswith(prefix):
            prefix = b""
        place = Place(path, is_folder, at, end)
    yield place


class ZipBackend:
    """A .zip as a worker opens it: each submission comes with its part of the directory.

    Raises:
        OSError: the archive is gone.
    """

    def __init__(self, container: str) -> None:
        self._container = container

    def __enter__(self) -> Self:
        self._data = FileBytes(self._container)
        self._listing = ReadAhead(self._data)
        try:
            self._read = zip_reader(ReadAhead(self._data), directory_of(self._data).shift)
        except Damaged as error:
            raise OSError(f"{self._container} {error}") from None
        return self

    def __exit__(self, *_: object) -> None:
        self._data.close()

    def submission(self, payload: Payload) -> Submission:
        """Return the door to a submission; raises `NoSubmission`."""
        try:
            return opened(payload.inner, self._members(payload), self._read)
        except Damaged as error:
            raise NoSubmission(str(error)) from None

    def _members(self, payload: Payload) -> Iterator[Member]:
        own, within = f"{payload.inner}/".encode(), None
        for start, end in payload.stretches:
            for packed in listed(self._listing, start, end):
                name, nature = packed[:2]
                if name.startswith(own):  # of what stands in its folder nothing else need be asked
                    path = clean_rest(name[len(own) :])
                else:
                    within = within or Within(payload)
                    text = own_path(packed.path)
                    path = within.path(text, is_folder=nature == FOLDER)
                    own = within.folder(text) or own
                if path:
                    yield Member(path, nature, packed)
