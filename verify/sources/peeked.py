"""A source that was looked into: its entries are listed once for it, not once more."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verify.sources.base import Entry, Source


class Peeked:
    """A source whose first entry was asked for; `is_empty` tells whether there was none.

    Raises:
        UnusableSource: it cannot be listed.
    """

    def __init__(self, source: Source) -> None:
        self.kind = source.kind
        self.container = source.container
        self._source = source
        begun = source.entries()
        first = next(begun, None)
        self.is_empty = first is None
        self._begun: Iterator[Entry] | None = None if first is None else chain((first,), begun)

    def entries(self) -> Iterator[Entry]:
        """Yield what the source holds: the first time by going on where it was looked into."""
        begun, self._begun = self._begun, None
        return self._source.entries() if begun is None else begun

    def payload(self, inner: str) -> Any:
        """Return what the source sends for an entry."""
        return self._source.payload(inner)

    def close(self) -> None:
        """Release what the source holds open."""
        self._source.close()
