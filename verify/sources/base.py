"""The interface of sources: what they list, and how a worker opens what they listed."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from pipeline.display import named, visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from typing_extensions import Self

    from verify.submission import Submission


REPOSITORY = ("HEAD", "objects", "refs")  # what is at the top of a bare git repository
BARE = "is a bare git repository: check out a commit of it into a folder"


def is_bare(path: str) -> bool:
    """Tell whether a folder is a bare git repository: its work is in no file."""
    return all(os.path.lexists(os.path.join(path, name)) for name in REPOSITORY)


class UnusableSource(Exception):
    """A source that cannot be read, or holds no submission; the message is one line."""


def one_submission(path: str, folder: str) -> UnusableSource:
    """Return what is said of a source that is one submission: its folders would be learners."""
    told = f"{visible(path, 300)} looks like one submission: it has {named(folder)}"
    return UnusableSource(
        f"{told}; name the folder around it, or a manifest .csv with its path (where these are"
        " learners after all, add --naming plain)"
    )


def without_submission(path: str) -> UnusableSource:
    """Return what is said of a source in which there is no submission."""
    expected = "expected a folder or an archive for each learner"
    return UnusableSource(f"{visible(path, 300)} holds no submission: {expected}")


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

        It is asked for in the order of `entries`, for all or some of them.
        """

    def close(self) -> None:
        """Release what is held open."""


class Backend(Protocol):
    """A container as a worker opens it, for the submissions of a batch."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *_: object) -> None: ...

    def expect(self, payloads: Sequence[Any]) -> None:
        """Be told of the whole batch first: so several submissions may be fetched at a time."""

    def submission(self, payload: Any) -> Submission:
        """Return the door to one submission.

        Raises:
            NoSubmission: it is not there any more, or may not be opened.
        """


class Near:
    """A backend with its submissions at hand: none is fetched before it is asked for."""

    __slots__ = ()

    def expect(self, payloads: Sequence[Any]) -> None:
        """Fetch nothing."""
