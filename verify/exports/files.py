"""Files that exports write: in place only once all is written, with names that are safe."""

from __future__ import annotations

import csv
import hashlib
import io
import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from pipeline.files import writing_whole

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import TextIO

CSV_END = "\r\n"  # only with this does every Python quote a cell with a lone carriage return
_SAFE = re.compile("[a-z0-9][a-z0-9_-]{0,79}")
_UNSAFE = re.compile("[^a-z0-9_-]+")
_DEVICE = re.compile("(?:con|prn|aux|nul|com[0-9]|lpt[0-9])")  # Windows opens these as devices


@contextmanager
def text_file(path: str, *, synced: bool = True) -> Iterator[TextIO]:
    """Open a UTF-8 file as `writing_whole` does; line ends are written as they are given.

    Raises:
        OSError: as `writing_whole`.
    """
    with writing_whole(path, synced=synced) as data:
        # a half character that a format lets through is escaped rather than losing the export
        text = io.TextIOWrapper(data, "utf-8", errors="backslashreplace", newline="")
        yield text
        text.flush()
        text.detach()


def csv_line(cells: Sequence[str | int]) -> str:
    """Return cells as a line, or a part of one, without a line end."""
    line = io.StringIO(newline="")
    csv.writer(line, lineterminator=CSV_END).writerow(cells)
    return line.getvalue().removesuffix(CSV_END)


@contextmanager
def csv_file(path: str, delimiter: str = ",", *, marked: bool = False) -> Iterator[Any]:
    """Open a CSV file as RFC 4180 has it and yield its writer; `marked`: with a byte order mark."""
    with text_file(path) as file:
        if marked:
            file.write("\ufeff")
        yield csv.writer(file, delimiter=delimiter, lineterminator=CSV_END)


def name_of(key: str) -> str:
    """Return the name that a learner's file has, without an ending.

    A key of lower-case ASCII letters, digits, `_` and `-` is its own name. Any other one is made
    such a name and gets a digest of the key behind a dot, which no key's own name has: names differ
    even where the file system ignores case or normalises Unicode.
    """
    if _SAFE.fullmatch(key) and not _DEVICE.fullmatch(key):
        return key
    digest = hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return f"{_UNSAFE.sub('-', key.lower())[:40].strip('-') or 'learner'}.{digest}"
