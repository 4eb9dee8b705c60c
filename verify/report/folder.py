"""Where a report stands: made beside its place, then swapped in; nobody's own files are touched."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from contextlib import contextmanager
from typing import TYPE_CHECKING

from pipeline.terminal.display import visible

if TYPE_CHECKING:
    from collections.abc import Iterator

MARKER = ".cohort-report"
PAGES = "learners"
ASSETS = "assets"
INDEX = "index.html"

_MARK = b"A report of verify. It may be replaced by the next one.\n"
_OURS = {MARKER, PAGES, ASSETS, INDEX}


class UnwritableReport(Exception):
    """A report that cannot be written; the message is one line that says what to do."""


@contextmanager
def replaced(folder: str) -> Iterator[str]:
    """Yield a new folder to write into; it takes the place of `folder` when all went well.

    Raises:
        UnwritableReport: something else than a report stands there, or the disk refuses.
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
        told = f"{visible(folder, 300)}: the report cannot be written: {reason}"
        raise UnwritableReport(f"{told}; make room, or name another folder") from None


def _begin(new: str) -> None:
    mask = os.umask(0)
    os.umask(mask)
    os.chmod(new, 0o777 & ~mask)  # mkdtemp's own mode is for secrets
    os.mkdir(os.path.join(new, PAGES))
    os.mkdir(os.path.join(new, ASSETS))
    with open(os.path.join(new, MARKER), "wb") as file:
        file.write(_MARK)


def refuse_others(place: str) -> None:
    """Refuse a place that holds anything but a report of ours, or nothing.

    Raises:
        UnwritableReport: it does.
    """
    shown = visible(place, 300)
    if os.path.islink(place) or (os.path.lexists(place) and not os.path.isdir(place)):
        raise UnwritableReport(f"{shown} is no folder: name a new folder for the report")
    if not os.path.isdir(place):
        return
    try:
        names = set(os.listdir(place))
        if names and not _is_marked(place):
            raise UnwritableReport(
                f"{shown} is not empty and no report of verify: name a new folder, or empty it"
            )
        strange = sorted(names - _OURS) or sorted(_strange_pages(place) if names else ())
    except OSError as error:
        reason = (error.strerror or "unknown reason").lower()
        raise UnwritableReport(f"{shown} cannot be read: {reason}") from None
    if strange:
        raise UnwritableReport(
            f"{shown} holds {visible(strange[0])}, which is no part of a report: move it away first"
        )


def _is_marked(place: str) -> bool:
    try:
        with open(os.path.join(place, MARKER), "rb") as file:
            return file.read(len(_MARK) + 1) == _MARK
    except OSError:
        return False


def _strange_pages(place: str) -> Iterator[str]:
    """Yield what stands in a report's folders and is no page and no asset."""
    endings = {PAGES: (".html",), ASSETS: (".css", ".js")}
    for part, ending in endings.items():
        with contextlib.suppress(FileNotFoundError), os.scandir(os.path.join(place, part)) as found:
            for entry in found:
                if not entry.name.endswith(ending) or not entry.is_file(follow_symlinks=False):
                    yield f"{part}/{entry.name}"


def _swap(new: str, place: str) -> None:
    """Put a finished report in place; the old one goes once the new one stands."""
    if not os.path.isdir(place):
        os.rename(new, place)
        return
    aside = f"{new}.old"
    os.rename(place, aside)
    try:
        os.rename(new, place)
    except OSError:
        os.rename(aside, place)
        raise
    shutil.rmtree(aside, ignore_errors=True)
