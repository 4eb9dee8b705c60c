"""Writes the page of the commands that agents may run, from the table that the tests check."""

from __future__ import annotations

import csv
import os
from typing import NamedTuple

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TABLE = "fixtures/permissions.tsv"

INTRODUCTION = """\
# What agents may run

Generated from `fixtures/permissions.tsv`; a test checks each row.

A client of `--driver acp` asks before it runs a command. The driver takes the command apart with
[tree-sitter's grammar](https://github.com/tree-sitter/tree-sitter-bash) and compares each program,
each option and each path with a list of what the role needs. What is not on the list is refused,
with the reason. The rows are examples in a repository whose target project is `app`; `app/out` is a
link to a folder outside, and ⏎ is a line break.

Variables, loops, substitutions and background jobs are refused: only a shell knows what they do. A
program that is allowed may do what it likes, as the project's own tests may, so the runner also
compares the repository and the remote before and after each turn.

| command | worker | subplanner | reviewer, git agent |
| --- | --- | --- | --- |
"""


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


def permission_page() -> str:
    """Return the page."""
    lines = [f"| {_code(row.command)} | {' | '.join(row[1:])} |" for row in rows()]
    return INTRODUCTION + "\n".join(lines) + "\n"


def _code(command: str) -> str:
    fence = "``" if "`" in command else "`"
    return f"{fence}{command.replace('|', chr(92) + '|')}{fence}"
