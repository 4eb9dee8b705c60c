"""What is generated from the contract: the compiled validators and the JSON Schemas."""

from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING, Any

import pydantic_core
from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema

from pipeline.commands import run
from pipeline.run.settings import OF_ONE_CALL
from pipeline.schema import KINDS
from pipeline.terminal.arguments import Arguments, CommandOption

if TYPE_CHECKING:
    from pipeline.protocol.validate import Kind

_RUN_TIME_ONLY = frozenset({"cls", "ref", "metadata", "computed_fields"})


def core_schema_of(kind: Kind) -> Any:
    """Return pydantic's core schema of a kind's model, reduced to plain values."""
    return _plain(TypeAdapter(kind.model).core_schema)


def _plain(node: Any) -> Any:
    if isinstance(node, dict):
        return {key: _plain(value) for key, value in node.items() if key not in _RUN_TIME_ONLY}
    if isinstance(node, list):
        return [_plain(value) for value in node]
    return node


def compiled() -> str:
    """Return the text of `pipeline/protocol/compiled.json`, each kind's fields in their order."""
    schemas = {name: core_schema_of(kind) for name, kind in KINDS.items()}
    document = {"pydantic_core": pydantic_core.__version__, "kinds": schemas}
    return json.dumps(document, indent=1) + "\n"


def json_schema_of(kind: Kind, profile: str = "core") -> dict[str, Any]:
    """Return the Draft 2020-12 JSON Schema of a kind under a profile (`core` or `exercise`)."""
    schema = _exact(TypeAdapter(kind.model).json_schema(schema_generator=_Generator))
    suffix = "" if profile == "core" else f"-{profile}"
    if profile == "exercise" and kind.exercise_fields:
        schema["required"] = [*schema["required"], *kind.exercise_fields]
    return {
        "$schema": GenerateJsonSchema.schema_dialect,
        "$id": f"urn:issue-pipeline:{kind.name}{suffix}:1",
        **schema,
    }


class _Generator(GenerateJsonSchema):
    """Titles that only repeat a field's name are left out."""

    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ARG002  # pydantic's signature
        return False


def _exact(node: Any) -> Any:
    """Close two gaps between a model and what validators make of its JSON Schema.

    pydantic writes the keys of a mapping as `patternProperties`, which lets other keys pass; and
    Python's `$` matches before a final line feed, where ECMAScript's and Rust's do not.
    """
    if isinstance(node, list):
        return [_exact(value) for value in node]
    if not isinstance(node, dict):
        return node
    node = {key: _exact(value) for key, value in copy.copy(node).items()}
    if "patternProperties" in node:
        ((pattern, values),) = node.pop("patternProperties").items()
        node["propertyNames"] = {"pattern": _end(pattern)}
        node["additionalProperties"] = values
    if isinstance(node.get("pattern"), str):
        node["pattern"] = _end(node["pattern"])
    return node


def _end(pattern: str) -> str:
    return f"{pattern}(?!\\n)" if pattern.endswith("$") else pattern


def settings_schema() -> dict[str, Any]:
    """Return the JSON Schema of `pipeline.toml`: the options of `pipeline run`."""
    parser = Arguments()
    run.add_options(parser)
    options = parser.get_default("command").args[0]
    return {
        "$schema": GenerateJsonSchema.schema_dialect,
        "$id": "urn:issue-pipeline:pipeline:1",
        "title": "pipeline.toml",
        "description": "The settings of a repository's runs: options of `pipeline run`.",
        "type": "object",
        "properties": {
            option.name: _form(option) for option in options if option.name not in OF_ONE_CALL
        },
        "additionalProperties": False,
    }


def _form(option: CommandOption) -> dict[str, Any]:
    least, most = option.bounds or (None, None)
    text: dict[str, Any] = {"type": "string", "pattern": r"\S"}
    if option.choices:
        text = {"enum": [*option.choices]}
    forms: dict[type, dict[str, Any]] = {
        bool: {"type": "boolean"},
        int: {"type": "integer", "minimum": least, "maximum": most},
        float: {"type": "number", "minimum": least, "maximum": most},
        str: text,
        list: {"type": "array", "items": text},
    }
    default = {} if option.default in ("", None) else {"default": option.default}
    return {"description": option.help, **forms[option.kind], **default}
