"""A learner's own tar archive: its members, and their bytes."""

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


def tar_members(data: Bytes) -> Iterator[Member]:
    """Yield all members of an archive; raises `Damaged`.

    Those that no path leads to count too: macOS adds one for each file.
    """
    for number, header in enumerate(headers(data, MAX_RECORDS_IN_ALL)):
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
