"""The table of the commands that agents may run, which the tests check row by row."""

from __future__ import annotations

import csv
import os
from typing import NamedTuple

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TABLE = "fixtures/permissions.tsv"


class Row(NamedTuple):
    """A command, with ⏎ for a line break, and whether each role may run it: `yes` or `no`."""

    command: str
    worker: str
    planner: str
    reviewer: str


def rows() -> list[Row]:
    """Return the rows of the table."""
    with open(os.path.join(ROOT, TABLE), encoding="utf-8", newline="") as file:
        return [Row(*row) for row in csv.reader(file, "excel-tab", quoting=csv.QUOTE_NONE)][1:]


def permission_table() -> str:
    """Return the table of a page."""
    head = "| command | worker | subplanner | reviewer, git agent |\n| --- | --- | --- | --- |\n"
    return head + "\n".join(f"| {_code(row.command)} | {' | '.join(row[1:])} |" for row in rows())


def _code(command: str) -> str:
    fence = "``" if "`" in command else "`"
    return f"{fence}{command.replace('|', chr(92) + '|')}{fence}"
