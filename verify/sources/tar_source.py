"""One big plain .tar of all submissions: members are found by their places."""

from __future__ import annotations

from typing import TYPE_CHECKING

from verify.sources.archive_backend import ArchiveBackend
from verify.sources.archive_bytes import ReadAhead
from verify.sources.archive_door import FOLDER, Member
from verify.sources.archive_layout import Place, Within
from verify.sources.archive_names import own_path
from verify.sources.archive_source import ArchiveSource
from verify.sources.tar_headers import headers
from verify.sources.tar_members import PlacedTape, tar_reader

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verify.sources.archive_bytes import Bytes
    from verify.sources.archive_layout import Payload

KIND = "tar"


def tar_source(path: str, naming: str = "") -> ArchiveSource:
    """Return the submissions in a plain .tar; raises `UnusableSource`."""
    return ArchiveSource(KIND, path, naming, _places)


def _places(data: Bytes, _: str) -> Iterator[Place]:
    for header in headers(PlacedTape(ReadAhead(data))):
        is_folder = header.nature == FOLDER
        yield Place(own_path(header.name), is_folder, header.start, header.end)


class TarBackend(ArchiveBackend):
    """A plain .tar as a worker opens it."""

    def __init__(self, container: str) -> None:
        super().__init__(container, TarContents)


class TarContents:
    """The members of a plain .tar."""

    def __init__(self, data: Bytes) -> None:
        self._ahead = ReadAhead(data)
        self.read = tar_reader(self._ahead)

    def members(self, payload: Payload) -> Iterator[Member]:
        """Yield the members of a submission; raises `Damaged`."""
        within = Within(payload)
        for start, end in payload.stretches:
            for header in headers(PlacedTape(self._ahead, start), end):
                is_folder = header.nature == FOLDER
                path = within.path(own_path(header.name), is_folder=is_folder)
                if path:
                    yield Member(path, header.nature, header)
