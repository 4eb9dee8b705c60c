"""Writes every generated file of the project; with `--check`, names those that are out of date.

usage: python tools/generate.py [--check]
"""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING, Any

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[0] = ROOT

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema

from pipeline.schema import KINDS
from pipeline.signing.statement import EnvelopeRecord, Statement
from tools import ide_pack
from tools.check_pages import checks_page
from tools.conformance import PAGE, NotConformant, conformance_page
from tools.histories import histories
from tools.mistakes import FINDINGS, findings_page
from tools.pictures import readme_picture
from tools.published import compiled, json_schema_of, settings_schema
from tools.references import commands_page
from tools.regions import RegionError, filled, pages
from tools.sample_cohort import cohort_files
from tools.shipped import ARCHIVE, shipped
from verify.acceptance.model import Acceptance
from verify.course.catalog import LEVELS
from verify.gradebook.term_file import Term
from verify.grading.provenance import DispatchRecord

if TYPE_CHECKING:
    from collections.abc import Iterator

SCHEMAS = "docs/reference/schemas"
FORMATS = "pipeline/agents/formats"
RECORDS = (
    (Statement, "witness-statement"),
    (EnvelopeRecord, "witness-envelope"),
    (DispatchRecord, "dispatch"),
    (Acceptance, "acceptance"),
    (Term, "term"),
)


def generated() -> Iterator[tuple[str, str | bytes]]:
    """Yield the path, relative to the root, and the content of each generated file."""
    yield ARCHIVE, shipped()  # first: pages quote runs in a clone of it
    yield from histories()
    yield "pipeline/protocol/compiled.json", compiled()
    for kind in KINDS.values():
        yield f"{SCHEMAS}/{kind.name}.schema.json", _dumped(json_schema_of(kind))
        if kind.exercise_fields:
            exercise = json_schema_of(kind, "exercise")
            yield f"{SCHEMAS}/{kind.name}-exercise.schema.json", _dumped(exercise)
    for record, name in RECORDS:
        yield f"{SCHEMAS}/{name}.schema.json", _dumped(_schema(record, name))
    yield f"{SCHEMAS}/pipeline.schema.json", _dumped(settings_schema())
    for name in sorted(os.listdir(os.path.join(ROOT, FORMATS))):
        yield f"{SCHEMAS}/{name}", _read(f"{FORMATS}/{name}")
    yield from ide_pack.files()
    yield from cohort_files()
    for level in LEVELS:
        yield f"docs/reference/checks-{level}.md", checks_page(level)
    yield "docs/reference/commands.md", commands_page()
    yield PAGE, conformance_page(ROOT)
    yield "docs/images/verify-table.svg", readme_picture()
    yield FINDINGS, findings_page()
    for page in pages():
        yield page, filled(page)


def _schema(record: Any, name: str) -> dict[str, Any]:
    schema = TypeAdapter(record).json_schema(mode="serialization")
    return {
        "$schema": GenerateJsonSchema.schema_dialect,
        "$id": f"urn:issue-pipeline:{name}:1",
        **schema,
    }


def _dumped(schema: dict[str, Any]) -> str:
    return json.dumps(schema, indent=2) + "\n"


def _read(path: str) -> bytes:
    try:
        with open(os.path.join(ROOT, path), "rb") as file:
            return file.read()
    except FileNotFoundError:
        return b""


def main(arguments: list[str]) -> int:
    """Write or check the generated files.

    Returns 1 if one is out of date, cannot be written, or quotes a self-test that fails.
    """
    check = arguments == ["--check"]
    stale = unproven = False
    try:
        for path, content in generated():  # written one by one: the last quote what others say
            data = content if isinstance(content, bytes) else content.encode()
            if b"NOT PROVEN" in data:
                unproven = True
                print(f"{path} quotes a self-test that fails: run python3 -m verify self-test")
            if _read(path) == data:
                continue
            stale = True
            if check:
                print(f"{path} is out of date: run python tools/generate.py")
            else:
                _write(path, data)
    except (NotConformant, RegionError) as error:
        print(error, file=sys.stderr)
        return 1
    return 1 if unproven or (stale and check) else 0


def _write(path: str, data: bytes) -> None:
    os.makedirs(os.path.dirname(os.path.join(ROOT, path)), exist_ok=True)
    with open(os.path.join(ROOT, path), "wb") as file:
        file.write(data)
    print(f"wrote {path}")


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
