"""A front matter is found, its values are read as meant, and what is not read is told in place."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.front_matter import Field, FrontMatter, read_front_matter
from pipeline.front_matter_values import SYNTAX
from pipeline.problems import Problem

NOT_OPEN = ("no front matter", "a first line of three hyphens")
NOT_CLOSED = (
    "the front matter is never closed",
    "a line of three hyphens after the last field",
    "the end of file",
)


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


def test_values_on_one_line_are_read_as_they_are_meant() -> None:
    written = {
        "**/*.js, **/*.ts": "**/*.js, **/*.ts",
        "{src,lib}/**": "{src,lib}/**",
        "[ab]*.ts": "[ab]*.ts",
        "Use when: x": "Use when: x",
        "composer-2.5[]": "composer-2.5[]",
        "yes": "yes",
        "-1": "-1",
        "a#b # a comment": "a#b",
        "  blanks around\t ": "blanks around",
        "a no-break space\xa0": "a no-break space\xa0",
        "# only a comment": "",
        "~": "",
        "true": True,
        "false # a comment": False,
        "'true'": "true",
        "''": "",
        "'it''s: [a] # b' # a comment": "it's: [a] # b",
        r'"a \"b\" \\ \/ \t\n\x41\u00e9\U0001F600"': 'a "b" \\ / \t\nAé\U0001f600',
        "[]": [],
        "[a]b": "[a]b",
        '[ a b , \'c, ]\' ,"d\\"]", *.ts, ] # a comment': ["a b", "c, ]", 'd"]', "*.ts"],
        "[true, 1]": ["true", "1"],
    }

    assert {text: values(f"key: {text}")["key"] for text in written} == written


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("\n  - a\n\n  # a comment\n  - 'b: c' # a comment\n  - *.ts", ["a", "b: c", "*.ts"]),
        ("\n- a\n-   b", ["a", "b"]),
        (
            "\n  version: '1.0'\n  note: a: b\n  none:",
            {"version": "1.0", "note": "a: b", "none": ""},
        ),
        (" |\n  a\n    b\n\n  c\n\n", "a\n  b\n\nc\n"),
        (" |-\n  a\n  b\n", "a\nb"),
        (" |+ # a comment\n  a\n\n", "a\n\n\n"),
        (" |\n", ""),
        (" |+\n\n", "\n\n"),
        (" >\n  a\n  b\n\n  c\n", "a b\nc\n"),
        (" >-\n\n  a\n    b\n  c\n\n\n  d", "\na\n  b\nc\n\nd"),
    ],
)
def test_a_value_on_the_lines_below_is_read(written: str, value: object) -> None:
    assert values(f"key:{written}\nlast: z") == {"key": value, "last": "z"}


@pytest.mark.parametrize(
    ("front", "message", "found", "place"),
    [
        ("name", "not a field", '"name"', (2, 1)),
        ("  name: x", "not a field", '"name: x"', (2, 3)),
        ("<<: *base", "not a field", '"<<: *base"', (2, 1)),
        ("key:x", "no space after the colon of the key", '":x"', (2, 4)),
        ("key: a\n  b", "the value above goes on over several lines", '"b"', (3, 3)),
        ("key:\n  - a\n    - b", "nested values are not read", '"- b"', (4, 5)),
        ("key:\n\ta: b", "a tab as indentation", r'"\ta: b"', (3, 1)),
        ("key: a\0b", "a control character", r'"\u0000b"', (2, 7)),
        ("key:\n  - \ud800", "a control character", r'"\u{d800}"', (3, 5)),
        ("key: &a b", "YAML anchors are not read", '"&a b"', (2, 6)),
        ("key: !!bool x", "YAML tags are not read", '"!!bool x"', (2, 6)),
        ("key: @a", "YAML reserves this first character", '"@a"', (2, 6)),
        ("key: - a", "a value cannot start like a list item or a map", '"- a"', (2, 6)),
        ("key: {a: b}", "a list or map is not read here", '"{a: b}"', (2, 6)),
        ("key: >2\n  a", "header of a block that is not read", '">2"', (2, 6)),
        ("key: |\n\ta", "a tab as indentation", r'"\ta"', (3, 1)),
        ("key: |\n  a\n b", "text outside the block above", '"b"', (4, 2)),
        ("key: 'a''", "the quote is never closed", "\"'a''\"", (2, 6)),
        ('key: "a\\"', "the quote is never closed", r'"\"a\\\""', (2, 6)),
        ("key: 'a'# b", "text after the closing quote", '"# b"', (2, 9)),
        ("key: [a, b", "the list is never closed", '"[a, b"', (2, 6)),
        ("key: ['a'", "the list is never closed", "\"['a'\"", (2, 6)),
        ("key: [a,, b]", "a list item without a value", '", b]"', (2, 9)),
        ("key: [a, [b]]", "text after an item of a list", '"[b]]"', (2, 10)),
        ("key: [&a]", "YAML anchors are not read", '"&a]"', (2, 7)),
        ("key: [a: b]", "a map or a comment inside a list is not read", '"a: b]"', (2, 7)),
        ("key:\n  - a:", "a map or a comment inside a list is not read", '"a:"', (3, 5)),
        ("key:\n  -", "a list item without a value", '"-"', (3, 3)),
        ("key:\n  - a\n  b", "not an item of the list above", '"b"', (4, 3)),
        ("key:\n  a: >\n", "a block of text is not read here", '">"', (3, 6)),
        (r'key: "ab\ud800"', "unknown escape in a double-quoted value", r'"\\ud800\""', (2, 9)),
        (r'key: "ab\q"', "unknown escape in a double-quoted value", r'"\\q\""', (2, 9)),
        (
            r'key: "\U00110000"',
            "unknown escape in a double-quoted value",
            r'"\\U00110000\""',
            (2, 7),
        ),
    ],
)
def test_whatever_is_outside_the_subset_is_one_problem_where_it_stands(
    front: str, message: str, found: str, place: tuple[int, int]
) -> None:
    problem = only_problem(front)
    path = () if message == "not a field" else ("key",)

    assert problem == Problem(SYNTAX, path, message, problem.expected, found, *place)
    assert problem.expected


def test_a_key_that_stands_twice_keeps_its_first_value() -> None:
    read = read_front_matter("---\nname: a\nmap:\n  b: c\n  b: d\nname: e\n---\n")

    assert {key: field.value for key, field in read.fields.items()} == {"name": "a"}
    assert [(p.rule, p.path, p.found, p.line, p.column) for p in read.problems] == [
        ("front-matter-duplicate", ("map", "b"), "the same key on line 4", 5, 3),
        ("front-matter-duplicate", ("name",), "the same key on line 2", 6, 1),
    ]


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
    ("text", "words"),
    [
        ("", (*NOT_OPEN, '""')),
        ("# Title\r\n---\n", (*NOT_OPEN, '"# Title"')),
        ("\ufeff---\n---\n", (*NOT_OPEN, r'"\u{feff}---"')),
        ("----\n---\n", (*NOT_OPEN, '"----"')),
        ("---\nname: a\n ---\n", NOT_CLOSED),
        ("---", NOT_CLOSED),
    ],
)
def test_a_file_whose_front_matter_does_not_open_or_close_is_all_body(
    text: str, words: tuple[str, str, str]
) -> None:
    problem = Problem("front-matter", (), *words, 1, 1)

    assert read_front_matter(text) == FrontMatter({}, (problem,), body=text, body_line=1)


def test_an_empty_front_matter_has_no_fields_and_no_problem() -> None:
    assert read_front_matter("---\n---") == FrontMatter({}, (), body="", body_line=3)


@pytest.mark.parametrize(
    ("front", "found"),
    [
        ("\n" * 200, "201 bytes and 201 lines"),
        ("a: " + "é" * 8_190 + "x", "16385 bytes and 1 lines"),
    ],
    ids=["lines", "bytes"],
)
def test_a_front_matter_above_the_limits_is_not_read(front: str, found: str) -> None:
    words = ("the front matter is too large", "at most 16384 bytes and 200 lines", found)
    problem = Problem("front-matter", (), *words, 1, 1)
    read = read_front_matter(f"---\n{front}\n---\nBody\n")

    assert read == FrontMatter({}, (problem,), "Body\n", front.count("\n") + 4)


def test_a_front_matter_at_the_limits_is_read() -> None:
    assert values("a: " + "x" * 16_380) == {"a": "x" * 16_380}
    assert values("\n" * 199 + "b: y") == {"b": "y"}


@given(
    value=st.text(st.characters(exclude_categories=("Cc", "Cs"), exclude_characters="\ufffe\uffff"))
)
def test_any_printable_text_comes_back_from_its_quoted_form(value: str) -> None:
    single = value.replace("'", "''")
    double = value.replace("\\", "\\\\").replace('"', '\\"')

    assert values(f"a: '{single}'\nb: \"{double}\"\nc: ['{single}', \"{double}\"]") == {
        "a": value,
        "b": value,
        "c": [value, value],
    }
