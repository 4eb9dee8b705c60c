"""What makes a definition file of the IDE usable: its JSON Schema and the rules beyond it."""

from __future__ import annotations

import json
import os
from functools import cache
from typing import TYPE_CHECKING, Any

from pipeline.agents.front_matter import WHOLE
from pipeline.protocol.problems import Problem
from pipeline.terminal.display import quoted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from jsonschema import Draft202012Validator, ValidationError

    from pipeline.agents.definitions import Definition, Kind

MISSING = "definition-missing"
FIELD = "definition-field"
UNKNOWN = "definition-unknown"
NAME = "definition-name"
BODY = "definition-body"
FILE = "definition-file"
NEVER = "definition-never-applies"

FORMATS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "formats")
_MESSAGES = {
    "type": "value of the wrong type",
    "pattern": "value of the wrong form",
    "maxLength": "value too long",
}
_FILE_NAMES = {"agent": "{name}.md", "rule": "{name}.mdc", "skill": "SKILL.md"}


def lint(definition: Definition, file_name: str = "") -> tuple[Problem, ...]:
    """Return what is wrong with a definition, in document order; empty if it can be used.

    Checked are the front matter against the published schema of the kind
    (`formats/cursor-*.schema.json`), an agent's `name` against its file's name (Cursor
    docs, subagents: the file name is its default), a skill's against its folder's (Agent Skills
    specification), that the body says something, and that a rule can apply by itself: without
    `alwaysApply`, `globs` and `description` the IDE takes it in only where a prompt names it with @
    (Cursor docs, rules), and no prompt of the pipeline does.

    Args:
        definition: the file as read; its reading problems are part of the answer, and a front
            matter that could not be read at all is not checked further.
        file_name: the file's own name, if the caller wants it checked: Cursor ignores a rule that
            is not a `.mdc` file.

    Returns:
        Problems with the rules `front-matter`, `front-matter-syntax`, `front-matter-duplicate`,
        `definition-missing`, `definition-field`, `definition-unknown`, `definition-name`,
        `definition-never-applies`, `definition-body` and `definition-file`. The line and column
        are 1:1 where a field is missing or the file's own name is meant.
    """
    problems = [*_file_problems(definition, file_name), *definition.problems]
    if all(problem.rule != WHOLE for problem in problems):
        problems += _missing_problems(definition)
        problems += _schema_problems(definition)
        problems += _name_problems(definition)
        problems += _never_problems(definition)
        problems += _body_problems(definition)
    return tuple(sorted(problems, key=lambda problem: (problem.line, problem.column)))


def _file_problems(definition: Definition, file_name: str) -> Iterator[Problem]:
    expected = _FILE_NAMES[definition.kind].format(name=definition.name)
    if file_name and file_name != expected:
        message = "the IDE ignores a file of this name here"
        yield Problem(FILE, (), message, quoted(expected), quoted(file_name), 1, 1)


def _missing_problems(definition: Definition) -> Iterator[Problem]:
    schema = _schema(definition.kind)
    present = {
        *definition.fields,
        *(problem.path[0] for problem in definition.problems if problem.path),
    }
    for key in schema.get("required", ()):
        if key not in present:
            expected = schema["properties"][key]["description"]
            action = f"Add a line {key}: with its value, between the two lines ---."
            yield Problem(MISSING, (key,), "the field is missing", expected, "", 1, 1, action)


def _schema_problems(definition: Definition) -> Iterator[Problem]:
    values = {key: field.value for key, field in definition.fields.items()}
    for error in _validator(definition.kind).iter_errors(values):
        if error.validator == "additionalProperties":
            yield from _unknown_problems(definition)
        elif error.validator != "required":  # told apart by _missing_problems
            yield _field_problem(definition, error)


def _unknown_problems(definition: Definition) -> Iterator[Problem]:
    known = _schema(definition.kind)["properties"]
    expected = f"only {', '.join(known)}"
    for key, field in definition.fields.items():
        if key not in known:
            message = f"the key has no effect in a {definition.kind}"
            yield Problem(UNKNOWN, (key,), message, expected, quoted(key), field.line, 1)


def _field_problem(definition: Definition, error: ValidationError) -> Problem:
    path = tuple(error.absolute_path)
    field = definition.fields[str(path[0])]
    message = _MESSAGES.get(str(error.validator), "value that is not allowed")
    expected = error.schema["description"] if isinstance(error.schema, dict) else ""
    found = quoted(error.instance)
    if error.validator == "maxLength":
        found = f"{len(str(error.instance))} characters"
    return Problem(FIELD, path, message, expected, found, field.line, field.column)


def _name_problems(definition: Definition) -> Iterator[Problem]:
    field = definition.fields.get("name")
    if definition.kind == "rule" or field is None or field.value == definition.name:
        return
    source = "the name of its folder" if definition.kind == "skill" else "the name of its file"
    message = f"the {definition.kind}'s name is not {source}"
    expected, found = quoted(definition.name), quoted(field.value)
    yield Problem(NAME, ("name",), message, expected, found, field.line, field.column)


def _never_problems(definition: Definition) -> Iterator[Problem]:
    fields = definition.fields
    unread = {problem.path[0] for problem in definition.problems if problem.path}
    if definition.kind != "rule" or unread & {"description", "globs", "alwaysApply"}:
        return
    always = fields.get("alwaysApply")
    says = any(
        _says_something(fields[key].value) for key in ("description", "globs") if key in fields
    )
    if not says and (always is None or always.value is False):
        message, expected = (
            "the rule never applies by itself",
            "alwaysApply: true, or a description",
        )
        line, column = (always.line, always.column) if always else (1, 1)
        yield Problem(NEVER, ("alwaysApply",), message, expected, "", line, column)


def _says_something(value: object) -> bool:
    return bool(value.strip() if isinstance(value, str) else value)


def _body_problems(definition: Definition) -> Iterator[Problem]:
    if not definition.body.strip():
        message = "nothing follows the front matter"
        expected = f"the text of the {definition.kind}, in Markdown"
        yield Problem(BODY, (), message, expected, "", definition.body_line - 1, 1)


@cache
def _schema(kind: Kind) -> dict[str, Any]:
    path = os.path.join(FORMATS, f"cursor-{kind}.schema.json")
    with open(path, encoding="utf-8") as file:
        schema: dict[str, Any] = json.load(file)
    return schema


@cache
def _validator(kind: Kind) -> Draft202012Validator:
    from jsonschema import Draft202012Validator  # slow, and rarely needed

    return Draft202012Validator(_schema(kind))
