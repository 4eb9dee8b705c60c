"""The page about the gradebook says what its schema says, and its queries can be asked."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

import pytest

from pipeline.bootstrap import ROOT
from verify.gradebook.store import VERSION

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable

    from verify.gradebook.recording import Book
    from verify.gradebook.records import Enlisted, Mark

with open(os.path.join(ROOT, "docs", "reference", "gradebook.md"), encoding="utf-8") as page:
    PAGE = page.read()
QUERIES = re.findall(r"```sql\n(.*?)```", PAGE, re.DOTALL)


def test_every_table_has_its_section_and_every_column_its_row(
    connection: sqlite3.Connection,
) -> None:
    names = connection.execute(
        "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY rowid"
    ).fetchall()
    schema = {
        name: [tuple(column[1:3]) for column in connection.execute(f"PRAGMA table_info({name})")]
        for (name,) in names
    }
    tables = PAGE.partition("## The tables")[2].partition("\n## ")[0]
    told = {
        section.partition("\n")[0]: re.findall(r"^\| `(\w+)` \| (\w+) \|", section, re.MULTILINE)
        for section in tables.split("\n### ")[1:]
    }

    assert told == schema


def test_the_version_is_told() -> None:
    assert f"the schema below: {VERSION}." in PAGE


@pytest.mark.parametrize("query", QUERIES)
def test_a_query_of_the_page_can_be_asked(
    begun: Callable[..., Book],
    rows: Callable[..., list[Enlisted]],
    passed: Mark,
    connection: sqlite3.Connection,
    query: str,
) -> None:
    book = begun()
    book.enlist(rows("ada-okafor"))
    book.record([(1, (passed,))])

    assert connection.execute(query).fetchall() is not None
