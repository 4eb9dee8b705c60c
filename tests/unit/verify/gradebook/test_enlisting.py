"""Submissions are written down once each, and nobody's is lost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from verify.gradebook import book
from verify.gradebook.book import Book, Enlisted

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest

    Select = Callable[[str], list[Any]]
    Rows = Callable[..., list[Enlisted]]

WHERE = "SELECT learner, attempt, container, inner, seen FROM submission ORDER BY id"


def test_another_run_meets_the_same_submissions_again_under_the_same_labels(
    begun: Callable[..., Book], select: Select
) -> None:
    met = [
        Enlisted("zoe", "", "folder", "/srv/a", "zoe"),
        Enlisted("zoe", "", "folder", "/srv/b", "zoe"),
    ]
    begun().enlist(met)
    before = select(WHERE)
    begun().enlist(met)

    assert select(WHERE) == [(*row[:-1], 2) for row in before]


def test_the_same_place_met_twice_is_one_submission(
    begun: Callable[..., Book], rows: Rows, select: Select
) -> None:
    begun().enlist(rows("zoe", "zoe"))

    assert select("SELECT count(*) FROM submission") == [(1,)]


def test_a_submission_that_moved_is_met_where_it_stands_now(
    begun: Callable[..., Book], rows: Rows, select: Select
) -> None:
    begun().enlist(rows("zoe"))
    begun().enlist([Enlisted("zoe", "", "archive", "/srv/all.zip", "zoe")])

    assert select(WHERE) == [("zoe", "", "/srv/all.zip", "zoe", 2)]


def test_half_a_character_in_a_name_is_kept_as_an_escape(
    begun: Callable[..., Book], rows: Rows, select: Select
) -> None:
    begun().enlist(rows("abe", "zo\udce9", "yve"))

    assert select("SELECT learner FROM submission ORDER BY id") == [
        ("abe",),
        (r"zo\udce9",),
        ("yve",),
    ]


def test_labels_collide_across_the_pieces_in_which_rows_are_written(
    begun: Callable[..., Book], select: Select, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(book, "_CHUNK", 2)
    begun().enlist(Enlisted("zoe", "", "folder", f"/srv/{n}", "x") for n in range(5))

    assert select("SELECT attempt, container FROM submission ORDER BY id") == [
        ("", "/srv/0"),
        ("@x", "/srv/1"),
        ("@x@x", "/srv/2"),
        ("@x@x@x", "/srv/3"),
        ("@x@x@x@x", "/srv/4"),
    ]
