"""Holds one definition file against the published format of its place."""

from __future__ import annotations

import datetime as dt
import json
import os
from functools import cache
from typing import TYPE_CHECKING, Any

from pipeline.agents.definition_lint import BODY, FIELD, FORMATS, MISSING, NAME, UNKNOWN, lint
from pipeline.agents.definitions import read_definition
from pipeline.agents.front_matter import WHOLE
from pipeline.agents.places import SKILL
from pipeline.agents.toml_reading import read_toml
from pipeline.agents.yaml_reading import read_yaml
from pipeline.protocol.problems import Problem
from pipeline.terminal.display import quoted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from jsonschema import Draft202012Validator, ValidationError

    from pipeline.agents.documents import Document
    from pipeline.agents.places import Place
    from pipeline.protocol.problems import Path

LONG = "definition-too-long"
MOST_CHARACTERS = {"copilot-agent": 30_000}  # of the prompt, by GitHub's documentation

_MESSAGES = {
    "type": "value of the wrong type",
    "pattern": "value of the wrong form",
    "maxLength": "value too long",
    "minimum": "value too small",
    "not": "the key does harm here",
}


def problems_of(text: str, place: Place, name: str) -> tuple[Problem, ...]:
    """Return what is wrong with a definition, in document order; empty if its client takes it.

    Cursor's own files are read line by line, since its examples are not always YAML, and all
    others as YAML or TOML. Never raises, whatever the text is.

    Args:
        text: the decoded file without a byte order mark.
        place: the folder that it stands in.
        name: the file's name without its ending, for a skill the name of its folder.
    """
    if place.format.startswith("cursor-"):
        return lint(read_definition(text, place.kind, name))
    document = read_toml(text) if place.endings == (".toml",) else read_yaml(text)
    problems = list(document.problems)
    if all(problem.rule != WHOLE for problem in problems):
        problems += _schema_problems(document, place)
        problems += _name_problems(document, place, name)
        problems += _body_problems(document, place)
    return tuple(sorted(problems, key=lambda problem: (problem.line, problem.column)))


def _schema_problems(document: Document, place: Place) -> Iterator[Problem]:
    for error in _validator(place.format).iter_errors(document.values):
        path = tuple(error.absolute_path)
        if error.validator == "required":
            yield from _missing_problems(document, error, path)
        elif error.validator == "additionalProperties":
            yield from _unknown_problems(document, error, path)
        else:
            yield _field_problem(document, error, path)


def _missing_problems(document: Document, error: ValidationError, path: Path) -> Iterator[Problem]:
    schema: Any = error.schema
    instance: Any = error.instance
    (key,) = (
        key for key in schema["required"] if key not in instance and repr(key) in error.message
    )
    expected = schema["properties"][key]["description"]
    spot = document.keys.get(path, (1, 1))
    yield Problem(MISSING, (*path, key), "the field is missing", expected, "", *spot)


def _unknown_problems(document: Document, error: ValidationError, path: Path) -> Iterator[Problem]:
    schema: Any = error.schema
    expected = f"only {', '.join(schema['properties'])}"
    instance: Any = error.instance
    for key in instance:
        if key not in schema["properties"]:
            spot = document.keys.get((*path, key), (1, 1))
            message = "the key is not known here, and the client refuses the file"
            yield Problem(UNKNOWN, (*path, key), message, expected, quoted(key), *spot)


def _field_problem(document: Document, error: ValidationError, path: Path) -> Problem:
    schema: Any = error.schema
    message = _MESSAGES.get(str(error.validator), "value that is not allowed")
    instance: Any = error.instance
    found = _found(instance)
    if error.validator == "maxLength":
        found = f"{len(instance)} characters"
    known = document.keys if error.validator == "not" else document.spots
    spot = known.get(path) or document.spots.get(path[:1], (1, 1))
    return Problem(FIELD, path, message, schema.get("description", ""), found, *spot)


def _found(value: Any) -> str:
    """Return a value for a message; TOML and YAML have dates and times, which JSON has not."""
    if isinstance(value, (dt.date, dt.time)):
        return "a date or a time"
    return quoted(value)


def _name_problems(document: Document, place: Place, name: str) -> Iterator[Problem]:
    found = document.values.get("name")
    if place.kind != SKILL or not isinstance(found, str) or found == name:
        return  # an agent goes by its own name, whatever the file is called
    message = "the skill's name is not the name of its folder"
    spot = document.spots[("name",)]
    yield Problem(NAME, ("name",), message, quoted(name), quoted(found), *spot)


def _body_problems(document: Document, place: Place) -> Iterator[Problem]:
    if place.endings == (".toml",):
        return  # its prompt is a field
    body, line = document.body, document.body_line
    most = MOST_CHARACTERS.get(place.format, len(body))
    if not body.strip():
        message = "nothing follows the front matter"
        expected = f"the text of the {place.kind}, in Markdown"
        yield Problem(BODY, (), message, expected, "", line - 1, 1)
    elif len(body) > most:
        message, expected = "the prompt is too long", f"at most {most} characters"
        yield Problem(LONG, (), message, expected, f"{len(body)} characters", line, 1)


@cache
def _validator(name: str) -> Draft202012Validator:
    from jsonschema import Draft202012Validator  # slow, and rarely needed

    with open(os.path.join(FORMATS, f"{name}.schema.json"), encoding="utf-8") as file:
        return Draft202012Validator(json.load(file))
