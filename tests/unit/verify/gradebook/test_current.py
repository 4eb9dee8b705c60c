"""What counts is read with its place, in pieces, to be graded again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from verify.gradebook import current
from verify.gradebook.book import Book, Enlisted
from verify.gradebook.current import Current, Held, Results
from verify.gradebook.records import Known, Record
from verify.gradebook.rules import Rules

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable

NAME = "expert/04"


def test_a_result_that_counts_comes_with_its_rules_and_answers(
    begun: Callable[..., Book],
    rows: Callable[..., list[Enlisted]],
    passed: Record,
    connection: sqlite3.Connection,
) -> None:
    book = begun()
    book.enlist(rows("abe", "zoe"))
    book.record([(1, (Record("error", None, "ee", "[]", b""),))])
    book.record([(1, (passed,))])
    rules = Rules(connection)
    results = Results(connection, rules, 1, [NAME], latest=True)
    held = Held(rules[1], "pass", 5, "pp", Known(passed.questions, passed.answers))

    assert (len(results), rules[1].digest) == (2, "d1")
    assert list(results) == [
        Current(1, "abe", "", "folder", "/srv/cohort", "abe", (held,)),
        Current(2, "zoe", "", "folder", "/srv/cohort", "zoe", (None,)),
    ]


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
