"""One big plain .tar of all submissions: members are found by their places."""

from __future__ import annotations

from typing import TYPE_CHECKING

from verify.sources.archive_bytes import Damaged, FileBytes, ReadAhead
from verify.sources.archive_door import FOLDER, Member
from verify.sources.archive_layout import Place, Within
from verify.sources.archive_names import own_path
from verify.sources.archive_opening import opened
from verify.sources.archive_source import ArchiveSource
from verify.sources.tar_headers import headers
from verify.sources.tar_members import PlacedTape, tar_reader
from verify.submission import NoSubmission

if TYPE_CHECKING:
    from collections.abc import Iterator

    from typing_extensions import Self

    from verify.sources.archive_bytes import Bytes
    from verify.sources.archive_layout import Payload
    from verify.submission import Submission

KIND = "tar"


def tar_source(path: str, naming: str = "") -> ArchiveSource:
    """Return the submissions in a plain .tar; raises `UnusableSource`."""
    return ArchiveSource(KIND, path, naming, _places)


def _places(data: Bytes, _: str) -> Iterator[Place]:
    for header in headers(PlacedTape(ReadAhead(data))):
        is_folder = header.nature == FOLDER
        yield Place(own_path(header.name), is_folder, header.start, header.end)


class TarBackend:
    """A plain .tar as a worker opens it.

    Raises:
        OSError: the archive is gone.
    """

    def __init__(self, container: str) -> None:
        self._container = container

    def __enter__(self) -> Self:
        self._data = FileBytes(self._container)
        self._ahead = ReadAhead(self._data)
        self._read = tar_reader(self._ahead)
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
        within = Within(payload)
        for start, end in payload.stretches:
            for header in headers(PlacedTape(self._ahead, start), end):
                is_folder = header.nature == FOLDER
                path = within.path(own_path(header.name), is_folder=is_folder)
                if path:
                    yield Member(path, header.nature, header)
