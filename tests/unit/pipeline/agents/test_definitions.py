"""Front matter is read as a client's YAML parser does, with places, and no file does harm."""

from __future__ import annotations

import datetime as dt
import re
import time

import pytest
import yaml  # type: ignore[import-untyped]  # few calls, not worth stubs
from hypothesis import given
from hypothesis import strategies as st

from pipeline.agents.clients.base import with_front_matter
from pipeline.agents.definitions import (
    MAX_FRONT_MATTER,
    NO_START,
    Document,
    read_definition,
    read_toml,
)
from pipeline.agents.lint import lint
from pipeline.protocol.problems import Problem

QUOTE_IT = "YAML, with quotes around text that has a colon or starts with * & ! @ % or a bracket"


def refused(front: str) -> tuple[Problem, ...]:
    document = read_definition(f"---\n{front}\n---\nBody\n")

    assert (document.values, document.spots) == ({}, {})
    return document.problems


def test_values_keys_and_the_body_are_found_with_their_places() -> None:
    document = read_definition(
        '---\nname: a\npermission:\n  bash: {"*": ask}\ntools:\n  - b\n---\nBody\n'
    )

    assert document.values == {"name": "a", "permission": {"bash": {"*": "ask"}}, "tools": ["b"]}
    assert document.spots == {
        ("name",): (2, 7),
        ("permission",): (4, 3),
        ("permission", "bash"): (4, 9),
        ("permission", "bash", "*"): (4, 15),
        ("tools",): (6, 3),
        ("tools", 0): (6, 5),
    }
    assert document.keys == {
        ("name",): (2, 1),
        ("permission",): (3, 1),
        ("permission", "bash"): (4, 3),
        ("permission", "bash", "*"): (4, 10),
        ("tools",): (5, 1),
    }
    assert (document.problems, document.body, document.body_line) == ((), "Body\n", 8)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("true", True),
        ("False", False),
        ("yes", "yes"),  # YAML 1.2: a text
        ("", None),
        ("~", None),
        ("12", 12),
        ("0x10", 16),
        ("0o17", 15),
        ("017", 17),
        ("1.5e3", 1500.0),
        ("1.2.3", "1.2.3"),
        ("2024-01-01", dt.date.min),
        ('"12"', "12"),
        ("'true'", "true"),
        ("composer-2.5[fast=true]", "composer-2.5[fast=true]"),
        ("a:b", "a:b"),
    ],
)
def test_a_scalar_has_the_type_that_yaml_gives_it(text: str, value: object) -> None:
    read = read_definition(f"---\na: {text}\n---\n").values["a"]

    assert (type(read), read) == (type(value), value)


@pytest.mark.parametrize(
    ("front", "message", "expected", "found", "place"),
    [
        (
            *("description: Use when: x", "not YAML: mapping values are not allowed here"),
            *(QUOTE_IT, '": x"', (2, 22)),
        ),
        (
            "a: &x b",
            "anchors and aliases are not supported",
            "the value itself, or text in quotes",
            '"&x b"',
            (2, 4),
        ),
        (
            "a: !!binary eA==",
            "YAML tags are not supported",
            "plain or quoted text",
            '"!!binary eA=="',
            (2, 4),
        ),
        ("? [a]\n: b", "a map or a list as a key is not supported", "text", '"[a]"', (2, 3)),
        ("- a", "the front matter is not a map", "`key: value` lines", "", (1, 1)),
    ],
)
def test_what_is_not_read_is_one_problem_at_its_place(
    front: str, message: str, expected: str, found: str, place: tuple[int, int]
) -> None:
    action = "Correct this line, or put its value in quotes."
    problem = Problem("front-matter", (), message, expected, found, *place, action)

    assert refused(front) == (problem,)


def test_a_key_that_is_there_twice_is_a_problem_at_the_second_one() -> None:
    problem = Problem(
        rule="front-matter-duplicate",
        path=("b", "a"),
        message="duplicate key",
        expected="each key only once",
        found="the same key on line 3",
        line=4,
        column=3,
    )

    assert read_definition("---\nb:\n  a: 1\n  a: 2\n---\nx").problems == (problem,)


@given(st.text(st.sampled_from("ab:-?[]{},&*!|>'\"%@`#~ \n\t\r\\\x85\ufeff0.1"), max_size=60))
def test_any_text_is_read_as_pyyaml_reads_it_or_refused_with_a_reason(front: str) -> None:
    text = f"---\n{front}\n---\nx"
    document = read_definition(text)
    if document.problems:
        return
    # from the end of the first line on: a mark of the byte order is then a character like others
    loaded = yaml.load(f"\n{front}", Loader=yaml.BaseLoader)  # noqa: S506  # builds texts only

    assert set(document.values) == (set(loaded) if isinstance(loaded, dict) else set())


def problem(message: str, expected: str, line: int, column: int) -> Problem:
    return Problem("front-matter", (), message, expected, "", line, column)


def test_values_and_the_places_of_their_keys_are_found() -> None:
    text = (
        "name = 'a'\n\n# model = 1\ndeveloper_instructions = '''\nmodel = 2\n'''\n[skills]\nb = 1\n"
    )

    assert read_toml(text) == Document(
        values={"name": "a", "developer_instructions": "model = 2\n", "skills": {"b": 1}},
        spots={("name",): (1, 8), ("developer_instructions",): (4, 26), ("skills",): (7, 9)},
        keys={("name",): (1, 1), ("developer_instructions",): (4, 1), ("skills",): (7, 2)},
        problems=(),
        body=text,
        body_line=1,
    )


DEEP = "at most 16 levels"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a = [1,\n", problem("not TOML: Invalid value", "TOML 1.0", 2, 1)),
        ("a = 1\na = 2\n", problem("not TOML: Cannot overwrite a value", "TOML 1.0", 2, 6)),
        ("a = " + "[" * 20_000, problem("nested too deeply", DEEP, 1, 1)),
        ("a." * 30_000 + "a = 1", problem("nested too deeply", DEEP, 1, 1)),
        ("[" + "a." * 30 + "a]", problem("nested too deeply", DEEP, 1, 1)),
    ],
)
def test_what_is_not_read_is_one_problem(text: str, expected: Problem) -> None:
    start = time.process_time()

    assert read_toml(text).problems == (expected,)
    assert time.process_time() - start < 5


@given(st.text(st.sampled_from("ab=.[]{}'\"#,\n\r\t \\0-:_e+\x00\x7fé"), max_size=80))
def test_any_text_is_read_or_refused_with_one_reason(text: str) -> None:
    document = read_toml(text)

    assert len(document.problems) == (0 if document.values or not document.problems else 1)


PRINTABLE = st.text(st.characters(codec="utf-8", exclude_categories=("C", "Zl", "Zp")))


@given(PRINTABLE, st.lists(PRINTABLE, min_size=1))
def test_a_yaml_parser_reads_back_what_was_written(text: str, items: list[str]) -> None:
    written = with_front_matter({"description": text, "tools": items}, "x")

    assert yaml.safe_load(written.split("---\n")[1]) == {"description": text, "tools": items}


FRAGMENTS = [
    *("---", "\n", "\r\n", "\r", "name:", "globs: ", "metadata:\n", "  ", "- ", "a: b", " #", "#c"),
    *("'", '"', "\\", "\\u12", "\\ud800", "[", "]", "{", "}", ",", ": ", "|", ">", "|-\n", ">+\n"),
    *(
        "name: x-worker\n",
        "model: a\n",
        "alwaysApply: yes\n",
        "\nglobs:\n- ''\n",
        "readonly: true\n",
    ),
    *("&a", "*a", "!t", "<<", "true", "\t", "\0", "\ud800", "\u2028", "é", "x"),
]
ANY_TEXT = st.text(st.characters(exclude_categories=()))
LIKE_FRONT_MATTER = st.lists(st.sampled_from(FRAGMENTS)).map(lambda parts: "---\n" + "".join(parts))
CLOSED = LIKE_FRONT_MATTER.map(lambda text: text + "\n---\nBody\n")


def is_inside(problem: Problem, text: str) -> bool:
    lines = re.split(r"\r\n|\r|\n", text)
    return (
        1 <= problem.line <= len(lines) and 1 <= problem.column <= len(lines[problem.line - 1]) + 1
    )


MERGE_BOMB = "a0: &a0 {k: v}\n" + "".join(
    f"a{level}: &a{level}\n  <<: [*a{level - 1}, *a{level - 1}]\n" for level in range(1, 26)
)
MEGABYTE = 1_000_000
# each would be slow for a reader that is not linear
HOSTILE = {
    "lines never closed": "---\n" + "a: b\n" * 100_000,
    "almost closing lines": "---" + "\n--- x" * 100_000,
    "a megabyte of blanks after the hyphens": "---" + " " * MEGABYTE + "x",
    "a megabyte of blanks after the closing hyphens": "---\n---" + " \t" * MEGABYTE + "x",
    "blanks up to the limit": "---\na: x" + " \t" * 8_000 + "x\n!\n---\n",
    "blanks before a header's end": "---\na: |" + " " * 16_000 + "x\n---\n",
    "a key up to the limit": "---\n" + "a" * 16_000 + "\n---\n",
    "deep indentation": "---\na:\n" + "".join(" " * at + "b:\n" for at in range(170)) + "---\n",
    "a merge bomb": f"---\n{MERGE_BOMB}---\nBody\n",
    "brackets up to the limit": "---\na: " + "[" * 16_000 + "\n---\n",
    "nested lists up to the limit": "---\na:\n" + "- " * 8_000 + "\n---\n",
    "maps up to the limit": "---\n" + "{a: " * 4_000 + "\n---\n",
    "keys of keys up to the limit": "---\n" + "? " * 8_000 + "\n---\n",
    "list items up to the limit": "---\na: [" + "b," * 8_000 + "\n---\n",
    "single quotes up to the limit": "---\na: " + "'" * 16_001 + "\n---\n",
    "escapes up to the limit": '---\na: "' + "\\" * 16_001 + '"\n---\n',
    "hashes up to the limit": "---\na: x" + "#" * 16_000 + "\n!\n---\n",
    "carriage returns": "---\r" + "\r" * MEGABYTE,
    "patterns and blanks": "---\nglobs: *" + " " * 16_000 + "'\n---\n",
    "colons and a quote": "---\ndescription: " + "a: " * 5_000 + "'\n---\n",
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_a_hostile_text_is_read_at_once_as_problems_inside_it(text: str) -> None:
    start = time.process_time()
    document = read_definition(text, cursor=True)
    seconds = time.process_time() - start

    assert seconds < 2
    assert document.problems
    assert all(is_inside(problem, text) for problem in document.problems)


@given(text=st.one_of(ANY_TEXT, LIKE_FRONT_MATTER, CLOSED))
def test_reading_and_linting_any_text_never_raise_and_the_places_are_in_order(text: str) -> None:
    document = read_definition(text)

    for format_ in ("cursor-agent", "cursor-rule", "gemini-agent"):
        places = [(each.line, each.column) for each in lint(document, format_, "x-worker")]
        assert places == sorted(places)
    assert text.endswith(document.body)


@pytest.mark.parametrize("line_break", ["\n", "\r\n", "\r"])
def test_every_kind_of_line_break_is_read(line_break: str) -> None:
    text = line_break.join(["--- ", "name: a", "note: |", "  b", "  c", "---\t", "d", ""])
    document = read_definition(text)

    assert document.values == {"name": "a", "note": "b\nc"}
    assert document.spots == {("name",): (2, 7), ("note",): (3, 7)}
    assert (document.problems, document.body, document.body_line) == ((), f"d{line_break}", 7)


@pytest.mark.parametrize(
    "globs", ["*.ts", "**/*.js, **/*.ts", "{src,lib}/**", "[ab]*.ts", "!a", "src/**"]
)
def test_patterns_of_cursor_are_read_although_they_are_no_yaml(globs: str) -> None:
    text = f"---\nglobs: {globs}  \nalwaysApply: false\n---\nBody\n"
    document = read_definition(text, cursor=True)

    assert document.values == {"globs": globs, "alwaysApply": False}
    assert document.spots["globs",] == (2, 8)


@pytest.mark.parametrize(
    "text", ["", "# Title\r\n---\n", "----\n---\n", "---\nname: a\n ---\n", "---"]
)
def test_a_file_whose_front_matter_does_not_open_or_close_is_all_body(text: str) -> None:
    document = read_definition(text)

    assert (document.values, document.body, document.body_line) == ({}, text, 1)
    assert [problem.rule for problem in document.problems] == ["front-matter"]


def test_a_front_matter_above_the_limit_is_not_read() -> None:
    document = read_definition(f"---\na: {'x' * MAX_FRONT_MATTER}\n---\nBody\n")

    assert (document.values, document.body, document.body_line) == ({}, "Body\n", 4)
    assert [each.message for each in document.problems] == [
        "the front matter is larger than the lint reads"
    ]


@pytest.mark.parametrize(
    ("text", "message", "line", "action"),
    [
        (
            "```md\n---\na: b\n---\nBody\n```\n",
            *("a code fence is around the file", 1),
            "Remove the first line, and the line ``` at the end.",
        ),
        ("\n\n---\na: b\n---\nBody\n", NO_START, 1, "Remove everything above the line `---`."),
        (
            "---\na: b\nc:\n  - d\n\nBody: text\n",
            *("the front matter is never closed", 1, "Add a line `---` below line 4."),
        ),
        (
            "---\na: b\n\nDo this.\n\n---\n\nAnd that.\n",
            *("the front matter is never closed", 5, "Add a line `---` below line 2."),
        ),
        (
            "---\na: b\nmodel = x\n---\nBody\n",
            *("no colon and blank after a key", 3, "Write `model: x`."),
        ),
        (
            "---\nmodel:inherit\na: b\n---\nBody\n",
            *("no colon and blank after a key", 2, "Write `model: inherit`."),
        ),
    ],
)
def test_m8_each_slip_of_the_front_matter_has_its_action(
    text: str, message: str, line: int, action: str
) -> None:
    (problem,) = read_definition(text).problems

    assert (problem.message, problem.line, problem.action) == (message, line, action)
