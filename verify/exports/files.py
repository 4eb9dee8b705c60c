"""Files that exports write: text, piece by piece, in place only once all of it is written."""

from __future__ import annotations

import csv
import io
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from pipeline.writing import writing_whole

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import TextIO

CSV_END = "\r\n"  # only with this does every Python quote a cell with a lone carriage return


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
