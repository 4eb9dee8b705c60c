"""One big .zip of all submissions, as learning platforms hand it out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from verify.sources.archive_backend import ArchiveBackend
from verify.sources.archive_bytes import ReadAhead
from verify.sources.archive_door import FOLDER, Member
from verify.sources.archive_layout import Place, Within
from verify.sources.archive_names import clean_rest, own_path
from verify.sources.archive_source import ArchiveSource
from verify.sources.zip_directory import decoded, directory_of, listed, named
from verify.sources.zip_members import zip_reader

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verify.sources.archive_bytes import Bytes
    from verify.sources.archive_layout import Payload

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


class ZipBackend(ArchiveBackend):
    """A .zip as a worker opens it: each submission comes with its part of the directory."""

    def __init__(self, container: str) -> None:
        super().__init__(container, ZipContents)


class ZipContents:
    """The members of a .zip."""

    def __init__(self, data: Bytes) -> None:
        self._listing = ReadAhead(data)
        self.read = zip_reader(ReadAhead(data), directory_of(data).shift)

    def members(self, payload: Payload) -> Iterator[Member]:
        """Yield the members of a submission; raises `Damaged`."""
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
