"""A definition that the IDE could not use as meant has a problem at the place to mend."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pipeline
from pipeline.definition_lint import lint
from pipeline.definitions import Kind, read_definition
from pipeline.problems import Problem

KINDS: tuple[Kind, ...] = get_args(Kind)
PACKAGE = os.path.dirname(os.path.abspath(pipeline.__file__))


def problems_of(kind: Kind, front: str, name: str = "x-worker") -> tuple[Problem, ...]:
    return lint(read_definition(f"---\n{front}\n---\nBody\n", kind, name))


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("agent", "the agent's name is not the name of its file"),
        ("skill", "the skill's name is not the name of its folder"),
    ],
)
def test_a_name_other_than_that_of_the_place_is_a_problem(kind: Kind, message: str) -> None:
    assert problems_of(kind, "description: a\nname: x-git\nmodel: b") == (
        Problem("definition-name", ("name",), message, '"x-worker"', '"x-git"', 3, 7),
    )


def test_a_key_that_has_no_effect_in_a_rule_is_a_problem_at_the_key() -> None:
    front = "tools: a\ndescription: a\nalwaysapply: true"
    message, expected = "the key has no effect in a rule", "only description, globs, alwaysApply"

    assert problems_of("rule", front) == (
        Problem("definition-unknown", ("tools",), message, expected, '"tools"', 2, 1),
        Problem("definition-unknown", ("alwaysapply",), message, expected, '"alwaysapply"', 4, 1),
    )


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("---\nglobs: a\n---", 3),
        ("---\nglobs: a\n\n---\n", 4),
        ("---\nglobs: a\n---\n \n\t\n", 3),
    ],
)
def test_a_blank_body_is_a_problem_where_the_front_matter_ends(text: str, line: int) -> None:
    assert lint(read_definition(text, "rule", "x-tier-routing")) == (
        Problem(
            rule="definition-body",
            path=(),
            message="nothing follows the front matter",
            expected="the text of the rule, in Markdown",
            line=line,
            column=1,
        ),
    )


@pytest.mark.parametrize(
    ("front", "place"),
    [
        ("", (1, 1)),
        ("alwaysApply: false", (2, 14)),
        ("description:\nglobs:\nalwaysApply: false", (4, 14)),
        ("description: ' '\nglobs: []", (1, 1)),
    ],
)
def test_a_rule_that_nothing_lets_apply_is_a_problem(front: str, place: tuple[int, int]) -> None:
    never = [p for p in problems_of("rule", front) if p.rule == "definition-never-applies"]
    message, expected = "the rule never applies by itself", "alwaysApply: true, or a description"

    assert never == [
        Problem("definition-never-applies", ("alwaysApply",), message, expected, "", *place)
    ]


@pytest.mark.parametrize(
    ("kind", "front"),
    [
        ("rule", "alwaysApply: true"),
        ("rule", "alwaysApply: false\ndescription: When to use"),
        ("rule", "globs: *.ts"),
        ("rule", "globs: [a, b]\nalwaysApply: false"),
        ("rule", "alwaysApply: yes"),
        ("rule", "alwaysApply:"),
        ("rule", "description: 'a"),
        ("skill", "alwaysApply: false"),
        ("agent", "alwaysApply: false"),
    ],
)
def test_a_rule_that_may_apply_and_any_other_kind_is_not_said_never_to_apply(
    kind: Kind, front: str
) -> None:
    assert "definition-never-applies" not in [p.rule for p in problems_of(kind, front)]


@pytest.mark.spec("1.23")
@pytest.mark.parametrize(
    ("kind", "front", "file_name", "expected"),
    [
        ("agent", "description: a\nmodel: b", "x-worker.mdc", '"x-worker.md"'),
        ("rule", "alwaysApply: true", "x-worker.md", '"x-worker.mdc"'),
        ("skill", "name: x-worker\ndescription: a", "skill.md", '"SKILL.md"'),
    ],
)
def test_a_file_that_the_ide_does_not_read_is_a_problem(
    kind: Kind, front: str, file_name: str, expected: str
) -> None:
    definition = read_definition(f"---\n{front}\n---\nBody\n", kind, "x-worker")
    message = "the IDE ignores a file of this name here"

    assert lint(definition, json.loads(expected)) == ()
    assert lint(definition, file_name) == (
        Problem("definition-file", (), message, expected, f'"{file_name}"', 1, 1),
    )


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "text", ["", "# No front matter\n", "---\nname: X\n", "---\n---" + "-" * 9]
)
def test_a_front_matter_that_cannot_be_read_is_the_only_problem(kind: Kind, text: str) -> None:
    definition = read_definition(text, kind, "x-worker")

    assert [problem.rule for problem in lint(definition)] == ["front-matter"]
    assert lint(definition) == definition.problems


def test_a_field_that_cannot_be_read_is_not_called_missing() -> None:
    problems = problems_of("agent", "description: 'a\nmodel: &b")

    assert [(problem.rule, problem.path) for problem in problems] == [
        ("front-matter-syntax", ("description",)),
        ("front-matter-syntax", ("model",)),
    ]


def test_all_problems_are_told_in_document_order() -> None:
    text = "---\nname: X\nhooks: !a\nname: b\nreadonly: no\ndescription:\n---\n"
    problems = lint(read_definition(text, "agent", "x-worker"), "x-worker.txt")

    assert [(problem.rule, problem.path, problem.line) for problem in problems] == [
        ("definition-file", (), 1),
        ("definition-missing", ("model",), 1),
        ("definition-field", ("name",), 2),
        ("definition-name", ("name",), 2),
        ("front-matter-syntax", ("hooks",), 3),
        ("front-matter-duplicate", ("name",), 4),
        ("definition-field", ("readonly",), 5),
        ("definition-field", ("description",), 6),
        ("definition-body", (), 7),
    ]


@settings(deadline=None)  # the first example imports jsonschema
@given(
    kind=st.sampled_from(KINDS),
    front=st.lists(
        st.sampled_from(
            [
                *(
                    "name: x-worker",
                    "name: |\n ",
                    "model: [",
                    "model: a",
                    "description:",
                    "globs: *",
                ),
                *(
                    "globs:\n- ''",
                    "alwaysApply: yes",
                    "readonly: true",
                    "\0",
                    "? ",
                    "metadata:\n  a: b",
                ),
            ]
        )
    ),
    end=st.sampled_from(["", "\n---", "\n---\nBody\n", "\r\n---\r\n\r\n"]),
    name=st.text(),
)
def test_linting_any_text_never_raises_and_tells_places_inside_it_in_order(
    kind: Kind, front: list[str], end: str, name: str
) -> None:
    text = "\n".join(["---", *front]) + end
    lines = re.split(r"\r\n|\r|\n", text)
    places = [(problem.line, problem.column) for problem in lint(read_definition(text, kind, name))]

    assert places == sorted(places)
    assert all(
        1 <= line <= len(lines) and 1 <= column <= len(lines[line - 1]) + 1
        for line, column in places
    )


def test_importing_the_lint_does_not_import_jsonschema() -> None:
    code = "import sys, pipeline.definition_lint; print('jsonschema' in sys.modules)"
    root = os.path.dirname(PACKAGE)
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True
    )

    assert done.stdout == "False\n"
