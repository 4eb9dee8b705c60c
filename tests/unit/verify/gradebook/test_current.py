"""What counts is read with its place, in pieces, to be graded again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from verify.gradebook import current
from verify.gradebook.book import Book, Enlisted
from verify.gradebook.current import Results
from verify.gradebook.rules import Rules

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable

    from verify.gradebook.records import Record

NAME = "expert/04"


@pytest.mark.parametrize(("latest", "inner"), [(True, ["b", "c"]), (False, ["a", "b", "c"])])
def test_pieces_add_up_while_results_are_written(
    begun: Callable[..., Book],
    passed: Record,
    connection: sqlite3.Connection,
    monkeypatch: pytest.MonkeyPatch,
    *,
    latest: bool,
    inner: list[str],
) -> None:
    monkeypatch.setattr(current, "_PIECE", 1)
    book = begun()
    book.enlist(
        [
            Enlisted("zoe", "1", "folder", "/srv", "a"),
            Enlisted("zoe", "2", "folder", "/srv", "b"),
            Enlisted("abe", "", "folder", "/srv", "c"),
        ]
    )
    results = Results(connection, Rules(connection), 1, [NAME], latest=latest)
    met = []
    for one in results:
        met.append(one.inner)
        book.record([(one.id, (passed,))])

    assert met == inner
    assert len(results) == len(inner)
