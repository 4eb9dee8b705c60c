"""The published schemas say of each field of a definition what the lint asks of it."""

from __future__ import annotations

import json
import os
from typing import Any, get_args

import pytest
from jsonschema import Draft202012Validator

import pipeline
from pipeline.definition_lint import lint
from pipeline.definitions import Kind, read_definition
from pipeline.problems import Problem

KINDS: tuple[Kind, ...] = get_args(Kind)
PACKAGE = os.path.dirname(os.path.abspath(pipeline.__file__))

AGENT_MODEL = "the model that runs the role: inherit, or a model id such as composer-2.5[fast=true]"
AGENT_NAME = "the name to delegate to, of lowercase letters, digits and hyphens"
AGENT_DESCRIPTION = "text, not blank, that says when to delegate to the agent"
READONLY = "true or false: whether the agent may only read"
BACKGROUND = "true or false: whether the caller goes on without waiting for the agent"
RULE_DESCRIPTION = "text that says what the rule is for: the agent decides by it"
GLOBS = "file patterns that attach the rule: text with commas between them, or a list"
ALWAYS = "true or false: whether the rule is part of every prompt"
SKILL_NAME = "the folder's name: 1 to 64 lowercase letters, digits and single hyphens between them"
SKILL_DESCRIPTION = (
    "text of 1 to 1024 characters, not blank, that says what the skill does and when to use it"
)
FORM, TYPE, LONG = "value of the wrong form", "value of the wrong type", "value too long"
LONG_NAME = "a" * 65


def problems_of(kind: Kind, front: str, name: str = "x-worker") -> tuple[Problem, ...]:
    return lint(read_definition(f"---\n{front}\n---\nBody\n", kind, name))


def schema_of(kind: Kind) -> dict[str, Any]:
    path = os.path.join(PACKAGE, "formats", f"cursor-{kind}.schema.json")
    with open(path, encoding="utf-8") as file:
        schema: dict[str, Any] = json.load(file)
    return schema


@pytest.mark.parametrize(
    ("kind", "front"),
    [
        ("agent", "description: Implements the plan\nmodel: inherit"),
        ("agent", "name: x-worker\ndescription: Use when: a plan exists\nmodel: composer-2.5[]"),
        ("agent", "description: a\nmodel: b\nreadonly: true\nis_background: false\ntools: [a]"),
        ("rule", "globs: *.ts"),
        ("rule", "alwaysApply: true"),
        ("rule", "description:\nglobs: **/*.js, **/*.ts\nalwaysApply: false"),
        ("rule", "description: Routes by tier\nglobs:\n  - *.ts\n  - '*.js'"),
        ("skill", "name: x-worker\ndescription: Says where artifacts live"),
        ("skill", "name: x-worker\ndescription: a\nmetadata:\n  version: '1'\ncolor: red"),
        ("skill", f"name: x-worker\ndescription: {'é' * 1024}"),
    ],
)
def test_a_usable_definition_has_no_problem(kind: Kind, front: str) -> None:
    assert problems_of(kind, front) == ()


@pytest.mark.parametrize(
    ("kind", "name"), [("agent", "x-worker-2"), ("skill", "a" * 64), ("skill", "x-2-y")]
)
def test_a_name_at_the_edge_of_its_form_has_no_problem(kind: Kind, name: str) -> None:
    assert problems_of(kind, f"name: {name}\ndescription: a\nmodel: b", name) == ()


@pytest.mark.spec("1.22")
@pytest.mark.parametrize(
    ("kind", "front", "missing"),
    [
        ("agent", "name: x-worker", [("description", AGENT_DESCRIPTION), ("model", AGENT_MODEL)]),
        ("agent", "", [("description", AGENT_DESCRIPTION), ("model", AGENT_MODEL)]),
        ("skill", "", [("name", SKILL_NAME), ("description", SKILL_DESCRIPTION)]),
    ],
)
def test_a_missing_field_is_a_problem_of_the_whole_file(
    kind: Kind, front: str, missing: list[tuple[str, str]]
) -> None:
    assert problems_of(kind, front) == tuple(
        Problem("definition-missing", (key,), "the field is missing", expected, "", 1, 1)
        for key, expected in missing
    )


@pytest.mark.parametrize(
    ("row", "message", "expected", "found"),
    [
        ("description:", FORM, AGENT_DESCRIPTION, '""'),
        ("description: ' '", FORM, AGENT_DESCRIPTION, '" "'),
        ("description: true", TYPE, AGENT_DESCRIPTION, "true"),
        ("model: ''", FORM, AGENT_MODEL, '""'),
        ("model: [a, b]", TYPE, AGENT_MODEL, "an array of 2 elements"),
        ("readonly: yes", TYPE, READONLY, '"yes"'),
        ("readonly: 'true'", TYPE, READONLY, '"true"'),
        ("is_background: maybe", TYPE, BACKGROUND, '"maybe"'),
        ('is_background: "\\e[31m"', TYPE, BACKGROUND, r'"\u001b[31m"'),
    ],
)
def test_a_wrong_field_of_an_agent_is_a_problem_where_its_value_stands(
    row: str, message: str, expected: str, found: str
) -> None:
    key, _, value = row.partition(":")
    others = {"description": "description: a", "model": "model: b"}
    others.pop(key, None)
    column = len(key) + 3 if value else 1

    assert problems_of("agent", "\n".join([*others.values(), row])) == (
        Problem("definition-field", (key,), message, expected, found, len(others) + 2, column),
    )


@pytest.mark.parametrize(
    ("row", "path", "message", "expected", "found", "column"),
    [
        ("alwaysApply: 'true'", ("alwaysApply",), TYPE, ALWAYS, '"true"', 14),
        ("alwaysApply:", ("alwaysApply",), TYPE, ALWAYS, '""', 1),
        ("globs: true", ("globs",), TYPE, GLOBS, "true", 8),
        ("globs: ['', a]", ("globs", 0), FORM, "a file pattern, not blank", '""', 8),
        ("globs:\n  a: b", ("globs",), TYPE, GLOBS, "an object of 1 field", 1),
        ("description: [a]", ("description",), TYPE, RULE_DESCRIPTION, "an array of 1 element", 14),
    ],
)
def test_a_wrong_field_of_a_rule_is_a_problem(
    row: str, path: tuple[str | int, ...], message: str, expected: str, found: str, column: int
) -> None:
    assert problems_of("rule", row) == (
        Problem("definition-field", path, message, expected, found, 2, column),
    )


@pytest.mark.parametrize(
    ("name", "message", "found"),
    [
        ("", FORM, '""'),
        ("X-Worker", FORM, '"X-Worker"'),
        ("-worker", FORM, '"-worker"'),
        ("x-", FORM, '"x-"'),
        ("x--worker", FORM, '"x--worker"'),
        ("x_worker", FORM, '"x_worker"'),
        (LONG_NAME, LONG, "65 characters"),
    ],
)
def test_a_skill_name_outside_the_specification_is_a_problem(
    name: str, message: str, found: str
) -> None:
    column = 7 if name else 1

    assert problems_of("skill", f"name: {name}\ndescription: a", name) == (
        Problem("definition-field", ("name",), message, SKILL_NAME, found, 2, column),
    )


def test_a_skill_description_above_1024_characters_is_a_problem() -> None:
    assert problems_of("skill", f"name: x-worker\ndescription: {'é' * 1025}") == (
        Problem(
            rule="definition-field",
            path=("description",),
            message=LONG,
            expected=SKILL_DESCRIPTION,
            found="1025 characters",
            line=3,
            column=14,
        ),
    )


@pytest.mark.parametrize("kind", ["agent", "skill"])
def test_a_name_that_ends_in_a_line_break_is_a_problem(kind: Kind) -> None:
    front = "name: |\n  x-worker\ndescription: a\nmodel: b"

    assert problems_of(kind, front, "x-worker\n") == (
        Problem(
            rule="definition-field",
            path=("name",),
            message=FORM,
            expected=AGENT_NAME if kind == "agent" else SKILL_NAME,
            found=r'"x-worker\n"',
            line=2,
            column=7,
        ),
    )


@pytest.mark.parametrize("kind", KINDS)
def test_the_published_schema_is_valid_named_and_described(kind: Kind) -> None:
    schema = schema_of(kind)
    Draft202012Validator.check_schema(schema)

    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["$id"] == f"urn:issue-pipeline:cursor-{kind}:1"
    assert all(schema[key].strip() for key in ("title", "description"))
    assert all(field["description"].strip() for field in schema["properties"].values())
