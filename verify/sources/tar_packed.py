"""One big packed tar (.tar.gz, .tar.xz, .tar.zst) of all submissions, read from front to back.

It has no places to go to, so each worker is sent the files themselves: the small ones.
"""

from __future__ import annotations

import os
from heapq import heappop, heappush
from typing import TYPE_CHECKING, NamedTuple

from pipeline.display import visible
from pipeline.limits import MAX_ARCHIVE_MEMBERS, MAX_ARCHIVE_SENT, MAX_BYTES, size_of
from pipeline.reading import DENIED, Unreadable, too_large
from verify.sources.archive_bytes import Damaged
from verify.sources.archive_door import FILE, FOLDER, Member
from verify.sources.archive_layout import Layout, Place, Within
from verify.sources.archive_names import archive_suffix, own_path
from verify.sources.archive_opening import opened
from verify.sources.archive_packed import Unpacked
from verify.sources.archive_source import empty_archive, stem, unusable
from verify.sources.base import Near, UnusableSource
from verify.sources.tar_headers import headers

if TYPE_CHECKING:
    from collections.abc import Iterator

    from typing_extensions import Self

    from verify.sources.base import Entry
    from verify.sources.tar_headers import Header
    from verify.submission import Submission

KIND = "packed-tar"


class Sent(NamedTuple):
    """A file as a worker is sent it: its bytes, or None where it is too large to be sent."""

    path: str
    nature: str
    size: int
    content: bytes | None


class SentFiles(NamedTuple):
    """What a worker is sent of one submission."""

    inner: str
    files: tuple[Sent, ...]

    @property
    def weight(self) -> int:
        """Return how many bytes of files it carries."""
        return sum([len(file.content) for file in self.files if file.content is not None])


class PackedTarSource:
    """The submissions in a packed tar: one pass to list them, another one to send them.

    Raises:
        UnusableSource: it cannot be opened, or is not packed in a way that can be read.
    """

    kind = KIND

    def __init__(self, path: str, naming: str = "") -> None:
        self.container = os.path.abspath(path)
        self._naming = naming
        self._layout: Layout | None = None
        try:
            self._file = open(self.container, "rb")  # noqa: SIM115  # closed by `close`
        except OSError as error:
            raise unusable(path, error) from None
        try:
            self._tape = Unpacked(self._file)
        except (OSError, Damaged) as error:
            self._file.close()
            raise unusable(path, error) from None

    def entries(self) -> Iterator[Entry]:
        """Yield one entry a submission, in the archive's order.

        Raises:
            UnusableSource: the archive is damaged, holds no submission, or its files are mixed.
        """
        empty = True
        for entry in self._known_layout().entries():
            empty = False
            yield entry
        if empty:
            raise empty_archive(self.container)

    def payload(self, inner: str) -> SentFiles:
        """Return the files of a submission; whoever asks in the order of `entries` waits least.

        Raises:
            UnusableSource: the archive cannot be read any more.
        """
        payload = self._known_layout().payload(inner)
        within, ((start, end),) = Within(payload), payload.stretches
        sent = _Sending()
        try:
            if self._tape.position > start:
                self._rewind()
            for header in headers(self._skipped_to(start), end):
                is_folder = header.nature == FOLDER
                path = within.path(own_path(header.name), is_folder=is_folder)
                if path:
                    sent.add(path, header, self._tape)
        except (OSError, Damaged) as error:
            raise unusable(self.container, error) from None
        return SentFiles(inner, sent.files())

    def close(self) -> None:
        """Close the archive."""
        self._file.close()

    def _known_layout(self) -> Layout:
        if self._layout is None:
            try:
                self._layout = Layout(self._places, stem(self.container), self._naming)
            except (OSError, Damaged) as error:
                raise unusable(self.container, error) from None
            for first in self._layout.scattered[:1]:
                told = (
                    f"{visible(self.container, 300)} has the files of {visible(first)} in several"
                )
                raise UnusableSource(f"{told} places: only a .zip or a plain .tar may be so mixed")
        return self._layout

    def _places(self, _: str) -> Iterator[Place]:
        self._rewind()
        for header in headers(self._tape):
            is_folder = header.nature == FOLDER
            yield Place(own_path(header.name), is_folder, header.start, header.end)

    def _rewind(self) -> None:
        self._file.seek(0)
        self._tape = Unpacked(self._file)

    def _skipped_to(self, start: int) -> Unpacked:
        self._tape.skip_to(start)
        return self._tape


class _Sending:
    """The files of one submission, the largest given up where all are too much."""

    def __init__(self) -> None:
        self._files: list[Sent] = []
        self._held: list[tuple[int, int]] = []  # minus the size, and the place in the list
        self._total = 0

    def add(self, path: str, header: Header, tape: Unpacked) -> None:
        if len(self._files) > MAX_ARCHIVE_MEMBERS:  # the worker refuses it as a whole
            return
        limit = MAX_ARCHIVE_SENT if archive_suffix(path) else MAX_BYTES
        content = None
        if header.nature == FILE and header.size <= limit:
            content = tape.take(header.size)
            heappush(self._held, (-header.size, len(self._files)))
            self._total += header.size
        self._files.append(Sent(path, header.nature, header.size, content))
        while self._total > MAX_ARCHIVE_SENT:
            size, place = heappop(self._held)
            self._total += size
            self._files[place] = self._files[place]._replace(content=None)

    def files(self) -> tuple[Sent, ...]:
        return tuple(self._files)


class SentBackend(Near):
    """The files that a worker was sent: there is no container to open."""

    def __init__(self, _: str) -> None:
        """Hold nothing."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Hold nothing."""

    def submission(self, payload: SentFiles) -> Submission:
        """Return the door to a submission; raises `NoSubmission`."""
        members = (Member(each.path, each.nature, each) for each in payload.files)
        return opened(payload.inner, members, _read)


def _read(sent: Sent, limit: int) -> bytes:
    if sent.size > limit:
        raise too_large(limit)
    if sent.content is None:
        most = size_of(MAX_ARCHIVE_SENT)
        told = f"is among more than {most} of files, the most that is taken"
        raise Unreadable(DENIED, f"cannot be read: it {told} of a submission in a packed tar")
    return sent.content
