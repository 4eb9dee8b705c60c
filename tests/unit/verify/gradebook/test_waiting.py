"""What is to be graded, and what is to be graded again, is read in pieces."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from verify.gradebook import current, waiting
from verify.gradebook.book import Book, Enlisted
from verify.gradebook.current import Results
from verify.gradebook.records import Known, Record
from verify.gradebook.rules import Rules

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable

    from verify.gradebook.values import ExerciseInfo

    Rows = Callable[..., list[Enlisted]]
    Begun = Callable[..., Book]


def test_only_what_this_run_met_is_pending(begun: Begun, rows: Rows) -> None:
    begun().enlist(rows("zoe", "abe"))
    book = begun()
    book.enlist(rows("abe"))

    assert [one.inner for one in book.pending(latest=True)] == ["abe"]


def test_results_are_written_while_the_rest_is_read(
    begun: Begun, rows: Rows, passed: Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(waiting, "_PIECE", 2)
    book = begun()
    book.enlist(rows("a", "b", "c", "d", "e"))
    met = []
    for one in book.pending(latest=True):
        met.append(one.inner)
        book.record([(one.id, (passed,))])

    assert met == ["a", "b", "c", "d", "e"]


@pytest.mark.parametrize(("latest", "inner"), [(True, ["new"]), (False, ["old", "new"])])
def test_the_last_attempt_stands_for_its_learner_unless_all_are_asked_for(
    begun: Begun, *, latest: bool, inner: list[str]
) -> None:
    book = begun()
    book.enlist(
        [
            Enlisted("zoe", "2026-01-01", "folder", "/srv", "old"),
            Enlisted("zoe", "2026-01-02", "folder", "/srv", "new"),
        ]
    )

    assert [one.inner for one in book.pending(latest=latest)] == inner
    assert book.expected(latest=latest) == len(inner)


def test_a_later_attempt_of_an_earlier_run_hides_no_attempt_of_this_one(begun: Begun) -> None:
    begun().enlist([Enlisted("zoe", "2", "folder", "/srv", "gone")])
    book = begun()
    book.enlist([Enlisted("zoe", "1", "folder", "/srv", "here")])

    assert [one.inner for one in book.pending(latest=True)] == ["here"]
    assert book.expected(latest=True) == 1


def test_a_result_under_the_same_rules_is_known(begun: Begun, rows: Rows, passed: Record) -> None:
    book = begun()
    book.enlist(rows("zoe", "abe"))
    book.record([(1, (passed,))])
    book = begun()
    book.enlist(rows("zoe", "abe"))

    assert [one.known for one in book.pending(latest=True)] == [
        (Known(passed.questions, passed.answers),),
        (),
    ]


def test_a_result_under_other_rules_is_not_known(begun: Begun, rows: Rows, passed: Record) -> None:
    book = begun()
    book.enlist(rows("zoe"))
    book.record([(1, (passed,))])
    begun(digest="d2")
    book = begun(digest="d2")
    book.enlist(rows("zoe"))

    assert [one.known for one in book.pending(latest=True)] == [()]


def test_an_exercise_that_is_new_to_the_gradebook_leaves_the_other_known(
    begun: Begun, rows: Rows, passed: Record, evidence: ExerciseInfo, tiers: ExerciseInfo
) -> None:
    book = begun(evidence)
    book.enlist(rows("zoe"))
    book.record([(1, (passed,))])
    book = begun(tiers, evidence)
    book.enlist(rows("zoe"))
    known = Known(passed.questions, passed.answers)

    assert [one.known for one in book.pending(latest=True)] == [(None, known)]


NAME = "expert/04"


@pytest.mark.parametrize(("latest", "inner"), [(True, ["b", "c"]), (False, ["a", "b", "c"])])
def test_pieces_add_up_while_results_are_written(
    begun: Begun,
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
