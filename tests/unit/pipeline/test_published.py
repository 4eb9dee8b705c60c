"""The compiled validators and the JSON Schemas say what the models say."""

from __future__ import annotations

from typing import Any

import pydantic_core
import pytest
from jsonschema import Draft202012Validator

from pipeline import compiled
from pipeline.published import compiled_source, core_schema_of, json_schema_of
from pipeline.schema import CRITERION, KINDS, PATH, SHAPES, TEXT


def strings_of(node: Any) -> list[dict[str, Any]]:
    """Return every part of a schema that is about a string."""
    if isinstance(node, list):
        return [part for value in node for part in strings_of(value)]
    if not isinstance(node, dict):
        return []
    own = [node] if node.get("type") == "string" else []
    return own + [part for value in node.values() for part in strings_of(value)]


@pytest.mark.skipif(
    pydantic_core.__version__ != compiled.PYDANTIC_CORE,
    reason="core schemas belong to one version of pydantic-core; with another they are not used",
)
@pytest.mark.parametrize("kind", list(KINDS))
def test_the_compiled_validators_are_up_to_date(kind: str) -> None:
    assert compiled.CORE_SCHEMAS[kind] == core_schema_of(KINDS[kind])


def test_the_compiled_source_is_python_that_keeps_the_order_of_the_fields() -> None:
    names: dict[str, Any] = {}
    exec(compiled_source(), names)  # noqa: S102  # our own text

    assert names["PYDANTIC_CORE"] == pydantic_core.__version__
    assert names["CORE_SCHEMAS"] == {name: core_schema_of(kind) for name, kind in KINDS.items()}
    assert list(names["CORE_SCHEMAS"]["git-result"]["fields"]) == [
        "branch",
        "commit_sha",
        "commit_message",
        "pr_url",
        "produced_by",
    ]


@pytest.mark.spec("9.1")
@pytest.mark.parametrize(
    ("profile", "required"),
    [
        ("core", ["affected_files", "steps"]),
        ("exercise", ["affected_files", "steps", "acceptance_mapping", "produced_by"]),
    ],
)
def test_a_schema_is_valid_names_itself_and_requires_what_its_profile_does(
    profile: str, required: list[str]
) -> None:
    schema = json_schema_of(KINDS["plan"], profile)
    Draft202012Validator.check_schema(schema)

    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["$id"] == f"urn:issue-pipeline:plan{'-exercise' * (profile != 'core')}:1"
    assert schema["required"] == required


def test_a_mapping_is_described_by_its_keys_and_values() -> None:
    schema = json_schema_of(KINDS["plan"])

    assert schema["properties"]["acceptance_mapping"] == {
        "type": "object",
        "minProperties": 1,
        "propertyNames": {"pattern": CRITERION.pattern + r"(?!\n)"},
        "additionalProperties": {
            "type": "string",
            "pattern": PATH.pattern + r"(?!\n)",
            "description": PATH.expected,
        },
    }
    assert schema["properties"]["produced_by"]["pattern"] == TEXT.pattern


@pytest.mark.parametrize("kind", list(KINDS))
def test_every_pattern_of_a_schema_is_a_shape_of_the_contract(kind: str) -> None:
    strings = [part for part in strings_of(json_schema_of(KINDS[kind])) if "enum" not in part]
    shapes = [SHAPES[part["pattern"].removesuffix(r"(?!\n)")] for part in strings]

    assert [part["description"] for part in strings] == [shape.expected for shape in shapes]
