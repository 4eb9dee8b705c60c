"""A problem is told in one line that a person and an editor can read."""

from __future__ import annotations

import pytest

from pipeline.problems import Path, Problem, line_and_column


@pytest.mark.parametrize(
    ("expected", "found", "sentence"),
    [
        ("", "", "wrong"),
        ("this", "", "wrong (expected this)"),
        ("", "that", "wrong (found that)"),
        ("this", "that", "wrong (expected this, found that)"),
    ],
)
def test_a_sentence_says_what_was_expected_and_found(
    expected: str, found: str, sentence: str
) -> None:
    assert Problem("rule", (), "wrong", expected, found).sentence() == sentence


@pytest.mark.parametrize(
    ("path", "line", "column", "shown"),
    [
        (("steps", 2, "file"), 3, 14, "plan.json:3:14: $.steps[2].file: wrong"),
        ((), 3, 14, "plan.json:3:14: wrong"),
        (("a",), 0, 0, "plan.json: $.a: wrong"),
        ((), 0, 0, "plan.json: wrong"),
    ],
)
def test_a_line_names_the_file_the_place_and_the_path(
    path: Path, line: int, column: int, shown: str
) -> None:
    problem = Problem("rule", path, "wrong", line=line, column=column)

    assert problem.line_for("plan.json") == shown


def test_the_name_of_the_file_is_made_safe_and_cut() -> None:
    assert Problem("rule", (), "wrong").line_for("a\n\x1b.json") == "a\\u{a}\\u{1b}.json: wrong"
    assert Problem("rule", (), "wrong").line_for("a" * 301) == "a" * 299 + "…: wrong"


@pytest.mark.parametrize(
    ("text", "offset", "place"),
    [
        ("", 0, (1, 1)),
        ("abc", 0, (1, 1)),
        ("abc", 3, (1, 4)),
        ("a\nb", 1, (1, 2)),
        ("a\nb", 2, (2, 1)),
        ("a\r\nb", 3, (2, 1)),
        ("a\rb", 2, (1, 3)),
        ("a\u2028b", 2, (1, 3)),
        ("\n\n\n", 3, (4, 1)),
        ("\U0001f600é", 1, (1, 2)),
    ],
)
def test_places_count_lines_and_characters_from_1(
    text: str, offset: int, place: tuple[int, int]
) -> None:
    assert line_and_column(text, offset) == place
