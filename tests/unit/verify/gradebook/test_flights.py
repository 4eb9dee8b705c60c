"""What was in flight when the grading process died is known to the next run."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from verify.gradebook.book import Book, Enlisted
    from verify.gradebook.records import Record

    Rows = Callable[..., list[Enlisted]]
    Begun = Callable[..., Book]


def test_nothing_is_suspect_at_first(begun: Begun) -> None:
    assert begun().suspects() == set()


def test_what_was_in_flight_at_a_death_is_suspect(begun: Begun, rows: Rows) -> None:
    begun().enlist(rows("zoe", "abe", "yve"))
    begun().flight([1, 2])
    book = begun()
    book.enlist(rows("zoe", "abe", "yve"))

    assert book.suspects() == {1, 2}


def test_what_is_recorded_has_landed(begun: Begun, rows: Rows, passed: Record) -> None:
    book = begun()
    book.enlist(rows("zoe", "abe"))
    book.flight([1, 2])
    book.record([(1, (passed,))])

    assert book.suspects() == {2}


def test_what_flies_next_has_the_air_to_itself(begun: Begun, rows: Rows) -> None:
    book = begun()
    book.enlist(rows("zoe", "abe", "yve"))
    book.flight([1, 2])
    book.flight([3])

    assert book.suspects() == {3}


def test_a_landing_clears_no_suspect_of_an_earlier_run(begun: Begun, rows: Rows) -> None:
    begun().enlist(rows("zoe", "abe"))
    begun().flight([1, 2])
    book = begun()
    book.enlist(rows("zoe", "abe"))
    book.flight([1])
    book.landed()

    assert book.suspects() == {2}


def test_a_suspect_that_is_not_met_again_is_of_no_concern(begun: Begun, rows: Rows) -> None:
    begun().enlist(rows("zoe"))
    begun().flight([1])

    assert begun().suspects() == set()


def test_a_suspect_that_somebody_graded_is_none_any_more(
    begun: Begun, rows: Rows, passed: Record
) -> None:
    begun().flight([1, 2])
    book = begun()
    book.enlist(rows("ada", "bo"))
    error = passed._replace(outcome="error", score=None)
    book.record([(1, [passed]), (2, [error])])

    assert book.suspects() == {2}
