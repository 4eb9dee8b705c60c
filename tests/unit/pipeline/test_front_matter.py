"""A front matter is found and its values are read as meant.

What is said of one that is not read, fixtures/definitions/invalid shows.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.agents.front_matter import Field, FrontMatter, read_front_matter


def values(front: str) -> dict[str, object]:
    read = read_front_matter(f"---\n{front}\n---\nBody\n")
    assert read.problems == ()
    return {key: field.value for key, field in read.fields.items()}


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


def test_the_fields_around_a_problem_are_read() -> None:
    text = "---\nname: a\nhooks:\n  b:\n    - c\n    - d\n&x\nmodel: e\n---\nBody\n"
    read = read_front_matter(text)

    assert read.fields == {
        "name": Field(value="a", line=2, column=7),
        "model": Field(value="e", line=8, column=8),
    }
    assert [(problem.path, problem.line) for problem in read.problems] == [(("hooks",), 5), ((), 7)]


@pytest.mark.parametrize(
    "text", ["", "# Title\r\n---\n", "----\n---\n", "---\nname: a\n ---\n", "---"]
)
def test_a_file_whose_front_matter_does_not_open_or_close_is_all_body(text: str) -> None:
    read = read_front_matter(text)

    assert read == FrontMatter({}, read.problems, body=text, body_line=1)
    assert [problem.rule for problem in read.problems] == ["front-matter"]


def test_an_empty_front_matter_has_no_fields_and_no_problem() -> None:
    assert read_front_matter("---\n---") == FrontMatter({}, (), body="", body_line=3)


@pytest.mark.parametrize("front", ["\n" * 200, "a: " + "é" * 8_190 + "x"], ids=["lines", "bytes"])
def test_a_front_matter_above_the_limits_is_not_read(front: str) -> None:
    read = read_front_matter(f"---\n{front}\n---\nBody\n")

    assert read == FrontMatter({}, read.problems, "Body\n", front.count("\n") + 4)
    assert [problem.message for problem in read.problems] == ["the front matter is too large"]


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
