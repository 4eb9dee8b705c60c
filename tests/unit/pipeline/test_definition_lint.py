"""A definition that the IDE could not use as meant has problems: each fixture's stand beside it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import get_args

import pytest
from jsonschema import Draft202012Validator

from pipeline.agents.definition_lint import FORMATS, lint
from pipeline.agents.definitions import Kind, read_definition
from pipeline.bootstrap import ROOT
from pipeline.protocol.problems import Problem

KINDS: tuple[Kind, ...] = get_args(Kind)
DEFINITIONS = os.path.join(ROOT, "fixtures", "definitions")


def names(folder: str) -> list[str]:
    found = sorted(os.listdir(os.path.join(DEFINITIONS, folder)))
    return [name for name in found if not name.endswith(".expected")]


def text_of(folder: str, name: str) -> str:
    with open(os.path.join(DEFINITIONS, folder, name), encoding="utf-8", newline="") as file:
        return file.read()


def linted(folder: str, name: str) -> str:
    """Lint a fixture as a definition of the kind that its name begins with, called `x-worker`."""
    kind = next(kind for kind in KINDS if name.startswith(kind))
    problems = lint(read_definition(text_of(folder, name), kind, "x-worker"))
    return "".join(f"{problem.rule} {problem.line_for(name)}\n" for problem in problems)


@pytest.mark.parametrize("name", names("valid"))
def test_a_usable_definition_has_no_problem(name: str) -> None:
    assert linted("valid", name) == ""


@pytest.mark.spec("1.22")
@pytest.mark.parametrize("name", names("invalid"))
def test_a_definition_that_cannot_be_used_is_told_in_the_lines_beside_it(name: str) -> None:
    assert linted("invalid", name) == text_of("invalid", f"{os.path.splitext(name)[0]}.expected")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("a" * 64, None),
        ("x-2-y", None),
        ("a" * 65, "value too long"),
        *(
            (name, "value of the wrong form")
            for name in ("", "X-Worker", "-worker", "x-", "x--worker", "x_worker")
        ),
    ],
)
def test_a_skill_has_a_name_within_its_specification(name: str, message: str | None) -> None:
    text = f"---\nname: {name}\ndescription: a\n---\nBody\n"
    problems = lint(read_definition(text, "skill", name))

    assert [(problem.path, problem.message) for problem in problems] == (
        [(("name",), message)] if message else []
    )


@pytest.mark.spec("1.23")
@pytest.mark.parametrize(
    ("fixture", "file_name", "expected"),
    [
        ("agent-core.md", "x-worker.mdc", "x-worker.md"),
        ("rule-always.mdc", "x-worker.md", "x-worker.mdc"),
        ("skill-full.md", "skill.md", "SKILL.md"),
    ],
)
def test_a_file_that_the_ide_does_not_read_is_a_problem(
    fixture: str, file_name: str, expected: str
) -> None:
    kind = next(kind for kind in KINDS if fixture.startswith(kind))
    definition = read_definition(text_of("valid", fixture), kind, "x-worker")
    message = "the IDE ignores a file of this name here"

    assert lint(definition, expected) == ()
    assert lint(definition, file_name) == (
        Problem("definition-file", (), message, f'"{expected}"', f'"{file_name}"', 1, 1),
    )


@pytest.mark.parametrize("kind", KINDS)
def test_the_published_schema_is_valid_named_and_described(kind: Kind) -> None:
    with open(os.path.join(FORMATS, f"cursor-{kind}.schema.json"), encoding="utf-8") as file:
        schema = json.load(file)
    Draft202012Validator.check_schema(schema)

    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["$id"] == f"urn:issue-pipeline:cursor-{kind}:1"
    assert all(schema[key].strip() for key in ("title", "description"))
    assert all(field["description"].strip() for field in schema["properties"].values())


def test_importing_the_lint_does_not_import_jsonschema() -> None:
    code = "import sys, pipeline.agents.definition_lint; print('jsonschema' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )

    assert done.stdout == "False\n"
