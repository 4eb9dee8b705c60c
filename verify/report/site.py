"""Writes the cohort report beside its place, then swaps it in; other files are not touched."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from contextlib import contextmanager
from itertools import groupby
from typing import TYPE_CHECKING

from pipeline.terminal.display import visible
from verify.report.tally import Tally, entry_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verify.gradebook.reading import Cohort
    from verify.report.pages import Pages
    from verify.report.tally import Entry

LIMIT = 100_000  # learners: the table's data is one page, and what is compared is held in memory
MARKER, PAGES, ASSETS, INDEX = ".cohort-report", "learners", "assets", "index.html"

_MARK = b"A report of verify. It may be replaced by the next one.\n"
_SHIPPED = os.path.join(os.path.dirname(os.path.abspath(__file__)), ASSETS)


class UnwritableReport(Exception):
    """A report that cannot be written; the message is one line that says what to do."""


def write_site(cohort: Cohort, folder: str) -> None:
    """Write the report of a cohort into a folder, as static pages that work without a server.

    A report that is there is replaced once the new one is complete; identical cohorts give
    identical bytes. Memory grows with the learners, by about a kilobyte each.

    Raises:
        UnwritableReport: the folder has other files, the disk refuses, Jinja is not installed, or
            there are more than `LIMIT` learners.
    """
    try:
        from verify.report.pages import Pages
    except ImportError as error:
        raise UnwritableReport(
            f"the report needs {error.name}, which `python3 start.py cohort` installs"
        ) from None
    with replaced(folder) as new:
        _write_all(cohort, new, Pages())


def _write_all(cohort: Cohort, new: str, pages: Pages) -> None:
    for name in os.listdir(_SHIPPED):
        shutil.copyfile(os.path.join(_SHIPPED, name), os.path.join(new, ASSETS, name))
    tally = Tally(cohort)
    for attempts in _by_learner(cohort):
        for entry in attempts:
            tally.add(entry)
            page = pages.learner(entry, attempts, has_roster=cohort.has_roster)
            _write(os.path.join(new, PAGES, entry.file), page)
    _write(os.path.join(new, INDEX), pages.overview(tally))


def _by_learner(cohort: Cohort) -> Iterator[list[Entry]]:
    """Yield each learner's entries: one, or one an attempt."""
    number = 0
    for _, standings in groupby(cohort.standings(), key=lambda standing: standing.learner.key):
        entries = []
        for standing in standings:
            entries.append(entry_of(number, standing, cohort.exercises))
            number += 1
        if number > LIMIT:
            raise UnwritableReport(
                f"more than {LIMIT:,} learners are too many for pages: export CSV or JSON lines"
            )
        yield entries


def _write(path: str, data: bytes) -> None:
    with open(path, "xb") as file:
        file.write(data)


@contextmanager
def replaced(folder: str) -> Iterator[str]:
    """Yield a new folder to write into; it takes the place of `folder` when all went well.

    Raises:
        UnwritableReport: the folder has other files, or the disk refuses.
    """
    place = os.path.abspath(folder)
    refuse_others(place)
    try:
        os.makedirs(os.path.dirname(place), exist_ok=True)
        new = tempfile.mkdtemp(prefix=f"{MARKER}-", suffix=".part", dir=os.path.dirname(place))
        try:
            _begin(new)
            yield new
            _swap(new, place)
        finally:
            shutil.rmtree(new, ignore_errors=True)
    except OSError as error:
        reason = (error.strerror or "unknown reason").lower()
        problem = f"{visible(folder, 300)}: the report cannot be written: {reason}"
        raise UnwritableReport(f"{problem}; make room, or name another folder") from None


def _begin(new: str) -> None:
    mask = os.umask(0)
    os.umask(mask)
    os.chmod(new, 0o777 & ~mask)  # mkdtemp's own mode is for secrets
    os.mkdir(os.path.join(new, PAGES))
    os.mkdir(os.path.join(new, ASSETS))
    _write(os.path.join(new, MARKER), _MARK)


def refuse_others(place: str) -> None:
    """Refuse a folder that has anything but an earlier report.

    Raises:
        UnwritableReport: it does.
    """
    name = visible(place, 300)
    if os.path.islink(place) or (os.path.lexists(place) and not os.path.isdir(place)):
        raise UnwritableReport(f"{name} is not a folder: name a new folder for the report")
    try:
        names = os.listdir(place) if os.path.isdir(place) else []
        if names and not _is_marked(place):
            raise UnwritableReport(
                f"{name} is not empty and not a report of verify: name a new folder, or empty it"
            )
        strange = next(_strange(place), "") if names else ""
    except OSError as error:
        reason = (error.strerror or "unknown reason").lower()
        raise UnwritableReport(f"{name} cannot be read: {reason}") from None
    if strange:
        raise UnwritableReport(
            f"{name} contains {visible(strange)}, which is not part of a report: move it away first"
        )


def _is_marked(place: str) -> bool:
    try:
        with open(os.path.join(place, MARKER), "rb") as file:
            return file.read(len(_MARK) + 1) == _MARK
    except OSError:
        return False


def _strange(place: str) -> Iterator[str]:
    """Yield what is in a report's folders and is not part of a report."""
    yield from sorted(set(os.listdir(place)) - {MARKER, PAGES, ASSETS, INDEX})
    for part, endings in ((PAGES, (".html",)), (ASSETS, (".css", ".js"))):
        with contextlib.suppress(FileNotFoundError), os.scandir(os.path.join(place, part)) as found:
            for entry in found:
                if not entry.name.endswith(endings) or not entry.is_file(follow_symlinks=False):
                    yield f"{part}/{entry.name}"


def _swap(new: str, place: str) -> None:
    """Put a finished report in place; the old one goes once the new one is there."""
    if not os.path.isdir(place):
        os.rename(new, place)
        return
    old = f"{new}.old"
    os.rename(place, old)
    try:
        os.rename(new, place)
    except OSError:
        os.rename(old, place)
        raise
    shutil.rmtree(old, ignore_errors=True)
