"""One .zip of all submissions, as learning platforms write it: read where its members are."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from pipeline.display import visible
from verify.sources.archive_bytes import Damaged, FileBytes, ReadAhead
from verify.sources.archive_door import FOLDER, Member
from verify.sources.archive_layout import Layout, Place, Within
from verify.sources.archive_names import archive_suffix, clean_rest, own_path
from verify.sources.archive_opening import opened
from verify.sources.base import Near, UnusableSource, without_submission
from verify.sources.zip_directory import decoded, directory_of, listed, named
from verify.sources.zip_members import zip_reader
from verify.submission import NoSubmission

if TYPE_CHECKING:
    from collections.abc import Iterator

    from typing_extensions import Self

    from verify.sources.archive_layout import Payload
    from verify.sources.base import Entry
    from verify.submission import Submission

KIND = "zip"


class ArchiveReplaced(OSError):
    """The archive is not the one that was listed: the grader's fault, nobody's zero."""


class ZipSource:
    """The submissions in one .zip file.

    Raises:
        UnusableSource: it cannot be opened.
    """

    kind = KIND

    def __init__(self, path: str, naming: str = "") -> None:
        self.container = os.path.abspath(path)
        self._naming = naming
        self._layout: Layout | None = None
        try:
            self._data = FileBytes(self.container)
        except (OSError, Damaged) as error:
            raise unusable(path, error) from None

    def entries(self) -> Iterator[Entry]:
        """Yield one entry a submission, in the archive's order.

        Raises:
            UnusableSource: the archive is damaged, or holds no submission.
        """
        empty = True
        for entry in self._known_layout().entries():
            empty = False
            yield entry
        if empty:
            raise without_submission(self.container)

    def payload(self, inner: str) -> Payload:
        """Return where in the archive a submission stands."""
        return self._known_layout().payload(inner)._replace(stamp=self._data.stamp)

    def close(self) -> None:
        """Close the archive."""
        self._data.close()

    def _known_layout(self) -> Layout:
        if self._layout is None:
            name = os.path.basename(self.container)
            above = name[: len(name) - len(archive_suffix(name))]
            try:
                self._layout = Layout(self._places, above, self._naming)
            except (Damaged, OSError) as error:
                raise unusable(self.container, error) from None
        return self._layout

    def _places(self, outer: str) -> Iterator[Place]:
        """Yield members, of those side by side in one folder of a learner only the first."""
        start, end, _ = directory_of(self._data)
        place, prefix = Place("", is_folder=False, start=start, end=start), b""
        for at, name, flags in named(self._data, start, end):
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


class ZipBackend(Near):
    """A .zip as a worker opens it: each submission comes with its part of the directory.

    Raises:
        OSError: the archive is gone, or damaged.
    """

    def __init__(self, container: str) -> None:
        self._container = container

    def __enter__(self) -> Self:
        self._data = FileBytes(self._container)
        self._listing = ReadAhead(self._data)
        try:
            self._read = zip_reader(ReadAhead(self._data), directory_of(self._data).shift)
        except Damaged as error:
            self._data.close()
            raise OSError(f"{self._container} {error}") from None
        return self

    def __exit__(self, *_: object) -> None:
        self._data.close()

    def submission(self, payload: Payload) -> Submission:
        """Return the door to a submission; raises `NoSubmission`.

        Raises:
            ArchiveReplaced: what the payload tells of it stood in another archive.
        """
        if payload.stamp and payload.stamp != self._data.stamp:
            told = "was replaced or changed while it was graded: run the same command again"
            raise ArchiveReplaced(f"{self._container} {told}")
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


def unusable(path: str, error: Damaged | OSError) -> UnusableSource:
    """Return what is said of a source that cannot be read."""
    if isinstance(error, OSError):
        return UnusableSource(f"{visible(path, 300)} cannot be read: {error.strerror or error}")
    return UnusableSource(f"{visible(path, 300)} {error}")
