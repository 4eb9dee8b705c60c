"""Writes the reference pages from their sources: the catalogue, the models, the commands."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

from pipeline.bootstrap import ROOT
from pipeline.protocol.published import json_schema_of
from pipeline.schema import KINDS
from tools.markdown import plain
from verify import catalog

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verify.model import Exercise


def checks_page() -> str:
    """Return the page of every check: a table an exercise, each code a link to its lesson."""
    lines = [
        "# Every check",
        "",
        "Generated from the catalogue. Each code leads to the lesson that explains it: why it is",
        "asked, how a failure looks, and how to fix it. An *advisory* check goes beyond the",
        "specification: it is worth no points and fails nothing unless grading is strict. A check",
        "is skipped until those under *after* have passed.",
        "",
    ]
    for level in catalog.LEVELS:
        for exercise in catalog.level(level):
            lines += _exercise(exercise)
    return "\n".join(lines).rstrip() + "\n"


def _exercise(exercise: Exercise) -> Iterator[str]:
    lesson = f"../{exercise.page.removeprefix('docs/')}"
    facts = [f"[lesson]({lesson})", f"kind: {exercise.kind}"]
    facts += [f"issue: [{exercise.issue}](../../sandbox/issues/{exercise.issue}.md)"] * bool(
        exercise.issue
    )
    facts += [f"target project: `{exercise.target}`"] * (exercise.target is not None)
    facts += [f"delegate: {exercise.delegate}"] * bool(exercise.delegate)
    yield f"## {exercise.name}: {exercise.title}"
    yield ""
    yield f"{'; '.join(facts)}; profile: {exercise.profile}; {exercise.points} points."
    yield ""
    yield "| check | what holds | points | after |"
    yield "| --- | --- | --- | --- |"
    for check in exercise.checks:
        worth = "advisory" if check.advisory else str(check.points)
        code = f"[{check.code}]({lesson}#{check.anchor})"
        yield f"| {code} | {plain(check.title)} | {worth} | {', '.join(check.requires)} |"
    yield ""


def artifacts_page() -> str:
    """Return the page of the artifacts' fields, from their models."""
    lines = [
        "# The artifacts",
        "",
        "Generated from `pipeline/schema.py`. Fields that are not listed are accepted. Where",
        "`exercise` stands under *required*, only the exercise profile asks for the field. The",
        "rules between fields stand in [the protocol](protocol.md).",
        "",
    ]
    for kind in KINDS.values():
        schema = json_schema_of(kind)
        lines += [
            f"## {kind.ending}",
            "",
            f"Schema: [{kind.name}](schemas/{kind.name}.schema.json)",
        ]
        record = schema.get("items", schema)
        for title, each in _records(record, schema.get("$defs", {})):
            lines += ["", f"### {title}", "", each["description"], ""]
            lines += _fields(each, kind.exercise_fields)
        lines.append("")
    return "\n".join(lines).rstrip() + "\n"


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
        least = " (at least one)" if field.get("minItems") else ""
        items = field.get("items") or {}
        return f"array{least} of {_value(items) if items else 'anything'}"
    if field.get("type") == "object":
        return (
            f"object: labels AC<N>_<short_name>, each with {_value(field['additionalProperties'])}"
        )
    if field.get("type") == "integer":
        return f"a whole number, {field.get('minimum', 0)} or more"
    return field.get("description") or f"a {field['type']}"


def commands_page() -> str:
    """Return the page of the command lines: what each prints for `--help`."""
    lines = ["# Commands", "", "Generated from what each command prints for `--help`.", ""]
    for title, words in COMMANDS.items():
        lines += [f"## {title}", "", "```console", _help(words), "```", ""]
    return "\n".join(lines).rstrip() + "\n"


_VERIFY = ("-c", "from verify.cli import main; main()")
_OF_VERIFY = (
    *(
        "check",
        "list",
        "next",
        "explain",
        "reset",
        "pack",
        "self-test",
        "batch",
        "regrade",
        "override",
        "export",
    ),
    "new-course",
)
COMMANDS = {
    "verify.py": ("docs/foundation/tutorials/verify.py",),
    "verify": _VERIFY,
    **{f"verify {name}": (*_VERIFY, name) for name in _OF_VERIFY},
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
        [sys.executable, *words, "--help"],
        cwd=ROOT,
        env={"COLUMNS": "90", "PATH": os.environ["PATH"], "PYTHONUTF8": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.rstrip()
