"""A manifest: the instructor's own table of who submitted what, and where it is."""

from __future__ import annotations

import os
from datetime import datetime, timezone
from typing import TYPE_CHECKING

from pipeline.files import FILE, FOLDER
from pipeline.terminal.display import listed, named
from verify.intake.collection import Collection, Entry, container_at, raw_name, safe_name
from verify.intake.table import Table, Unusable
from verify.submissions.files import NoSubmission, Unresolved
from verify.submissions.submission import open_content

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from verify.intake.table import Row
    from verify.submissions.files import Files

_DIGITS = 10  # so many, and numbers sort as text by their size
ABSENT = "does not exist, so the learner is missing"


class Manifest(Collection):
    """The rows of a manifest; an entry's name is its path as written. Raises `Unusable`."""

    kind = "manifest"

    def __init__(self, path: str) -> None:
        self.container = container_at(path)
        table = Table(self.container)
        missing = [name for name in ("learner", "path") if name not in table.headings]
        if missing:
            what = f"has no column {' and no column '.join(missing)}"
            raise table.wrong(1, f"{what} (expected learner,path[,attempt][,submitted_at])")
        self._entries = [self._entry(table, row) for row in table.rows()]
        if not self._entries:
            raise Unusable(f"{named(path)} has no rows (expected one for each submission)")

    def entries(self) -> Iterator[Entry]:
        """Yield one entry a row."""
        yield from self._entries

    def _entry(self, table: Table, row: Row) -> Entry:
        columns = (table.headings.get(name, "") for name in ("learner", "attempt", "submitted at"))
        learner, attempt, submitted = (table.identity(row, column) for column in columns)
        line, (path,) = row[0], table.cells_of(row, "path")
        if not learner:
            raise table.wrong(line, "has no learner")
        if not path:
            raise table.wrong(line, "has no path (expected a folder or an archive)")
        if "://" in path:
            what = f"path {named(path)} is a URL: download the file, and give its path"
            raise table.wrong(line, what)
        place = located(self.container, path)
        nature = FOLDER if os.path.isdir(place) else FILE if os.path.exists(place) else ABSENT
        at, submitted = _moment(table, line, submitted)
        if attempt.isascii() and attempt.isdigit():
            attempt = attempt.zfill(_DIGITS)
        return Entry(safe_name(path), nature, "", learner, f"{at} {attempt}".strip(), submitted)


def open_in_manifest(container: str, names: Sequence[str]) -> Files:
    """Open what a row names, which may be a link; raises `NoSubmission`, `Unresolved`."""
    if len(names) > 1:
        what = f"{len(names)} rows of the manifest are for the same attempt: {listed(names)}"
        raise Unresolved(what, "Give each row a different attempt, or remove all but one.")
    place = os.path.realpath(located(container, raw_name(names[0])))
    if not os.path.lexists(place):
        raise NoSubmission("no longer exists")
    return open_content(place)


def located(manifest: str, path: str) -> str:
    """Return where a path leads: relative paths start at the manifest's folder."""
    return os.path.normpath(os.path.join(os.path.dirname(manifest), path))


def _moment(table: Table, line: int, text: str) -> tuple[str, str]:
    """Return a time as text that sorts, in UTC, and as it counts; both are empty for none.

    One without a zone sorts as if it was in UTC. It counts in the zone of the due time, if any.
    """
    if not text:
        return "", ""
    try:  # Python 3.10 does not know the Z
        given = datetime.fromisoformat(text.upper().replace("Z", "+00:00"))
        moment = given.replace(tzinfo=given.tzinfo or timezone.utc).astimezone(timezone.utc)
    except (ValueError, OverflowError):
        what = f"submitted_at {named(text)} is not a time"
        raise table.wrong(line, f"{what} (expected a time such as 2026-03-01T12:00:00Z)") from None
    sorted_by = moment.isoformat(timespec="microseconds").replace("+00:00", "Z")
    return sorted_by, sorted_by if given.tzinfo else sorted_by.removesuffix("Z")
