"""Buckets and web servers: a folder or an archive a learner below a prefix, or one big .zip."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from pipeline.display import visible
from pipeline.reading import Unreadable
from verify.sources.archive_bytes import Damaged, MemoryBytes
from verify.sources.archive_layout import Layout
from verify.sources.archive_names import archive_suffix
from verify.sources.archive_opening import opened_archive
from verify.sources.base import Entry, UnusableSource
from verify.sources.naming import recognised
from verify.sources.remote_address import guarded, opened, parsed
from verify.sources.remote_asking import WHOLE, Asking, Question
from verify.sources.remote_folder import Fetching, RemoteFolder
from verify.sources.remote_listing import children
from verify.sources.remote_zip import RemoteBytes, RemoteZip, places
from verify.submission import NoSubmission

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from typing_extensions import Self

    from verify.sources.remote_address import Address
    from verify.submission import Submission

KIND = "remote"
_EXPECTED = "expected a folder or an archive for each learner"


class Sent(NamedTuple):
    """What a worker is sent: where the submission stands, and a signed address's own query."""

    inner: Any
    query: str = ""


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
        self._is_archive = is_archive(self._address)
        self._system, self._path = opened(self._address)
        self._data: RemoteBytes | None = None
        self._layout: Layout | None = None

    def entries(self) -> Iterator[Entry]:
        """Yield one entry a submission, in the order in which the names are listed.

        Raises:
            UnusableSource: it cannot be listed, or holds no submission.
        """
        empty = True
        try:
            for entry in self._archived() if self._is_archive else self._listed():
                empty = False
                yield entry
        except (OSError, Damaged) as error:
            told = str(error)
            step = "" if self.container in told else f"{visible(self.container, 300)} "
            raise UnusableSource(f"{step}{told}") from None
        if empty:
            raise UnusableSource(f"{visible(self.container, 300)} holds no submission: {_EXPECTED}")

    def payload(self, inner: str) -> Sent:
        """Return where the submission stands, and what a signed address needs."""
        where = self._known_layout().payload(inner) if self._is_archive else inner
        return Sent(where, self._address.query)

    def close(self) -> None:
        """Let go of what was read."""
        if self._data is not None:
            self._data.close()

    def _listed(self) -> Iterator[Entry]:
        above = self.container.rpartition("/")[2]
        rule = recognised(((name, not folder) for name, folder in self._children()), above)
        for name, is_folder in self._children():
            named = rule.named(name, lone=not is_folder)
            if named is not None:
                inner = f"{name}/" if is_folder else name
                yield Entry(named.learner, inner, named.attempt, named.aliases)

    def _children(self) -> Iterator[tuple[str, bool]]:
        """Yield the folders and archives below the prefix."""
        query = f"?{self._address.query}" if self._address.query else ""
        found = children(self._system, self._path + query)
        while True:
            pair = guarded(self.container, self._address, lambda: next(found, None))
            if pair is None:
                return
            if (pair[1] or archive_suffix(pair[0])) and not pair[0].startswith("."):
                yield pair

    def _archived(self) -> Iterator[Entry]:
        return self._known_layout().entries()

    def _known_layout(self) -> Layout:
        if self._layout is None:
            self._data = self._data or RemoteBytes(self._address)
            name = self.container.rpartition("/")[2]
            above = name[: -len(archive_suffix(name))]
            self._layout = Layout(partial(places, self._data), above, self._naming)
        return self._layout


class RemoteBackend:
    """An address as a worker opens it: with the worker's own credentials."""

    def __init__(self, container: str) -> None:
        self._address = parsed(container)
        self._is_archive = is_archive(self._address)
        self._zip: RemoteZip | None = None
        self._asking: Asking | None = None
        self._fetching: Fetching | None = None
        self._expected: Sequence[str] = ()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._zip is not None:
            self._zip.close()
            self._zip = None

    def expect(self, payloads: Sequence[Sent]) -> None:
        """Note what is going to be asked for, in order: it is fetched many at a time."""
        if not self._is_archive:
            inners = [payload.inner for payload in payloads]
            self._expected = [inner[:-1] for inner in inners if inner.endswith("/")]

    def submission(self, payload: Sent) -> Submission:
        """Return the door to a submission.

        Raises:
            NoSubmission: it is an archive that cannot be opened.
            OSError: it cannot be read now, which is no learner's fault.
        """
        if self._is_archive:
            return self._zipped(payload).submission(payload.inner)
        asking, fetching = self._known(payload.query)
        if payload.inner.endswith("/"):
            return RemoteFolder(payload.inner[:-1], fetching)
        data = asking.all([Question(WHOLE, payload.inner)])[0]
        if isinstance(data, Unreadable):
            raise NoSubmission(str(data))
        if isinstance(data, OSError):
            raise data
        return opened_archive(payload.inner, payload.inner, MemoryBytes(data))

    def _zipped(self, payload: Sent) -> RemoteZip:
        if self._zip is None:
            address = self._address._replace(query=payload.query)
            self._zip = RemoteZip(address)
        return self._zip

    def _known(self, query: str) -> tuple[Asking, Fetching]:
        if self._asking is None or self._fetching is None:
            address = self._address._replace(query=query)
            system, path = opened(address)
            self._asking = Asking(system, path, address)
            self._fetching = Fetching(self._asking)
            self._fetching.expect(self._expected)
        return self._asking, self._fetching


def is_archive(address: Address) -> bool:
    """Tell whether an address is that of one archive.

    Raises:
        UnusableSource: it is none that is read by ranges.
    """
    suffix = archive_suffix(address.plain.rpartition("/")[2])
    if suffix not in ("", ".zip"):
        told = f"{visible(address.plain, 300)} is a {suffix} archive, which has no directory"
        raise UnusableSource(f"{told}: download it, or make a .zip of it")
    return bool(suffix)
