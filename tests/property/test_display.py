"""Whatever the text, what is shown of it is printable, short and on one line."""

from __future__ import annotations

import re
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from pipeline.protocol.problems import Path, Problem
from pipeline.terminal.display import json_path, listed, named, quoted, visible

JOINERS = re.compile("[\u200c\u200d]")  # they are kept only where they shape what is seen
TEXTS = (
    st.text("\u200c\u200d\u06cc\u0631\u0915\u094da\U0001f468\ufe0f\u202e", max_size=8)
    | st.text(st.characters(codec=None))
    | st.text("a\\u{}7f\x7fé\u0301e\u0430\U0010ffff…")
)
VALUES = TEXTS | st.integers() | st.floats(allow_nan=False) | st.booleans() | st.lists(TEXTS)
PATHS = st.lists(TEXTS | st.integers(0, 99)).map(tuple)


@given(TEXTS, st.integers(1, 120))
def test_a_visible_text_is_printable_and_within_the_limit(text: str, limit: int) -> None:
    shown = visible(text, limit)

    assert JOINERS.sub("", shown).isprintable()
    assert not re.search(
        "(?:^|[a-z\u200c\u200d])[\u200c\u200d]|[\u200c\u200d]$", visible(text, 10**4)
    )
    assert len(shown) <= limit


@given(VALUES, st.integers(3, 120))
def test_a_quoted_value_is_printable(value: Any, limit: int) -> None:
    shown = quoted(value, limit)

    assert JOINERS.sub("", shown).isprintable()
    assert len(shown) <= max(limit, 30) + len('"~01234567')


NEAR = st.text("ab\x7fé\u0430\ud800…", max_size=8)
MIDDLES = st.tuples(st.integers(0, 90), NEAR, st.integers(0, 90))


@given(MIDDLES, MIDDLES, st.integers(3, 120))
def test_two_names_that_differ_are_never_shown_as_one(
    first: tuple[int, str, int], second: tuple[int, str, int], limit: int
) -> None:
    left, right = ("a" * head + text + "b" * tail for head, text, tail in (first, second))

    assert (named(left, limit) == named(right, limit)) is (left == right)
    assert (quoted(left, limit) == quoted(right, limit)) is (left == right)


@given(st.integers(-(10**307), 10**307), st.integers(1, 10**180))
def test_two_long_numbers_that_differ_are_never_shown_as_one(number: int, more: int) -> None:
    assert quoted(number) != quoted(number + more)


@given(PATHS, TEXTS)
def test_the_line_of_a_problem_is_one_printable_line(path: Path, file: str) -> None:
    problem = Problem("text", path, "wrong", "this", quoted(file), 1, 2)

    for line in (json_path(path), listed([file] * 5), problem.line_for(file)):
        assert JOINERS.sub("", line).isprintable()
