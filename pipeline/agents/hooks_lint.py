"""Says what is wrong with a client's file of hooks: its shape, and scripts that are not there."""

from __future__ import annotations

import json
import os
from functools import cache
from typing import TYPE_CHECKING, Any

from pipeline.agents.definition_lint import FIELD, FILE, FORMATS
from pipeline.agents.documents import MAX_BYTES
from pipeline.agents.hooks import HOOKS
from pipeline.files import Unreadable, read_file
from pipeline.protocol.json_text import NotStrictJson, locate, parse, text_of
from pipeline.protocol.problems import Problem
from pipeline.terminal.display import quoted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from jsonschema import Draft202012Validator, ValidationError

    from pipeline.protocol.problems import Path

FORMAT = "{client}-hooks"


def hook_problems(root: str, client: str) -> tuple[Problem, ...]:
    """Return what is wrong with a client's file of hooks below `root`, in document order.

    Of a file that holds other settings as well only the hooks are looked at.
    """
    hooks = HOOKS[client]
    try:
        data = read_file(os.path.join(root, *hooks.config.split("/")), MAX_BYTES)
        value = parse(data)
    except Unreadable as error:
        return (Problem(FILE, (), str(error)),)
    except NotStrictJson as error:
        return error.problems
    problems = [_problem(error) for error in _validator(client).iter_errors(value)]
    problems += _missing_scripts(root, client, value)
    return tuple(locate(text_of(data), problems))


def _problem(error: ValidationError) -> Problem:
    schema: Any = error.schema
    expected = schema.get("description", "") if isinstance(schema, dict) else ""
    path: Path = tuple(error.absolute_path)
    instance: Any = error.instance
    if error.validator == "required":
        missing = next(key for key in schema["required"] if key not in instance)
        field = schema.get("properties", {}).get(missing, schema)
        return Problem(FIELD, (*path, missing), "the field is missing", field["description"])
    if error.validator == "additionalProperties":
        unknown = next(key for key in instance if key not in schema["properties"])
        message, expected = "the client knows no such event", "one such as subagentStart"
        return Problem(FIELD, (*path, unknown), message, expected, quoted(unknown))
    return Problem(FIELD, path, "value that is not allowed", expected, quoted(instance))


def _missing_scripts(root: str, client: str, value: Any) -> Iterator[Problem]:
    """Yield where our own script is to be run and is not there: nothing would be noted."""
    script = HOOKS[client].script
    if os.path.isfile(os.path.join(root, *script.split("/"))):
        return
    for path, text in _texts(value, ()):
        if path[-1] == "command" and script in text:
            yield Problem(FIELD, path, "the script is not there", script)


def _texts(value: Any, path: Path) -> Iterator[tuple[Path, str]]:
    if isinstance(value, dict):
        for key, below in value.items():
            yield from _texts(below, (*path, key))
    elif isinstance(value, list):
        for number, below in enumerate(value):
            yield from _texts(below, (*path, number))
    elif isinstance(value, str) and path:
        yield path, value


@cache
def _validator(client: str) -> Draft202012Validator:
    from jsonschema import Draft202012Validator  # slow, and rarely needed

    name = FORMAT.format(client=client)
    with open(os.path.join(FORMATS, f"{name}.schema.json"), encoding="utf-8") as file:
        return Draft202012Validator(json.load(file))
