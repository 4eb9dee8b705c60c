"""The columns of a table share the width of the terminal."""

from __future__ import annotations

import pytest

from verify.reporters.columns import title_room, wrapped

HEADERS = ["check", "result", "what is checked", "points"]
CELLS = (["F01.1", "F01.10"], ["pass", "FAIL"])


@pytest.mark.parametrize(
    ("width", "room"), [(80, 51), (60, 31), (120, 91), (40, 11), (10, 11), (0, 11)]
)
def test_titles_have_what_the_other_columns_leave(width: int, room: int) -> None:
    assert title_room(width, CELLS, HEADERS) == room


def test_a_table_without_figures_leaves_more_to_the_titles() -> None:
    assert title_room(40, CELLS, HEADERS[:3]) == 21


def test_a_text_is_wrapped_at_its_words() -> None:
    assert wrapped("one two three", 8) == "one two\nthree"


def test_a_word_that_is_too_long_is_broken() -> None:
    assert wrapped("affected_files", 8) == "affected\n_files"
