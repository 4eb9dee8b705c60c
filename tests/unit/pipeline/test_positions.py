"""The scanner notes where values and keys stand, and problems are shown at those places."""

from __future__ import annotations

from typing import Any

import pytest

from pipeline.positions import Scan, locate, scan
from pipeline.problems import Path, Problem


def place(text: str, path: Path, rule: str = "text") -> tuple[int, int]:
    (problem,) = locate(text, [Problem(rule, path, "wrong")])
    return problem.line, problem.column


def test_offsets_of_the_wanted_values_and_keys_are_noted() -> None:
    text = '{"a": [1, {"b": null}], "c": "x"}'
    wanted: list[Path] = [(), ("a",), ("a", 1), ("a", 1, "b"), ("nowhere",), ("a", 2)]

    assert scan(text, wanted) == Scan(
        values={(): 0, ("a",): 6, ("a", 1): 10, ("a", 1, "b"): 16},
        keys={("a",): 1, ("a", 1, "b"): 11},
        problems=[],
    )


def test_nothing_is_noted_of_values_that_nobody_wants() -> None:
    assert scan('{"a": [1, 2]}') == Scan({}, {}, [])


@pytest.mark.parametrize(
    ("text", "path", "line", "column"),
    [
        ("1", (), 1, 1),
        ("  \n\t1", (), 2, 2),
        ('{"a": 1}', ("a",), 1, 7),
        ('{"a"\n:\n1}', ("a",), 3, 1),
        ('{\n  "a": [\n    1,\n    {"b": true}\n  ]\n}', ("a", 1, "b"), 4, 11),
        ('{\r\n  "a": [\r\n    1,\r\n    {"b": true}\r\n  ]\r\n}', ("a", 1, "b"), 4, 11),
        ('{"\U0001f600é": "\U0001f600", "a": 1}', ("a",), 1, 18),
        ('["\\ud83d\\ude00", 1]', (1,), 1, 18),
        ('{"\\u0061\\"\\\\": 1}', ('a"\\',), 1, 16),
        ('{"a": 1, "b": 2, "a": 3}', ("a",), 1, 23),
        ('{"a": {"b": 1}, "a": {"b": 2}}', ("a", "b"), 1, 28),
        ('["[{", "\\"]", {}]', (2,), 1, 15),
        ("[[], {}, [[], -1.5e3]]", (2, 1), 1, 15),
        ('{"": {"": 0}}', ("", ""), 1, 11),
        ("[\u2028]".replace("\u2028", "1,\n\n\n2"), (1,), 4, 1),
        ('["a\u2028b",\n1]', (1,), 2, 1),
    ],
)
def test_a_problem_is_shown_where_its_value_stands(
    text: str, path: Path, line: int, column: int
) -> None:
    assert place(text, path) == (line, column)


@pytest.mark.parametrize(
    ("text", "path", "line", "column"),
    [
        ('{"m": {"x": 1}}', ("m", "x"), 1, 8),
        ('{"m": {\n"a": 1,\n  "\\u0078": 1}}', ("m", "x"), 3, 3),
        ('{"m": {"x": 1,\n "x": 2}}', ("m", "x"), 2, 2),
    ],
)
def test_the_problem_of_a_key_is_shown_at_the_key(
    text: str, path: Path, line: int, column: int
) -> None:
    assert place(text, path, "criterion-label") == (line, column)


@pytest.mark.parametrize(
    ("text", "path", "line", "column"),
    [
        ("{}", ("steps",), 1, 1),
        ("\n\n  {}", ("steps",), 3, 3),
        ('{"steps": [{"order": 1},\n {"order": 2}]}', ("steps", 1, "file"), 2, 2),
    ],
)
def test_a_missing_field_is_shown_at_the_object_that_lacks_it(
    text: str, path: Path, line: int, column: int
) -> None:
    assert place(text, path) == (line, column)


def test_problems_are_sorted_as_they_stand_in_the_document() -> None:
    text = '{"b": 1,\n "a": {"c": 2}}'
    paths: list[Path] = [("a", "c"), ("a", "lost"), ("b",), ("a",), ("lost",), ("a", "c")]
    problems = [Problem("text", path, str(number)) for number, path in enumerate(paths)]

    assert [(p.message, p.line, p.column) for p in locate(text, problems)] == [
        ("4", 1, 1),
        ("2", 1, 7),
        ("1", 2, 7),
        ("3", 2, 7),
        ("0", 2, 13),
        ("5", 2, 13),
    ]


def test_locating_changes_nothing_of_a_problem_but_its_place() -> None:
    problem = Problem("text", ("a",), "wrong", "this", "that")

    assert locate('{"a": 1}', [problem]) == [
        Problem("text", ("a",), "wrong", "this", "that", 1, 7),
    ]


def test_the_walk_ends_at_the_first_syntax_error() -> None:
    found = scan('{"a": NaN, "a": 1,, "a": 2}', [("a",)])

    assert found == Scan(
        values={("a",): 16},
        keys={("a",): 11},
        problems=[
            Problem("json", (), "this is not a JSON number", "a finite number", "NaN", 1, 7),
            Problem(
                "json", (), "this key stands twice in one object", "each key once", '"a"', 1, 12
            ),
            Problem("json", (), "this is not JSON", "a key in double quotes", ",", 1, 19),
        ],
    )


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("undefined", "undefined"),
        ("x" * 100, "x" * 40),
        ("\x1b[31m", "\\u{1b}"),
        ("a\u202eb", "a\\u{202e}b"),
        ("\u2028", "\\u{2028}"),
    ],
)
def test_what_stands_at_a_syntax_error_is_shown_short_and_safe(text: str, word: str) -> None:
    expected = Problem("json", (), "this is not JSON", "a value", word, 1, 1)

    assert scan(text).problems == [expected]


def test_at_most_a_thousand_problems_are_noted() -> None:
    problems = scan("[" + "NaN," * 1500 + "1]").problems

    assert [problem.column for problem in problems] == [2 + 4 * index for index in range(1000)]


def test_a_deep_text_is_walked_without_recursion() -> None:
    depth = 2_000
    inner: Any = (0,) * depth

    assert scan("[" * depth + "1" + "]" * depth, [inner]) == Scan({inner: depth}, {}, [])
