"""What grading reads of a submission: as long as it is the same, so is the result.

A recorder notes each read and the digest of its answer. The gradebook keeps both, and a submission
whose answers are the same again is not graded again.
"""

from __future__ import annotations

import json
from contextlib import suppress
from functools import lru_cache
from hashlib import sha256
from typing import TYPE_CHECKING, TypeVar

from pipeline.files import Unreadable
from verify.gradebook.records import DIGEST, UNREADABLE, NotOurs, reads_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from verify.gradebook.records import CacheKey
    from verify.history.history import History
    from verify.submission import Submission

T = TypeVar("T")

UNOPENED = "[]"  # nothing was read; why not is the one answer


class AccessRecorder:
    """A submission that notes how it is read; `files` has the bytes of every file that was."""

    def __init__(self, submission: Submission) -> None:
        self.root = submission.root
        self.files: dict[str, bytes] = {}
        self._submission = submission
        self._reads: list[tuple[str, str]] = []
        self._digests: list[bytes] = []
        self._history: list[History | None] = []

    def read(self, path: str) -> bytes:
        """Return a regular file's bytes; raises `Unreadable`."""
        data = self.files[path] = self._noted("read", path, self._submission.read)
        return data

    def is_file(self, path: str) -> bool:
        """Return whether there is a regular file at the path, reached without a link."""
        return self._noted("is_file", path, self._submission.is_file)

    def names(self, path: str) -> list[str]:
        """Return a folder's sorted entry names; raises `Unreadable`."""
        return self._noted("names", path, self._submission.names)

    def history(self, path: str = "") -> History | None:
        """Return the history that came with the submission, None without; raises `Unreadable`."""
        if not self._history:
            found = self._noted("history", path, lambda _: self._submission.history())
            self._history.append(found)
        return self._history[0]

    def close(self) -> None:
        """Leave the submission open: it is closed where it was opened."""

    @property
    def reads(self) -> str:
        """Return what was read, a JSON array of [operation, path]."""
        return _text_of(tuple(self._reads))

    @property
    def digests(self) -> bytes:
        """Return the digests of the answers, 16 bytes a read."""
        return b"".join(self._digests)

    def _noted(self, operation: str, path: str, read: Callable[[str], T]) -> T:
        self._reads.append((operation, path))
        try:
            answer = read(path)
        except Unreadable as error:  # exports know it from the digest of a file
            reason = _digest(f"{error.reason}: {error}")
            self._digests.append(UNREADABLE + reason[: DIGEST - len(UNREADABLE)])
            raise
        self._digests.append(_digest(answer))
        return answer


def digests_of(reads: str, submission: Submission) -> bytes:
    """Read again what was read of a submission, and return the digests; raises as opening it."""
    try:
        pairs = reads_of(reads)
    except NotOurs:  # another program changed the gradebook: nothing is known
        return b"?"
    recorder = AccessRecorder(submission)
    for operation, path in pairs:
        with suppress(Unreadable):  # an answer like any other
            getattr(recorder, operation)(path)
    return recorder.digests


def changed_files(before: CacheKey, after: CacheKey) -> tuple[str, ...]:
    """Return the paths that were read both times with another answer."""
    earlier, later = before.by_read, after.by_read
    changed = (read for read, digest in later.items() if earlier.get(read, digest) != digest)
    return tuple(sorted({path for _, path in changed}))


def unopened_digest(reason: str) -> bytes:
    """Return the digest of why a submission could not be opened: to open is another answer."""
    return _digest(f"unopened: {reason}")


@lru_cache(maxsize=8)  # nearly all of a cohort are read alike
def _text_of(reads: tuple[tuple[str, str], ...]) -> str:
    return json.dumps(reads)


def _digest(answer: object) -> bytes:
    """Return the digest of an answer: bytes as they are, a history by its own, others as JSON."""
    if not isinstance(answer, bytes):
        answer = json.dumps(getattr(answer, "digest", answer)).encode()
    return sha256(answer).digest()[:DIGEST]
