"""An archive of many submissions that can be read from any place: .zip and plain .tar."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from pipeline.display import visible
from verify.sources.archive_bytes import Damaged, FileBytes
from verify.sources.archive_layout import Layout
from verify.sources.base import UnusableSource

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from verify.sources.archive_bytes import Bytes
    from verify.sources.archive_layout import Payload, Place
    from verify.sources.base import Entry


class ArchiveSource:
    """The submissions in one archive file; `places` goes over its members (`archive_layout.Walk`).

    Raises:
        UnusableSource: it cannot be opened.
    """

    def __init__(
        self, kind: str, path: str, naming: str, places: Callable[[Bytes, str], Iterator[Place]]
    ) -> None:
        self.kind = kind
        self.container = os.path.abspath(path)
        self._naming = naming
        self._places = places
        self._layout: Layout | None = None
        try:
            self._data = FileBytes(self.container)
        except (OSError, Damaged) as error:
            raise unusable(path, error) from None

    def entries(self) -> Iterator[Entry]:
        """Yield one entry a submission, in the archive's order.

        Raises:
            UnusableSource: the archive is damaged, or holds no submission.
        """
        layout = self._known_layout()
        empty = True
        for entry in layout.entries():
            empty = False
            yield entry
        if empty:
            raise empty_archive(self.container)

    def payload(self, inner: str) -> Payload:
        """Return where in the archive a submission stands."""
        return self._known_layout().payload(inner)._replace(stamp=self._data.stamp)

    def close(self) -> None:
        """Close the archive."""
        self._data.close()

    def _walk(self, outer: str) -> Iterator[Place]:
        return self._places(self._data, outer)

    def _known_layout(self) -> Layout:
        if self._layout is None:
            try:
                above = stem(self.container)
                self._layout = Layout(self._walk, above, self._naming)
            except (Damaged, OSError) as error:
                raise unusable(self.container, error) from None
        return self._layout


def stem(path: str) -> str:
    """Return an archive's name without its suffix."""
    from verify.sources.archive_names import archive_suffix

    name = os.path.basename(path)
    return name[: len(name) - len(archive_suffix(name))]


def unusable(path: str, error: Damaged | OSError) -> UnusableSource:
    """Return what is said of a source that cannot be read."""
    if isinstance(error, OSError):
        return UnusableSource(f"{visible(path, 300)} cannot be read: {error.strerror or error}")
    return UnusableSource(f"{visible(path, 300)} {error}")


def empty_archive(path: str) -> UnusableSource:
    """Return what is said of an archive without submissions."""
    expected = "expected a folder or an archive for each learner"
    return UnusableSource(f"{visible(path, 300)} holds no submission: {expected}")
