"""A definition that the IDE could not use as meant has a problem at the place to mend."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from pipeline.bootstrap import ROOT
from pipeline.definition_lint import FORMATS, lint
from pipeline.definitions import Kind, read_definition
from pipeline.problems import Problem

KINDS: tuple[Kind, ...] = get_args(Kind)
FORM, TYPE, LONG = "value of the wrong form", "value of the wrong type", "value too long"
AGENT = "description: a\nmodel: b\n"
SKILL = "description: a\n"
LONG_SKILL = f"name: x-worker\ndescription: {'é' * 1025}"
FRONTS = [
    *("name: x-worker", "name: |\n ", "model: [", "model: a", "description:", "globs: *"),
    *("globs:\n- ''", "alwaysApply: yes", "readonly: true", "\0", "? ", "metadata:\n  a: b"),
]


def problems_of(kind: Kind, front: str, name: str = "x-worker") -> tuple[Problem, ...]:
    return lint(read_definition(f"---\n{front}\n---\nBody\n", kind, name))


def schema_of(kind: Kind) -> dict[str, Any]:
    with open(os.path.join(FORMATS, f"cursor-{kind}.schema.json"), encoding="utf-8") as file:
        schema: dict[str, Any] = json.load(file)
    return schema


@pytest.mark.parametrize(
    ("kind", "front", "name"),
    [
        (
            "agent",
            "name: x-worker-2\ndescription: Use when: x\nmodel: composer-2.5[]",
            "x-worker-2",
        ),
        ("agent", f"{AGENT}readonly: true\nis_background: false\ntools: [a]", "x-worker"),
        ("rule", "globs: *.ts", "x-worker"),
        ("rule", "globs: [a, b]\nalwaysApply: false", "x-worker"),
        ("rule", "alwaysApply: true", "x-worker"),
        ("rule", "description: Routes by tier\nglobs:\n  - *.ts\n  - '*.js'", "x-worker"),
        ("skill", f"{SKILL}name: x-2-y\nmetadata:\n  version: '1'\ncolor: red", "x-2-y"),
        ("skill", f"name: {'a' * 64}\ndescription: {'é' * 1024}", "a" * 64),
    ],
)
def test_a_usable_definition_has_no_problem(kind: Kind, front: str, name: str) -> None:
    assert problems_of(kind, front, name) == ()


@pytest.mark.spec("1.22")
@pytest.mark.parametrize(
    ("kind", "missing"),
    [("agent", ["description", "model"]), ("rule", []), ("skill", ["name", "description"])],
)
def test_a_missing_field_is_a_problem_of_the_whole_file(kind: Kind, missing: list[str]) -> None:
    found = [p for p in problems_of(kind, "") if p.rule != "definition-never-applies"]

    assert [(p.rule, p.path, p.message, p.line, p.column) for p in found] == [
        ("definition-missing", (key,), "the field is missing", 1, 1) for key in missing
    ]
    assert all(problem.expected for problem in found)


@pytest.mark.parametrize(
    ("kind", "front", "path", "found", "place"),
    [
        ("agent", "model: b\ndescription: ' '", ("description",), (FORM, '" "'), (3, 14)),
        ("agent", "model: b\ndescription: true", ("description",), (TYPE, "true"), (3, 14)),
        ("agent", "description: a\nmodel:", ("model",), (FORM, '""'), (3, 1)),
        ("agent", f"{AGENT}readonly: yes", ("readonly",), (TYPE, '"yes"'), (4, 11)),
        ("agent", f'{AGENT}readonly: "\\e[3m"', ("readonly",), (TYPE, r'"\u001b[3m"'), (4, 11)),
        ("rule", "alwaysApply: 'true'", ("alwaysApply",), (TYPE, '"true"'), (2, 14)),
        ("rule", "globs: true", ("globs",), (TYPE, "true"), (2, 8)),
        ("rule", "globs: ['', a]", ("globs", 0), (FORM, '""'), (2, 8)),
        ("rule", "globs:\n  a: b", ("globs",), (TYPE, "an object of 1 field"), (2, 1)),
        ("skill", LONG_SKILL, ("description",), (LONG, "1025 characters"), (3, 14)),
    ],
)
def test_a_wrong_field_is_a_problem_where_its_value_stands(
    kind: Kind,
    front: str,
    path: tuple[str | int, ...],
    found: tuple[str, str],
    place: tuple[int, int],
) -> None:
    (problem,) = problems_of(kind, front)
    message, value = found

    assert problem == Problem("definition-field", path, message, problem.expected, value, *place)
    assert problem.expected in json.dumps(schema_of(kind)["properties"][path[0]])


@pytest.mark.parametrize(
    ("name", "message"),
    [
        *((name, FORM) for name in ("", "X-Worker", "-worker", "x-", "x--worker", "x_worker")),
        ("a" * 65, LONG),
    ],
)
def test_a_skill_name_outside_the_specification_is_a_problem(name: str, message: str) -> None:
    (problem,) = problems_of("skill", f"name: {name}\n{SKILL}", name)

    assert (problem.rule, problem.path, problem.message) == ("definition-field", ("name",), message)


@pytest.mark.parametrize("kind", ["agent", "skill"])
def test_a_name_that_ends_in_a_line_break_is_a_problem(kind: Kind) -> None:
    (problem,) = problems_of(kind, f"name: |\n  x-worker\n{AGENT}", "x-worker\n")

    assert (problem.message, problem.found, problem.line) == (FORM, r'"x-worker\n"', 2)


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
    ("text", "line"), [("---\nglobs: a\n---", 3), ("---\nglobs: a\n\n---\n \n\t\n", 4)]
)
def test_a_blank_body_is_a_problem_where_the_front_matter_ends(text: str, line: int) -> None:
    message, expected = "nothing follows the front matter", "the text of the rule, in Markdown"

    assert lint(read_definition(text, "rule", "x-tier-routing")) == (
        Problem("definition-body", (), message, expected, "", line, 1),
    )


@pytest.mark.parametrize(
    ("front", "place"),
    [
        ("", (1, 1)),
        ("description:\nglobs:\nalwaysApply: false", (4, 14)),
        ("description: ' '\nglobs: []", (1, 1)),
        # what may apply, or cannot be told
        ("alwaysApply: false\ndescription: When to use", None),
        ("alwaysApply: yes", None),
        ("alwaysApply:", None),
        ("description: 'a", None),
    ],
)
def test_a_rule_that_nothing_lets_apply_is_a_problem(
    front: str, place: tuple[int, int] | None
) -> None:
    never = [p for p in problems_of("rule", front) if p.rule == "definition-never-applies"]
    message, expected = "the rule never applies by itself", "alwaysApply: true, or a description"
    path = ("alwaysApply",)

    assert never == (
        [Problem("definition-never-applies", path, message, expected, "", *place)] if place else []
    )


@pytest.mark.spec("1.23")
@pytest.mark.parametrize(
    ("kind", "front", "file_name", "expected"),
    [
        ("agent", AGENT, "x-worker.mdc", "x-worker.md"),
        ("rule", "alwaysApply: true", "x-worker.md", "x-worker.mdc"),
        ("skill", f"name: x-worker\n{SKILL}", "skill.md", "SKILL.md"),
    ],
)
def test_a_file_that_the_ide_does_not_read_is_a_problem(
    kind: Kind, front: str, file_name: str, expected: str
) -> None:
    definition = read_definition(f"---\n{front}\n---\nBody\n", kind, "x-worker")
    message = "the IDE ignores a file of this name here"

    assert lint(definition, expected) == ()
    assert lint(definition, file_name) == (
        Problem("definition-file", (), message, f'"{expected}"', f'"{file_name}"', 1, 1),
    )


@pytest.mark.parametrize("kind", KINDS)
def test_a_front_matter_that_cannot_be_read_is_the_only_problem(kind: Kind) -> None:
    definition = read_definition("# No front matter\n", kind, "x-worker")

    assert [problem.rule for problem in lint(definition)] == ["front-matter"]


def test_all_problems_are_told_in_document_order_and_what_is_unreadable_is_not_missing() -> None:
    text = "---\nname: X\nhooks: !a\nname: b\nreadonly: no\ndescription:\nmodel: &b\n---\n"
    problems = lint(read_definition(text, "agent", "x-worker"), "x-worker.txt")

    assert [(problem.rule, problem.path, problem.line) for problem in problems] == [
        ("definition-file", (), 1),
        ("definition-field", ("name",), 2),
        ("definition-name", ("name",), 2),
        ("front-matter-syntax", ("hooks",), 3),
        ("front-matter-duplicate", ("name",), 4),
        ("definition-field", ("readonly",), 5),
        ("definition-field", ("description",), 6),
        ("front-matter-syntax", ("model",), 7),
        ("definition-body", (), 8),
    ]


@given(
    kind=st.sampled_from(KINDS),
    front=st.lists(st.sampled_from(FRONTS)),
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


@pytest.mark.parametrize("kind", KINDS)
def test_the_published_schema_is_valid_named_and_described(kind: Kind) -> None:
    schema = schema_of(kind)
    Draft202012Validator.check_schema(schema)

    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["$id"] == f"urn:issue-pipeline:cursor-{kind}:1"
    assert all(schema[key].strip() for key in ("title", "description"))
    assert all(field["description"].strip() for field in schema["properties"].values())


def test_importing_the_lint_does_not_import_jsonschema() -> None:
    code = "import sys, pipeline.definition_lint; print('jsonschema' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )

    assert done.stdout == "False\n"
