"""A definition file is read with its places, whatever it holds."""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.agents.definition_lint import lint
from pipeline.agents.definitions import Definition, Field, Kind, read_definition

if TYPE_CHECKING:
    from pipeline.protocol.problems import Problem

KINDS: tuple[Kind, ...] = get_args(Kind)
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


def read(text: str) -> Definition:
    return read_definition(text, "agent", "x-worker")


def is_inside(problem: Problem, text: str) -> bool:
    lines = re.split(r"\r\n|\r|\n", text)
    return (
        1 <= problem.line <= len(lines) and 1 <= problem.column <= len(lines[problem.line - 1]) + 1
    )


def test_a_definition_is_read_with_the_places_of_its_values() -> None:
    text = (
        "---\n"
        "# who does the work\n"
        "name: x-worker\n"
        "model:   claude-opus-4-8[effort=high,context=300k]\n"
        "\n"
        "readonly: false\n"
        "tools:\n"
        "  - read\n"
        "---\n"
        "\n"
        "# Worker\n"
    )

    assert read_definition(text, "agent", "x-worker") == Definition(
        kind="agent",
        name="x-worker",
        fields={
            "name": Field(value="x-worker", line=3, column=7),
            "model": Field(value="claude-opus-4-8[effort=high,context=300k]", line=4, column=10),
            "readonly": Field(value=False, line=6, column=11),
            "tools": Field(value=["read"], line=7, column=1),
        },
        body="\n# Worker\n",
        body_line=10,
        problems=(),
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
    "list items up to the limit": "---\na: [" + "b," * 8_000 + "\n---\n",
    "single quotes up to the limit": "---\na: " + "'" * 16_001 + "\n---\n",
    "escapes up to the limit": '---\na: "' + "\\" * 16_001 + '"\n---\n',
    "hashes up to the limit": "---\na: x" + "#" * 16_000 + "\n!\n---\n",
    "carriage returns": "---\r" + "\r" * MEGABYTE,
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_a_hostile_text_is_read_at_once_as_problems_inside_it(text: str) -> None:
    start = time.process_time()
    definition = read(text)
    seconds = time.process_time() - start

    assert seconds < 2  # of the processor: hundredths of one for a reader that is linear
    assert definition.problems
    assert all(is_inside(problem, text) for problem in definition.problems)


@given(kind=st.sampled_from(KINDS), text=st.one_of(ANY_TEXT, LIKE_FRONT_MATTER, CLOSED))
def test_reading_and_linting_any_text_never_raise_and_tell_places_inside_it_in_order(
    kind: Kind, text: str
) -> None:
    definition = read_definition(text, kind, "x-worker")

    for problems in (definition.problems, lint(definition)):
        places = [(problem.line, problem.column) for problem in problems]
        assert all(is_inside(problem, text) for problem in problems)
        assert places == sorted(places)
    assert text.endswith(definition.body)
