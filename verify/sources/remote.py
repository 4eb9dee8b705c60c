"""Buckets: a folder or an archive a learner below a prefix."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipeline.display import visible
from pipeline.reading import Unreadable
from verify.sources.archive_bytes import MemoryBytes
from verify.sources.archive_names import archive_suffix
from verify.sources.archive_opening import opened_archive
from verify.sources.base import Entry, UnusableSource, without_submission
from verify.sources.naming import recognised
from verify.sources.remote_address import guarded, opened, parsed
from verify.sources.remote_asking import WHOLE, Asking, Question
from verify.sources.remote_folder import Fetching, RemoteFolder
from verify.sources.remote_listing import children
from verify.submission import NoSubmission

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from typing_extensions import Self

    from verify.sources.remote_address import Address
    from verify.submission import Submission

KIND = "remote"


class RemoteSource:
    """The submissions below an address. `container` is the address without any secret.

    `inner` is `NAME/` for a learner's folder, `NAME` for an archive.

    Raises:
        UnusableSource: no address that is read, or what reads it is not installed.
    """

    kind = KIND

    def __init__(self, url: str, naming: str = "") -> None:
        self._address = parsed(url)
        self._naming = naming
        self.container = self._address.plain
        _refuse_archive(self._address)
        self._system, self._path = opened(self._address)

    def entries(self) -> Iterator[Entry]:
        """Yield one entry a submission, in the order in which the names are listed.

        Raises:
            UnusableSource: it cannot be listed, or holds no submission.
        """
        empty = True
        try:
            for entry in self._listed():
                empty = False
                yield entry
        except OSError as error:
            raise UnusableSource(str(error)) from None
        if empty:
            raise without_submission(self.container)

    def payload(self, inner: str) -> str:
        """Return where the submission stands."""
        return inner

    def close(self) -> None:
        """Hold nothing."""

    def _listed(self) -> Iterator[Entry]:
        above = self.container.rpartition("/")[2]
        tops = ((name, not folder) for name, folder in self._children())
        rule = recognised(tops, above, self._naming)
        for name, is_folder in self._children():
            named = rule.named(name, lone=not is_folder)
            if named is not None:
                inner = f"{name}/" if is_folder else name
                yield Entry(named.learner, inner, named.attempt, named.aliases)

    def _children(self) -> Iterator[tuple[str, bool]]:
        """Yield the folders and archives below the prefix."""
        found = children(self._system, self._path)
        while True:
            pair = guarded(self.container, self._address, lambda: next(found, None))
            if pair is None:
                return
            if (pair[1] or archive_suffix(pair[0])) and not pair[0].startswith("."):
                yield pair


class RemoteBackend:
    """An address as a worker opens it: with the worker's own credentials."""

    def __init__(self, container: str) -> None:
        self._address = parsed(container)
        self._held: tuple[Asking, Fetching] | None = None
        self._expected: Sequence[str] = ()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Hold nothing open: a process uses its connections again."""

    def expect(self, payloads: Sequence[str]) -> None:
        """Note what is going to be asked for, in order: it is fetched many at a time."""
        self._expected = [inner[:-1] for inner in payloads if inner.endswith("/")]

    def submission(self, payload: str) -> Submission:
        """Return the door to a submission.

        Raises:
            NoSubmission: it is an archive that cannot be opened.
            OSError: it cannot be read now, which is no learner's fault.
        """
        asking, fetching = self._known()
        if payload.endswith("/"):
            return RemoteFolder(payload[:-1], fetching)
        data = asking.all([Question(WHOLE, payload)])[0]
        if isinstance(data, Unreadable):
            raise NoSubmission(str(data))
        if isinstance(data, OSError):
            raise data
        return opened_archive(payload, payload, MemoryBytes(data))

    def _known(self) -> tuple[Asking, Fetching]:
        if self._held is None:
            system, path = opened(self._address)
            asking = Asking(system, path, self._address)
            self._held = asking, Fetching(asking)
            self._held[1].expect(self._expected)
        return self._held


def _refuse_archive(address: Address) -> None:
    suffix = archive_suffix(address.plain.rpartition("/")[2])
    if suffix:
        told = f"{visible(address.plain, 300)} is a {suffix} archive"
        raise UnusableSource(f"{told}: copy it here, and name the file or what is in it")
