"""Writes the reference pages of the models and the commands from their sources."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

from pipeline.bootstrap import ROOT
from pipeline.schema import KINDS
from tools.markdown import plain
from tools.published import json_schema_of
from verify import cli

if TYPE_CHECKING:
    from collections.abc import Iterator

SCHEMAS = "docs/reference/schemas"


def artifact_records() -> str:
    """Return the artifacts' fields as tables, from their models."""
    lines: list[str] = []
    for kind in KINDS.values():
        schema = json_schema_of(kind)
        lines += [
            f"## {kind.ending}",
            "",
            f"Schema: [{kind.name}](schemas/{kind.name}.schema.json)",
        ]
        record = schema.get("items", schema)
        for title, definition in _records(record, schema.get("$defs", {})):
            lines += ["", f"### {title}", "", definition["description"], ""]
            lines += _fields(definition, kind.exercise_fields)
        lines.append("")
    return "\n".join(lines)


def _records(
    record: dict[str, Any], definitions: dict[str, Any]
) -> Iterator[tuple[str, dict[str, Any]]]:
    if "$ref" not in record:
        yield record["title"], record
    yield from definitions.items()


def _fields(record: dict[str, Any], exercise_fields: tuple[str, ...]) -> Iterator[str]:
    yield "| field | required | value |"
    yield "| --- | --- | --- |"
    for name, field in record["properties"].items():
        required = "yes" if name in record["required"] else "no"
        if required == "no" and name in exercise_fields:
            required = "exercise"
        yield f"| `{name}` | {required} | {plain(_value(field))} |"


def _value(field: dict[str, Any]) -> str:
    """Return one field's type in words, with what its strings must look like."""
    if "$ref" in field:
        return f"a {field['$ref'].rpartition('/')[2]}"
    if "enum" in field:
        return "one of " + ", ".join(field["enum"])
    if field.get("type") == "array":
        least = " of at least one element" if field.get("minItems") else ""
        items = field.get("items")
        return (
            f"array{least}; each element {f'is {_value(items)}' if items else 'can be any value'}"
        )
    if field.get("type") == "object":
        key = "a label AC<N>_<short_name>" if "propertyNames" in field else "a text"
        return (
            f"object; each key is {key}, and each value is {_value(field['additionalProperties'])}"
        )
    if field.get("type") == "integer":
        return "a whole number" + (f", {field['minimum']} or more" if "minimum" in field else "")
    return field.get("description") or f"a {field['type']}"


def records_table(name: str) -> str:
    """Return the fields of a schema's records: `SCHEMA RECORD ...`, or all of its records."""
    schema, *chosen = name.split()
    with open(os.path.join(ROOT, SCHEMAS, f"{schema}.schema.json"), encoding="utf-8") as file:
        record = json.load(file)
    records = {record["title"]: record, **record["$defs"]}
    lines = []
    for record in chosen or records:
        lines += ["", records[record]["description"], "", "| field | value |", "| --- | --- |"]
        fields = records[record]["properties"].items()
        lines += [f"| `{field}` | {value['description']} |" for field, value in fields]
    return "\n".join(lines)


def commands_page() -> str:
    """Return the page of the command lines: what each prints for `--help-all`."""
    intro = "Generated from `--help-all` of each command; `--help` shows the common options."
    lines = ["# Commands", "", intro, ""]
    for title, words in COMMANDS.items():
        lines += [f"## {title}", "", "```console", _help(words), "```", ""]
    return "\n".join(lines).rstrip() + "\n"


_VERIFY = ("-c", "from verify.cli import main; main()")
COMMANDS = {
    "verify.py": ("docs/foundation/tutorials/verify.py",),
    "verify": _VERIFY,
    **{f"verify {name}": (*_VERIFY, name) for name in cli.COMMANDS},
    "pipeline": ("-m", "pipeline"),
    "pipeline run": ("-m", "pipeline", "run"),
    "pipeline demo": ("-m", "pipeline", "demo"),
    "pipeline status": ("-m", "pipeline", "status"),
    "pipeline classify": ("-m", "pipeline", "classify"),
    "pipeline agents export": ("-m", "pipeline", "agents", "export"),
    "pipeline agents lint": ("-m", "pipeline", "agents", "lint"),
    "pipeline witness keygen": ("-m", "pipeline", "witness", "keygen"),
    "pipeline doctor": ("-m", "pipeline", "doctor"),
    "schema.py": ("pipeline/schema.py",),
}


def _help(words: tuple[str, ...]) -> str:
    done = subprocess.run(  # noqa: S603  # our own commands
        [sys.executable, *words, "--help-all"],
        cwd=ROOT,
        env={"COLUMNS": "90", "PATH": os.environ["PATH"], "PYTHONUTF8": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.rstrip()
