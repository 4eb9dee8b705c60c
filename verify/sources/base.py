"""The interface of sources: what they list, and how a worker opens what they listed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator

    from typing_extensions import Self

    from verify.submission import Submission


class UnusableSource(Exception):
    """A source that cannot be read, or holds no submission; the message is one line."""


class Entry(NamedTuple):
    """One submission that a source holds.

    `learner` is what the source calls the learner: the key that a roster is matched by, together
    with `aliases` (a login, an LMS's number). `inner` tells where in the source the submission
    stands: text that is kept in the gradebook and is enough to find it again. `attempt` is empty
    where the source has one submission a learner; else labels sort as text, the latest last.
    """

    learner: str
    inner: str
    attempt: str = ""
    aliases: tuple[str, ...] = ()


class Source(Protocol):
    """A place with submissions. `kind` and `container` are enough to open it again, elsewhere.

    `container` is absolute: a path or an address.
    """

    kind: str
    container: str

    def entries(self) -> Iterator[Entry]:
        """Yield what the source holds, always in the same order, without opening a submission.

        Raises:
            UnusableSource: it cannot be listed.
        """

    def payload(self, inner: str) -> Any:
        """Return what a worker is sent for an entry: small, picklable; mostly `inner` itself.

        It is asked for in the order of `entries`, for all or some of them: a source that can only
        be read from front to back sends the files themselves.
        """

    def close(self) -> None:
        """Release what is held open."""


class Backend(Protocol):
    """A container as a worker opens it, for the submissions of a batch.

    One far away may also have `expect(payloads)`, which is told of the whole batch first: so it may
    fetch several submissions at a time.
    """

    def __enter__(self) -> Self: ...

    def __exit__(self, *_: object) -> None: ...

    def submission(self, payload: Any) -> Submission:
        """Return the door to one submission.

        Raises:
            NoSubmission: it is not there any more, or may not be opened.
        """
