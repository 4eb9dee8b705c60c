"""One big .zip in a bucket: its directory and its members are read by ranges, never all of it."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Any

from verify.sources.archive_bytes import Damaged
from verify.sources.archive_door import FOLDER, Member
from verify.sources.archive_layout import Place, Within
from verify.sources.archive_names import own_path
from verify.sources.archive_opening import opened as within_archive
from verify.sources.remote_address import guarded, opened
from verify.sources.zip_directory import decoded, directory_of, listed, named
from verify.sources.zip_members import zip_reader
from verify.submission import NoSubmission

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verify.sources.archive_layout import Payload
    from verify.sources.remote_address import Address
    from verify.submission import Submission

_BLOCK = 1 << 20  # bytes of one request: neighbouring learners stand in it together
_HELD = 8  # blocks


class RemoteBytes:
    """The bytes of an object, read in blocks; the last ones are held.

    Raises:
        OSError: it is not there, cannot be read, or the server does not tell its size.
    """

    def __init__(self, address: Address) -> None:
        self._address = address
        self._system, path = opened(address)
        self._path = path + (f"?{address.query}" if address.query else "")
        size = self._told(lambda: self._system.info(self._path)["size"])
        if size is None:
            raise OSError(
                f"{address.plain} does not tell its size: download it, and grade the file"
            )
        self.size = int(size)
        self._blocks: OrderedDict[int, bytes] = OrderedDict()

    def read(self, offset: int, count: int) -> bytes:
        """Return `count` bytes from a place, fewer at the end."""
        end = min(offset + count, self.size)
        if offset < 0 or offset >= end:
            return b""
        first, last = offset // _BLOCK, (end - 1) // _BLOCK
        data = b"".join(self._block(index) for index in range(first, last + 1))
        return data[offset - first * _BLOCK : end - first * _BLOCK]

    def close(self) -> None:
        """Let go of the blocks."""
        self._blocks.clear()

    def _block(self, index: int) -> bytes:
        held = self._blocks.get(index)
        if held is None:
            start, end = index * _BLOCK, min((index + 1) * _BLOCK, self.size)
            held = self._told(lambda: self._system.cat_file(self._path, start=start, end=end))
            if len(held) != end - start:
                raise OSError(f"{self._address.plain} was answered with another number of bytes")
            self._blocks[index] = held
            while len(self._blocks) > _HELD:
                self._blocks.popitem(last=False)
        return held

    def _told(self, call: Any) -> Any:
        return guarded(self._address.plain, self._address, call)


class RemoteZip:
    """A .zip in a bucket as a worker opens it: each submission comes with its part of the list.

    Raises:
        OSError: it is gone, or cannot be read.
    """

    def __init__(self, address: Address) -> None:
        self._data = RemoteBytes(address)
        try:
            self._read = zip_reader(self._data, directory_of(self._data).shift)
        except Damaged as error:
            raise OSError(f"{address.plain} {error}") from None

    def close(self) -> None:
        """Let go of what was read."""
        self._data.close()

    def submission(self, payload: Payload) -> Submission:
        """Return the door to a submission; raises `NoSubmission`."""
        try:
            return within_archive(payload.inner, self._members(payload), self._read)
        except Damaged as error:
            raise NoSubmission(str(error)) from None

    def _members(self, payload: Payload) -> Iterator[Member]:
        within = Within(payload)
        for start, end in payload.stretches:
            for packed in listed(self._data, start, end):
                is_folder = packed.nature == FOLDER
                path = within.path(own_path(packed.path), is_folder=is_folder)
                if path:
                    yield Member(path, packed.nature, packed)


def places(data: RemoteBytes, _: str) -> Iterator[Place]:
    """Yield the members of an archive, and where its directory tells of each."""
    start, end, _shift = directory_of(data)
    before = Place("", is_folder=False, start=start, end=start)
    for at, name, flags in named(data, start, end):
        yield before._replace(end=at)
        before = Place(own_path(decoded(name, flags)), name.endswith(b"/"), at, end)
    yield before
