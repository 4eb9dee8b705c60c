"""Values of the front matter are read as their writer meant them, or refused with the place."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.front_matter import read_front_matter
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


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("plain text", "plain text"),
        ("**/*.js, **/*.ts", "**/*.js, **/*.ts"),
        ("*.ts", "*.ts"),
        ("{src,lib}/**", "{src,lib}/**"),
        ("[ab]*.ts", "[ab]*.ts"),
        ("[a]b", "[a]b"),
        (r'"\ud7ff\ue000\U0010ffff"', "\ud7ff\ue000\U0010ffff"),
        ("Use when: x", "Use when: x"),
        ("composer-2.5[]", "composer-2.5[]"),
        ("yes", "yes"),
        ("2024-01-01", "2024-01-01"),
        ("-1", "-1"),
        ("a#b # a comment", "a#b"),
        ('it\'s "so"', 'it\'s "so"'),
        ("  blanks around\t ", "blanks around"),
        ("a no-break space\xa0", "a no-break space\xa0"),
        ("", ""),
        ("# only a comment", ""),
        ("true", True),
        ("false # a comment", False),
        ("True", "True"),
        ("'true'", "true"),
        ("''", ""),
        ("'it''s: [a] # b' # a comment", "it's: [a] # b"),
        ('""', ""),
        (r'"a \"b\" \\ \/ \t\n\x41\u00e9\U0001F600"', 'a "b" \\ / \t\nAé\U0001f600'),
        ("[]", []),
        ("[a]", ["a"]),
        ('[ a b , \'c, ]\' ,"d\\"]", *.ts, ] # a comment', ["a b", "c, ]", 'd"]', "*.ts"]),
        ("[true, 1]", ["true", "1"]),
    ],
)
def test_a_value_on_one_line_is_read(written: str, value: object) -> None:
    assert values(f"key: {written}") == {"key": value}


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("\n  - a\n\n  # a comment\n  - 'b: c' # a comment\n  - *.ts", ["a", "b: c", "*.ts"]),
        ("\n- a\n-   b", ["a", "b"]),
        (
            "\n  author: x\n  version: '1.0'\n  note: a: b\n  none:",
            {"author": "x", "version": "1.0", "note": "a: b", "none": ""},
        ),
        (" |\n  a\n    b\n\n  c\n\n", "a\n  b\n\nc\n"),
        (" |-\n  a\n  b\n", "a\nb"),
        (" |\n  a\n  \tb", "a\n\tb\n"),
        (" |+ # a comment\n  a\n\n", "a\n\n\n"),
        (" |\n", ""),
        (" |+\n# a comment", ""),
        (" |+\n\n", "\n\n"),
        (" >\n  a\n  b\n\n  c\n", "a b\nc\n"),
        (" >-\n\n  a\n    b\n  c\n\n\n  d", "\na\n  b\nc\n\nd"),
        (" >-\n  Use when: 'x' # y\n# a comment", "Use when: 'x' # y"),
    ],
)
def test_a_value_on_the_lines_below_is_read(written: str, value: object) -> None:
    assert values(f"key:{written}\nlast: z") == {"key": value, "last": "z"}


@pytest.mark.parametrize(
    ("front", "path", "message", "found", "place"),
    [
        ("key: &a b", ("key",), "YAML anchors are not read", '"&a b"', (2, 6)),
        ("key: !!bool x", ("key",), "YAML tags are not read", '"!!bool x"', (2, 6)),
        ("key: @a", ("key",), "YAML reserves this first character", '"@a"', (2, 6)),
        ("key: - a", ("key",), "a value cannot start like a list item or a map", '"- a"', (2, 6)),
        ("key: {a: b}", ("key",), "a list or map is not read here", '"{a: b}"', (2, 6)),
        ("key: >2\n  a", ("key",), "header of a block that is not read", '">2"', (2, 6)),
        ("key: >= 3", ("key",), "header of a block that is not read", '">= 3"', (2, 6)),
        ("key: |\n\ta", ("key",), "a tab as indentation", r'"\ta"', (3, 1)),
        ("key: |\n  a\n b", ("key",), "text outside the block above", '"b"', (4, 2)),
        ("key: 'a", ("key",), "the quote is never closed", '"\'a"', (2, 6)),
        ("key: 'a''", ("key",), "the quote is never closed", "\"'a''\"", (2, 6)),
        ('key: "a\\"', ("key",), "the quote is never closed", r'"\"a\\\""', (2, 6)),
        (
            "key:\n  - a:",
            ("key",),
            "a map or a comment inside a list is not read",
            '"a:"',
            (3, 5),
        ),
        ("key: |\n- a", ("key",), "text outside the block above", '"- a"', (3, 1)),
        ("key: 'a'# b", ("key",), "text after the closing quote", '"# b"', (2, 9)),
        ("key: 'a', 'b'", ("key",), "text after the closing quote", "\", 'b'\"", (2, 9)),
        ("key: [a, b", ("key",), "the list is never closed", '"[a, b"', (2, 6)),
        ("key: ['a'", ("key",), "the list is never closed", "\"['a'\"", (2, 6)),
        ("key: [\n  a\n]", ("key",), "the list is never closed", '"["', (2, 6)),
        ('key: "a\n  b"', ("key",), "the quote is never closed", r'"\"a"', (2, 6)),
        ("key: [a,, b]", ("key",), "a list item without a value", '", b]"', (2, 9)),
        ("key: [a, [b]]", ("key",), "text after an item of a list", '"[b]]"', (2, 10)),
        ("key: ['a' b]", ("key",), "text after an item of a list", '"b]"', (2, 11)),
        ("key: [&a]", ("key",), "YAML anchors are not read", '"&a]"', (2, 7)),
        (
            "key: [a: b]",
            ("key",),
            "a map or a comment inside a list is not read",
            '"a: b]"',
            (2, 7),
        ),
        (
            "key:\n  - a: b",
            ("key",),
            "a map or a comment inside a list is not read",
            '"a: b"',
            (3, 5),
        ),
        ("key:\n  -", ("key",), "a list item without a value", '"-"', (3, 3)),
        ("key:\n  - a\n  b", ("key",), "not an item of the list above", '"b"', (4, 3)),
        ("key:\n  - [a]", ("key",), "a list or map is not read here", '"[a]"', (3, 5)),
        ("key:\n  a: >\n", ("key",), "a block of text is not read here", '">"', (3, 6)),
    ],
)
def test_a_value_outside_the_subset_is_one_problem(
    front: str, path: tuple[str, ...], message: str, found: str, place: tuple[int, int]
) -> None:
    problem = only_problem(front)

    assert problem == Problem(SYNTAX, path, message, problem.expected, found, *place)
    assert problem.expected


@pytest.mark.parametrize("escape", [r"\q", r"\x4", r"\u12", r"\ud800", r"\U00110000"])
def test_an_escape_that_names_no_character_is_a_problem(escape: str) -> None:
    assert only_problem(f'key: "ab{escape}"') == Problem(
        rule=SYNTAX,
        path=("key",),
        message="unknown escape in a double-quoted value",
        expected=r"one of \" \\ \n \t \xHH \uHHHH that names a character; double a backslash",
        found=f'"\\{escape}\\""',
        line=2,
        column=9,
    )


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
