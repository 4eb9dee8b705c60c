"""The scanner notes where values and keys stand, and problems are shown at those places."""

from __future__ import annotations

from typing import Any

import pytest

from pipeline.protocol.positions import Scan, locate, scan
from pipeline.protocol.problems import Path, Problem


def test_offsets_of_the_wanted_values_and_keys_are_noted_and_of_no_others() -> None:
    text = '{"a": [1, {"b": null}], "c": "x"}'
    wanted: list[Path] = [(), ("a",), ("a", 1), ("a", 1, "b"), ("nowhere",), ("a", 2)]

    assert scan(text, wanted) == Scan(
        values={(): 0, ("a",): 6, ("a", 1): 10, ("a", 1, "b"): 16},
        keys={("a",): 1, ("a", 1, "b"): 11},
        ends={(): 32, ("a",): 21, ("a", 1): 20},
        problems=[],
    )


def test_problems_are_sorted_as_they_stand_in_the_document() -> None:
    text = '{"b": 1,\n "a": {"c": 2}}'
    paths: list[Path] = [("a", "c"), ("a", "lost"), ("b",), ("a",), ("lost",), ("a", "c")]
    problems = [Problem("text", path, str(number)) for number, path in enumerate(paths)]

    assert [(p.message, p.line, p.column) for p in locate(text, problems)] == [
        ("2", 1, 7),
        ("3", 2, 7),
        ("0", 2, 13),
        ("5", 2, 13),
        ("1", 2, 14),
        ("4", 2, 15),
    ]


def test_each_of_several_mistakes_has_its_line_and_column() -> None:
    text = '{"a": 1,\n\n "a": NaN, "b": 2,\n"b": 3, "a": 4}'

    assert [(p.line, p.column) for p in scan(text).problems] == [(3, 2), (3, 7), (4, 1), (4, 9)]


@pytest.mark.parametrize(
    ("text", "word"), [("x" * 100, "x" * 40), ("\x1b", "\\u{1b}"), ("\ue000", "\\u{e000}")]
)
def test_what_is_at_a_syntax_error_is_shown_short_and_safe(text: str, word: str) -> None:
    (problem,) = scan(text).problems

    assert (problem.message, problem.found) == ("this is not JSON", word)


def test_at_most_a_thousand_problems_are_noted() -> None:
    problems = scan("[" + "NaN," * 1500 + "1]").problems

    assert [problem.column for problem in problems] == [2 + 4 * index for index in range(1000)]


def test_a_deep_text_is_walked_without_recursion() -> None:
    depth = 2_000
    inner: Any = (0,) * depth

    assert scan("[" * depth + "1" + "]" * depth, [inner]) == Scan({inner: depth}, {}, {}, [])
