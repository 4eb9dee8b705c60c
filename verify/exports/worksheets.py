"""Reads the instructor's own tables, as an LMS exported them, to be filled in."""

from __future__ import annotations

import csv
import io
import os
from typing import NamedTuple

from pipeline.display import visible
from verify.exports.base import UnusableExport

LARGEST = 100_000_000  # bytes


class Table(NamedTuple):
    """A table as it was read; `marked` tells whether it began with a byte order mark."""

    header: list[str]
    rows: list[list[str]]
    delimiter: str
    marked: bool


def read_table(path: str, option: str) -> Table:
    """Return the table in a CSV file.

    Raises:
        UnusableExport: missing, too large, no UTF-8, no table.
    """
    text = _text(path, option)
    marked = text.startswith("\ufeff")
    text = text.removeprefix("\ufeff")
    first = text.partition("\n")[0]
    delimiter = ";" if first.count(";") > first.count(",") else ","
    limit = csv.field_size_limit(LARGEST)  # a comment may be longer than the usual limit
    try:
        header, *rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    except ValueError:
        raise _unusable(path, option, "is empty") from None
    except csv.Error as error:
        raise _unusable(path, option, f"is no CSV file: {error}") from None
    finally:
        csv.field_size_limit(limit)
    return Table(header, rows, delimiter, marked)


def _text(path: str, option: str) -> str:
    if os.path.exists(path) and not (os.path.isfile(path) or os.path.isdir(path)):
        raise _unusable(path, option, "is no regular file")  # a pipe is waited for without end
    try:
        with open(path, "rb") as file:
            data = file.read(LARGEST + 1)
    except OSError as error:
        reason = (error.strerror or "unknown reason").lower()
        raise _unusable(path, option, f"cannot be read: {reason}") from None
    if len(data) > LARGEST:
        raise _unusable(path, option, "is larger than 100 MB")
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise _unusable(path, option, "is no UTF-8: export it from the LMS again") from None


def _unusable(path: str, option: str, what: str) -> UnusableExport:
    return UnusableExport(f"{option} {visible(path, 300)} {what}")
