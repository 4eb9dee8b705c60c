"""Writes the cohort report beside its place, then swaps it in; other files are not touched."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from contextlib import contextmanager
from types import MappingProxyType
from typing import TYPE_CHECKING
from zlib import crc32

from pipeline.files import reason_of
from pipeline.terminal.display import visible
from verify.exports.base import NO_SETTINGS, Format
from verify.gradebook.reading import by_learner
from verify.intake.table import Unusable
from verify.report.tally import CohortTally, entry_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from verify.exports.base import Settings
    from verify.gradebook.reading import Cohort
    from verify.report.tally import LearnerRow

LIMIT = 100_000  # learners: the table's data is one page, and what is compared is held in memory
MARKER, PAGES, ASSETS, INDEX = ".cohort-report", "learners", "assets", "index.html"
_NEW, _OLD, _LOCK, _PART = "new", "old", "lock", ".part"  # of a folder in which one is made

_OPTION = "--html"
_NO_OTHERS: Mapping[str, Sequence[str]] = MappingProxyType({})
_MARK = b"A report of verify. It may be replaced by the next one.\n"
_SHIPPED = os.path.join(os.path.dirname(os.path.abspath(__file__)), ASSETS)


def write_site(cohort: Cohort, folder: str, settings: Settings = NO_SETTINGS) -> None:
    """Write the report of a cohort into a folder, as static pages that work without a server.

    A report that is there is replaced once the new one is complete; identical cohorts give
    identical bytes. Memory grows with the learners, by about a kilobyte each.
    """
    with replaced(folder) as new:
        write_pages(cohort, new, settings)


def write_pages(cohort: Cohort, new: str, settings: Settings) -> None:
    """Write the report into a folder that `replaced` has made."""
    try:
        from verify.report.pages import Pages
    except ImportError as error:
        install = "which `python3 start.py cohort` installs"
        raise _refused(f"needs {error.name}, {install}") from None
    pages, tally = Pages(settings), CohortTally(cohort)
    for name in os.listdir(_SHIPPED):
        shutil.copyfile(os.path.join(_SHIPPED, name), os.path.join(new, ASSETS, name))
    for before, entries, after in _with_neighbours(_entries(cohort)):
        tally.add_learner(entries)
        beside = tuple(learner[-1] if learner else None for learner in (before, after))
        for entry in entries:
            page = pages.learner(entry, entries, has_roster=cohort.has_roster, beside=beside)
            _write(os.path.join(new, PAGES, entry.file), page)
    _write(os.path.join(new, INDEX), pages.overview(tally))


def _entries(cohort: Cohort) -> Iterator[list[LearnerRow]]:
    """Yield the entries of each learner."""
    number = 0
    for standings in by_learner(cohort):
        entries = [entry_of(at, s, cohort.exercises) for at, s in enumerate(standings, number)]
        number += len(entries)
        if number > LIMIT:
            many = f"can write at most {LIMIT:,} pages for learners"
            raise _refused(f"{many}: export CSV or JSON Lines instead")
        yield entries


def _with_neighbours(
    learners: Iterator[list[LearnerRow]],
) -> Iterator[tuple[list[LearnerRow], list[LearnerRow], list[LearnerRow]]]:
    """Yield the entries of each learner, between those of the learners before and after."""
    before: list[LearnerRow] = []
    current = next(learners, [])
    while current:
        after = next(learners, [])
        yield before, current, after
        before, current = current, after


def _write(path: str, data: bytes) -> None:
    with open(path, "xb") as file:
        file.write(data)


@contextmanager
def replaced(
    folder: str, option: str = _OPTION, others: Mapping[str, Sequence[str]] = _NO_OTHERS
) -> Iterator[str]:
    """Yield a new folder to write into; it replaces `folder` once everything is written.

    `option` names it. `others` are written beside the pages: files, and folders with the endings of
    what is in them.
    """
    place = os.path.abspath(folder)
    refuse_others(place, option, others)
    beside = os.path.dirname(place)
    try:
        os.makedirs(beside, exist_ok=True)
        _recover(place)
        with _scratch_folder(place) as scratch:
            new = os.path.join(scratch, _NEW)
            for part in (PAGES, ASSETS):
                os.makedirs(os.path.join(new, part))
            _write(os.path.join(new, MARKER), _MARK)
            yield new
            refuse_others(place, option, others)  # it took a while
            old = os.path.join(scratch, _OLD)
            if os.path.isdir(place):
                os.rename(place, old)
            try:
                os.rename(new, place)
            except OSError:
                if os.path.isdir(old):
                    os.rename(old, place)
                raise
    except OSError as error:
        reason = reason_of(error)
        problem = f"{visible(folder, 300)}: the report cannot be written: {reason}"
        step = "check the disk space and your permissions, or choose a different folder"
        raise _refused(f"{problem}; {step}", option) from None


@contextmanager
def _scratch_folder(place: str) -> Iterator[str]:
    """Yield a new folder beside a report, locked: a lock ends with its process, however it ends."""
    from filelock import FileLock  # slow to import, and needed only to write

    prefix, beside = _scratch_prefix(place), os.path.dirname(place)
    with tempfile.TemporaryDirectory(
        prefix=prefix, suffix=_PART, dir=beside, ignore_cleanup_errors=True
    ) as scratch:
        lock = FileLock(os.path.join(scratch, _LOCK))
        with contextlib.suppress(NotImplementedError):  # without locks, nothing is recovered later
            lock.acquire()
        try:
            yield scratch
        finally:
            lock.release()


def _scratch_prefix(place: str) -> str:
    """Return how the names of the folders begin in which a report is made."""
    return f"{MARKER}-{crc32(os.fsencode(os.path.basename(place))):08x}-"


def _recover(place: str) -> None:
    """Remove what killed commands have left of a report, and put back the one that is missing."""
    from filelock import FileLock, Timeout

    beside, prefix = os.path.dirname(place), _scratch_prefix(place)
    for name in os.listdir(beside):
        scratch = os.path.join(beside, name)
        if not (name.startswith(prefix) and name.endswith(_PART)) or os.path.islink(scratch):
            continue
        lock, old = (os.path.join(scratch, part) for part in (_LOCK, _OLD))
        if not os.path.isfile(lock) or {*os.listdir(scratch)} - {_LOCK, _OLD, _NEW}:
            continue
        with contextlib.suppress(Timeout, NotImplementedError), FileLock(lock, timeout=0):
            if os.path.isdir(old) and not os.path.lexists(place):
                os.rename(old, place)  # it was killed between the two renames
            shutil.rmtree(scratch, ignore_errors=True)


def _refused(what: str, option: str = _OPTION) -> Unusable:
    return Unusable(f"{option} {what}")


def refuse_others(
    place: str, option: str = _OPTION, others: Mapping[str, Sequence[str]] = _NO_OTHERS
) -> None:
    """Refuse a folder that has anything but an earlier report, and what is written beside it."""
    name = visible(place, 300)
    if os.path.islink(place) or (os.path.lexists(place) and not os.path.isdir(place)):
        raise _refused(f"{name} is not a folder: choose a new folder for the report", option)
    try:
        strange = next(_strange(place, others), "") if os.path.isdir(place) else ""
    except OSError as error:
        reason = reason_of(error)
        raise _refused(f"{name} cannot be read: {reason}", option) from None
    if strange:
        what = f"contains {visible(strange)}, which is not part of a report"
        step = "move your files away first, or choose a new folder"
        raise _refused(f"{name} {what}: {step}", option)


def _strange(place: str, others: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Yield what is in a folder and is not part of a report: all of it unless one is marked."""
    names = set(os.listdir(place))
    marker = os.path.join(place, MARKER)
    if MARKER in names and os.path.getsize(marker) == len(_MARK):
        names -= {MARKER, PAGES, ASSETS, INDEX, *others}
    yield from sorted(names)
    yield from _strange_in(place, PAGES, (".html",))
    yield from _strange_in(place, ASSETS, (".css", ".js"))
    for part, endings in others.items():
        path = os.path.join(place, part)
        if endings:
            yield from _strange_in(place, part, endings, has_folders=True)
        elif os.path.lexists(path) and (os.path.islink(path) or not os.path.isfile(path)):
            yield part


def _strange_in(
    place: str, part: str, endings: Sequence[str], *, has_folders: bool = False
) -> Iterator[str]:
    """Yield what is in a folder besides files with these endings, there or in its own folders."""
    with contextlib.suppress(FileNotFoundError), os.scandir(os.path.join(place, part)) as found:
        for entry in found:
            path, is_folder = f"{part}/{entry.name}", entry.is_dir(follow_symlinks=False)
            if is_folder and has_folders:
                yield from _strange_in(place, path, endings)
            elif not (entry.name.endswith(tuple(endings)) and entry.is_file(follow_symlinks=False)):
                yield path


FORMAT = Format(
    "html",
    "DIR",
    "the report, as a static website",
    write_site,
    lambda target, *_: refuse_others(os.path.abspath(target)),
    folder=True,
)
