"""A manifest: the instructor's own table of who handed in what, and where it stands."""

from __future__ import annotations

import os
from datetime import datetime, timezone
from typing import TYPE_CHECKING

from pipeline.display import named
from verify.sources.archive_names import archive_suffix
from verify.sources.base import BARE, Entry, Near, UnusableSource, is_bare
from verify.sources.container_folder import ArchivesBackend, Standing
from verify.sources.csv_table import Table
from verify.submission import NoSubmission

if TYPE_CHECKING:
    from collections.abc import Iterator

    from typing_extensions import Self

    from verify.sources.csv_table import Row
    from verify.submission import Submission

KIND = "manifest"
COLUMNS = ("learner", "path", "attempt", "submitted_at")
_NEEDED = 2  # of them
_DIGITS = 10  # a number as text that sorts by its size
_SUBMISSION = "a folder or an archive"


class ManifestSource:
    """The rows of a manifest; `inner` is a row's path as it is written.

    Raises:
        UnusableSource: it cannot be read, or lacks a column.
    """

    kind = KIND

    def __init__(self, path: str) -> None:
        self.container = os.path.abspath(path)
        self._columns = self._found(Table(self.container, UnusableSource))

    def entries(self) -> Iterator[Entry]:
        """Yield one entry a row, in the order of the table.

        Raises:
            UnusableSource: a row is wrong, repeats an attempt, or there is none.
        """
        table = Table(self.container, UnusableSource)
        lines: dict[tuple[str, str], int] = {}
        for row in table.rows():
            entry = self._entry(table, row)
            before = lines.setdefault((entry.learner, entry.attempt), row.line)
            if before != row.line:
                told = f"{named(entry.learner)} has the same attempt as on line {before}"
                raise table.wrong(row.line, f"{told}: tell them apart by attempt or submitted_at")
            yield entry
        if not lines:
            raise table.wrong(2, "expected the first submission, found none")

    def payload(self, inner: str) -> str:
        """Return the path as it is written."""
        return inner

    def close(self) -> None:
        """Hold nothing."""

    def _found(self, table: Table) -> dict[str, int]:
        usual = [name.strip().lower().replace(" ", "_") for name in table.columns]
        missing = [name for name in COLUMNS[:_NEEDED] if name not in usual]
        if missing:
            told = f"has no column {' and no column '.join(missing)}"
            raise table.wrong(1, f"{told}: expected learner,path[,attempt][,submitted_at]")
        return {name: usual.index(name) for name in COLUMNS if name in usual}

    def _entry(self, table: Table, row: Row) -> Entry:
        cells = {name: table.identity(row, at) for name, at in self._named_columns()}
        path = row.cells[self._columns["path"]]
        if not cells["learner"]:
            raise table.wrong(row.line, "names no learner")
        place = located(self.container, path)
        if not path or not _is_submission(place):
            found = "is empty" if not path else _found_at(path, place)
            raise table.wrong(row.line, f"path {found}: expected {_SUBMISSION}")
        return Entry(cells["learner"], path, _label(table, row, cells))

    def _named_columns(self) -> list[tuple[str, int]]:
        return [(name, at) for name, at in self._columns.items() if name != "path"]


class ManifestBackend(Near):
    """What a manifest names, each opened as what it is."""

    def __init__(self, container: str) -> None:
        self._container = container
        self._held: ArchivesBackend | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._held is not None:
            self._held.__exit__()
            self._held = None

    def submission(self, payload: str) -> Submission:
        """Return the door to a submission; raises `NoSubmission`."""
        self.__exit__()  # one archive is open at a time
        # The instructor wrote the path, and may name a link.
        folder, name = os.path.split(os.path.realpath(located(self._container, payload)))
        place = os.path.join(folder, name)
        if is_bare(place):
            raise NoSubmission(BARE)
        self._held = ArchivesBackend(folder)
        path = "" if os.path.isdir(place) else name
        return self._held.submission(Standing(payload, (name,), (path,)))


def located(manifest: str, path: str) -> str:
    """Return where a manifest's path leads: relative ones begin at the manifest's own folder."""
    return os.path.normpath(os.path.join(os.path.dirname(manifest), path))


def _is_submission(place: str) -> bool:
    if os.path.isdir(place):
        return True
    return os.path.isfile(place) and bool(archive_suffix(place))


def _found_at(path: str, place: str) -> str:
    told = "is a file of another kind" if os.path.lexists(place) else "does not exist"
    return f"{named(path)} {told}"


def _label(table: Table, row: Row, cells: dict[str, str]) -> str:
    """Return an attempt's label: labels sort as text, the latest last."""
    attempt, submitted = cells.get("attempt", ""), cells.get("submitted_at", "")
    if attempt.isascii() and attempt.isdigit():
        attempt = attempt.zfill(_DIGITS)
    if not submitted:
        return attempt
    try:
        # Python 3.10 does not know the Z
        moment = datetime.fromisoformat(submitted.upper().replace("Z", "+00:00"))
        moment = moment.replace(tzinfo=moment.tzinfo or timezone.utc).astimezone(timezone.utc)
    except (ValueError, OverflowError):
        told = f"submitted_at {named(submitted)} is no time"
        raise table.wrong(row.line, f"{told}: expected one such as 2026-03-01T12:00:00Z") from None
    text = moment.isoformat(timespec="microseconds").replace("+00:00", "Z")
    return f"{text} {attempt}".rstrip()
