"""A plain tar archive, read from any place: its members, and their bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipeline.limits import MAX_ARCHIVE_MEMBERS
from pipeline.reading import DENIED, Unreadable, too_large
from verify.sources.archive_bytes import Damaged
from verify.sources.archive_door import Member
from verify.sources.archive_limits import MAX_RECORDS_IN_ALL
from verify.sources.archive_names import member_path
from verify.sources.tar_headers import headers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from verify.sources.archive_bytes import Bytes
    from verify.sources.tar_headers import Header


class PlacedTape:
    """Bytes that can be read from any place, as a tape."""

    def __init__(self, data: Bytes, position: int = 0) -> None:
        self.position = position
        self._data = data

    def take(self, count: int) -> bytes:
        """Return the next bytes, fewer at the end."""
        taken = self._data.read(self.position, count)
        self.position += len(taken)
        return taken

    def skip_to(self, position: int) -> None:
        """Move forward; raises `Damaged` where the bytes end before."""
        if position > self._data.size:
            raise Damaged("is cut short: a .tar archive ends in the middle of a file")
        self.position = position


def tar_members(data: Bytes) -> Iterator[Member]:
    """Yield all members of an archive; raises `Damaged`.

    Those that no path leads to count too: macOS adds one for each file.
    """
    for number, header in enumerate(headers(PlacedTape(data), records=MAX_RECORDS_IN_ALL)):
        if number >= 2 * MAX_ARCHIVE_MEMBERS:
            raise Damaged(
                f"holds more than {2 * MAX_ARCHIVE_MEMBERS:,} files, the most that is read"
            )
        yield Member(member_path(header.name), header.nature, header)


def tar_reader(data: Bytes) -> Callable[[Header, int], bytes]:
    """Return what reads a member: of at most so many bytes, or it raises `Unreadable`."""

    def read(header: Header, limit: int) -> bytes:
        if header.size > limit:
            raise too_large(limit)
        content = data.read(header.data, header.size)
        if len(content) < header.size:
            raise Unreadable(DENIED, "cannot be read: it is cut short in the archive")
        return content

    return read
