"""A front matter is found, split into keys and read around its problems."""

from __future__ import annotations

import pytest

from pipeline.front_matter import Field, FrontMatter, read_front_matter
from pipeline.front_matter_values import SYNTAX
from pipeline.problems import Problem


def values(front: str) -> dict[str, object]:
    read = read_front_matter(f"---\n{front}\n---\nBody\n")
    assert read.problems == ()
    return {key: field.value for key, field in read.fields.items()}


def only_problem(front: str) -> Problem:
    read = read_front_matter(f"---\n{front}\n---\nBody\n")
    assert read.fields == {}
    (problem,) = read.problems
    return problem


@pytest.mark.parametrize("line_break", ["\n", "\r\n", "\r"])
def test_every_kind_of_line_break_is_read(line_break: str) -> None:
    text = line_break.join(["--- ", "name: a", "note: |", "  b", "  c", "---\t", "d", ""])

    assert read_front_matter(text) == FrontMatter(
        fields={
            "name": Field(value="a", line=2, column=7),
            "note": Field(value="b\nc\n", line=3, column=7),
        },
        problems=(),
        body=f"d{line_break}",
        body_line=7,
    )


@pytest.mark.parametrize(
    ("front", "path", "message", "found", "place"),
    [
        ("name", (), "not a field", '"name"', (2, 1)),
        ("  name: x", (), "not a field", '"name: x"', (2, 3)),
        ("- a\n- b", (), "not a field", '"- a"', (2, 1)),
        ('"name": x', (), "not a field", r'"\"name\": x"', (2, 1)),
        ("<<: *base", (), "not a field", '"<<: *base"', (2, 1)),
        ("? a", (), "not a field", '"? a"', (2, 1)),
        ("...", (), "not a field", '"..."', (2, 1)),
        ("name:x", ("name",), "no space after the colon of the key", '":x"', (2, 5)),
        (
            "key: a\n- b",
            ("key",),
            "the value above goes on over several lines",
            '"- b"',
            (3, 1),
        ),
        (
            "key: a\n  b",
            ("key",),
            "the value above goes on over several lines",
            '"b"',
            (3, 3),
        ),
        ("key:\n  - a\n    - b", ("key",), "nested values are not read", '"- b"', (4, 5)),
        (
            "key:\n  a:\n    b: c\n    d: e",
            ("key",),
            "nested values are not read",
            '"b: c"',
            (4, 5),
        ),
        ("key:\n\ta: b", ("key",), "a tab as indentation", r'"\ta: b"', (3, 1)),
        ("key: a\0b", ("key",), "a control character", r'"\u0000b"', (2, 7)),
        ("key:\n  - \ud800", ("key",), "a control character", r'"\u{d800}"', (3, 5)),
    ],
)
def test_whatever_is_not_a_field_of_the_subset_is_one_problem(
    front: str, path: tuple[str, ...], message: str, found: str, place: tuple[int, int]
) -> None:
    problem = only_problem(front)

    assert problem == Problem(SYNTAX, path, message, problem.expected, found, *place)
    assert problem.expected


def test_a_key_that_stands_twice_keeps_its_first_value() -> None:
    assert read_front_matter("---\nname: a\nmodel: b\nname: c\n---\nBody\n") == FrontMatter(
        fields={
            "name": Field(value="a", line=2, column=7),
            "model": Field(value="b", line=3, column=8),
        },
        problems=(
            Problem(
                rule="front-matter-duplicate",
                path=("name",),
                message="the key stands twice",
                expected="each key once",
                found="the same key on line 2",
                line=4,
                column=1,
            ),
        ),
        body="Body\n",
        body_line=6,
    )


def test_a_key_that_stands_twice_in_a_map_is_a_problem() -> None:
    assert only_problem("metadata:\n  a: b\n  a: c") == Problem(
        rule="front-matter-duplicate",
        path=("metadata", "a"),
        message="the key stands twice",
        expected="each key once",
        found="the same key on line 3",
        line=4,
        column=3,
    )


def test_the_fields_around_a_problem_are_read() -> None:
    text = "---\nname: a\nhooks:\n  b:\n    - c\n    - d\n&x\nmodel: e\n---\nBody\n"
    read = read_front_matter(text)

    assert read.fields == {
        "name": Field(value="a", line=2, column=7),
        "model": Field(value="e", line=8, column=8),
    }
    assert [(problem.path, problem.line) for problem in read.problems] == [
        (("hooks",), 5),
        ((), 7),
    ]


@pytest.mark.parametrize(
    ("text", "message", "expected", "found"),
    [
        ("", "no front matter", "a first line of three hyphens", '""'),
        ("# Title\r\n---\n", "no front matter", "a first line of three hyphens", '"# Title"'),
        ("\ufeff---\n---\n", "no front matter", "a first line of three hyphens", r'"\u{feff}---"'),
        ("----\n---\n", "no front matter", "a first line of three hyphens", '"----"'),
        (
            "---\nname: a\n ---\n",
            "the front matter is never closed",
            "a line of three hyphens after the last field",
            "the end of file",
        ),
        (
            "---",
            "the front matter is never closed",
            "a line of three hyphens after the last field",
            "the end of file",
        ),
    ],
)
def test_a_file_whose_front_matter_does_not_open_or_close_is_all_body(
    text: str, message: str, expected: str, found: str
) -> None:
    problem = Problem("front-matter", (), message, expected, found, 1, 1)

    assert read_front_matter(text) == FrontMatter({}, (problem,), body=text, body_line=1)


def test_an_empty_front_matter_has_no_fields_and_no_problem() -> None:
    assert read_front_matter("---\n---") == FrontMatter({}, (), body="", body_line=3)


@pytest.mark.parametrize(
    ("front", "found"),
    [
        ("\n" * 200, "201 bytes and 201 lines"),
        ("a: " + "x" * 16_381, "16385 bytes and 1 lines"),
        ("a: " + "é" * 8_190 + "x", "16385 bytes and 1 lines"),
    ],
    ids=["lines", "bytes", "bytes of long characters"],
)
def test_a_front_matter_above_the_limits_is_not_read(front: str, found: str) -> None:
    read = read_front_matter(f"---\n{front}\n---\nBody\n")

    assert (read.fields, read.body, read.body_line) == ({}, "Body\n", front.count("\n") + 4)
    assert read.problems == (
        Problem(
            rule="front-matter",
            path=(),
            message="the front matter is too large",
            expected="at most 16384 bytes and 200 lines",
            found=found,
            line=1,
            column=1,
        ),
    )


def test_a_front_matter_at_the_limits_is_read() -> None:
    assert values("a: " + "x" * 16_380) == {"a": "x" * 16_380}
    assert values("\n" * 199 + "b: y") == {"b": "y"}
