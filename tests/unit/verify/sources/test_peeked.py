"""A source that was looked into yields everything, and is not listed again for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from verify.sources.base import Entry
from verify.sources.peeked import Peeked

if TYPE_CHECKING:
    from collections.abc import Iterator


class Listed:
    """A source in memory that counts how often it is listed."""

    kind = "memory"
    container = "here"

    def __init__(self, *learners: str) -> None:
        self.learners = learners
        self.times = 0
        self.closed = False

    def entries(self) -> Iterator[Entry]:
        self.times += 1
        return (Entry(learner, learner) for learner in self.learners)

    def payload(self, inner: str) -> str:
        return f"sent {inner}"

    def close(self) -> None:
        self.closed = True


def test_everything_is_yielded_in_one_listing_and_listed_again_for_a_second_one() -> None:
    source = Listed("ada", "bo")
    peeked = Peeked(source)
    first = [entry.learner for entry in peeked.entries()]
    times = source.times

    assert (first, times, peeked.is_empty) == (["ada", "bo"], 1, False)
    assert ([entry.learner for entry in peeked.entries()], source.times) == (first, 2)
    assert (Peeked(Listed()).is_empty, list(Peeked(Listed()).entries())) == (True, [])


def test_the_rest_is_the_sources_own() -> None:
    source = Listed("ada")
    peeked = Peeked(source)
    peeked.close()

    assert (peeked.kind, peeked.container, peeked.payload("ada")) == ("memory", "here", "sent ada")
    assert source.closed
