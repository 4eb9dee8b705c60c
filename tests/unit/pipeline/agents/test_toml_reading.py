"""Codex's definitions are read with the lines of their keys, and no file harms the reader."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.agents.documents import Document
from pipeline.agents.toml_reading import read_toml
from pipeline.problems import Problem


def problem(message: str, expected: str, line: int, column: int) -> Problem:
    return Problem("front-matter", (), message, expected, "", line, column)


def test_values_and_the_places_of_their_keys_are_found() -> None:
    text = (
        "name = 'a'\n\n# model = 1\ndeveloper_instructions = '''\nmodel = 2\n'''\n[skills]\nb = 1\n"
    )

    assert read_toml(text) == Document(
        values={"name": "a", "developer_instructions": "model = 2\n", "skills": {"b": 1}},
        spots={
            ("name",): (1, 8),
            ("developer_instructions",): (4, 26),
            ("skills",): (7, 9),
        },
        keys={
            ("name",): (1, 1),
            ("developer_instructions",): (4, 1),
            ("skills",): (7, 2),
        },
        problems=(),
        body="model = 2\n",
        body_line=4,
    )


DEEP = "keys and values of at most 16 levels"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a = [1,\n", problem("no TOML: Invalid value", "TOML 1.0", 2, 1)),
        ("a = 1\na = 2\n", problem("no TOML: Cannot overwrite a value", "TOML 1.0", 2, 6)),
        ("a = " + "[" * 20_000, problem("nested too deep", DEEP, 1, 1)),
        ("b = 1\na = " + "{a=" * 20, problem("nested too deep", DEEP, 2, 1)),
        ("a." * 30_000 + "a = 1", problem("nested too deep", DEEP, 1, 1)),
        ("[" + "a." * 30 + "a]", problem("nested too deep", DEEP, 1, 1)),
    ],
)
def test_what_is_not_read_is_one_problem(text: str, expected: Problem) -> None:
    start = time.monotonic()

    assert read_toml(text).problems == (expected,)
    assert time.monotonic() - start < 5


def test_dots_and_brackets_in_a_prompt_mean_nothing() -> None:
    prompt = "[" * 100 + "." * 100 + "\n"
    document = read_toml(f"developer_instructions = '''\n{prompt}'''\n")

    assert (document.problems, document.body) == ((), prompt)


@given(st.text(st.sampled_from("ab=.[]{}'\"#,\n\r\t \\0-:_e+\x00\x7fé"), max_size=80))
def test_any_text_is_read_or_refused_with_one_reason(text: str) -> None:
    document = read_toml(text)

    assert len(document.problems) == (0 if document.values or not document.problems else 1)
