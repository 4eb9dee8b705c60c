"""Reads tables back with a reader of Python's own."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def rows_of(path: Path, encoding: str = "utf-8") -> list[dict[str, str]]:
    """Return the rows of a CSV file by its columns; one that is no strict CSV raises."""
    with open(path, encoding=encoding, newline="") as file:
        return list(csv.DictReader(file, strict=True))
