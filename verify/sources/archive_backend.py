"""One archive of many submissions as a worker opens it: .zip and plain .tar."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from verify.sources.archive_bytes import Damaged, FileBytes
from verify.sources.archive_opening import opened
from verify.sources.base import Near
from verify.submission import NoSubmission

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from typing_extensions import Self

    from verify.sources.archive_bytes import Bytes
    from verify.sources.archive_door import Member
    from verify.sources.archive_layout import Payload
    from verify.submission import Submission


class ArchiveReplaced(OSError):
    """The archive is not the one that was listed: the grader's fault, nobody's zero."""


class Contents(Protocol):
    """How members of one kind of archive are found and read; each call may raise `Damaged`."""

    def members(self, payload: Payload) -> Iterator[Member]:
        """Yield the members of a submission."""

    @property
    def read(self) -> Callable[[Any, int], bytes]:
        """Return what reads a member, up to a number of bytes."""


class ArchiveBackend(Near):
    """An archive, the `contents` of which are found when it is entered.

    Raises:
        OSError: the archive is gone, or damaged.
    """

    def __init__(self, container: str, contents: Callable[[Bytes], Contents]) -> None:
        self._container = container
        self._begin = contents

    def __enter__(self) -> Self:
        self._data = FileBytes(self._container)
        try:
            self._contents = self._begin(self._data)
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
            members = self._contents.members(payload)
            return opened(payload.inner, members, self._contents.read)
        except Damaged as error:
            raise NoSubmission(str(error)) from None
