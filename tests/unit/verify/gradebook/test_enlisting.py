"""Submissions are written down once each, with what the platform says of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from verify.gradebook.book import Book, Enlisted
from verify.gradebook.texts import whole

if TYPE_CHECKING:
    from collections.abc import Callable

    Select = Callable[[str], list[Any]]
    Rows = Callable[..., list[Enlisted]]

WHERE = "SELECT learner, attempt, container, inner, seen FROM submission ORDER BY id"


def test_another_run_meets_the_same_submissions_again_under_the_same_labels(
    begun: Callable[..., Book], select: Select
) -> None:
    met = [
        Enlisted("zoe", "1", "folder", "/srv/a", "zoe"),
        Enlisted("zoe", "2", "folder", "/srv/b", "zoe"),
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


def test_a_submission_that_moved_is_met_where_it_is_now_with_all_that_is_said_of_it(
    begun: Callable[..., Book], rows: Rows, select: Select
) -> None:
    begun().enlist(rows("zoe"))
    begun().enlist(
        [Enlisted("zoe", "", "zip", "/srv/a.zip", "z", "2026-03-01T09:30", True, "two claim it")]  # noqa: FBT003  # late
    )

    assert select("SELECT * FROM submission") == [
        (1, "zoe", "", "zip", "/srv/a.zip", "z", "2026-03-01T09:30", 1, "two claim it", 2)
    ]


def test_a_path_of_a_system_that_knows_only_ascii_is_kept_as_everywhere_else() -> None:
    assert whole("coll\udcc3\udca9/zo\udce9") == r"collé/zo\udce9"
    assert whole("\ud800\udcc3\udca9") == r"\ud800\udcc3\udca9"


def test_half_a_character_in_a_name_is_kept_as_an_escape(
    begun: Callable[..., Book], rows: Rows, select: Select
) -> None:
    begun().enlist(rows("abe", "zo\udce9", "yve"))

    assert select("SELECT learner FROM submission ORDER BY id") == [
        ("abe",),
        (r"zo\udce9",),
        ("yve",),
    ]
