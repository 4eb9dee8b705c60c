"""The compiled validators and the JSON Schemas say what the models say."""

from __future__ import annotations

import re
from typing import Any

import pydantic_core
import pytest
from jsonschema import Draft202012Validator

from pipeline import compiled
from pipeline.published import compiled_source, core_schema_of, json_schema_of
from pipeline.schema import COMMIT_SHA, CRITERION, KINDS, PATH, SHAPES, TEXT

PROFILES = ["core", "exercise"]


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
@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("kind", list(KINDS))
def test_a_schema_is_valid_and_names_itself(kind: str, profile: str) -> None:
    schema = json_schema_of(KINDS[kind], profile)
    Draft202012Validator.check_schema(schema)

    suffix = "" if profile == "core" else "-exercise"
    assert list(schema)[:2] == ["$schema", "$id"]
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["$id"] == f"urn:issue-pipeline:{kind}{suffix}:1"


@pytest.mark.parametrize(
    ("kind", "profile", "required"),
    [
        ("plan", "core", ["affected_files", "steps"]),
        ("plan", "exercise", ["affected_files", "steps", "acceptance_mapping", "produced_by"]),
        ("worker-result", "core", ["status", "files_changed", "blockers", "summary"]),
        (
            "worker-result",
            "exercise",
            ["status", "files_changed", "blockers", "summary", "produced_by"],
        ),
        ("git-result", "core", ["branch", "commit_sha", "commit_message"]),
        ("git-result", "exercise", ["branch", "commit_sha", "commit_message", "produced_by"]),
    ],
)
def test_a_profile_decides_what_a_schema_requires(
    kind: str, profile: str, required: list[str]
) -> None:
    assert json_schema_of(KINDS[kind], profile)["required"] == required


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


@pytest.mark.parametrize("kind", list(KINDS))
def test_every_pattern_of_a_schema_is_a_shape_of_the_contract(kind: str) -> None:
    strings = [part for part in strings_of(json_schema_of(KINDS[kind])) if "enum" not in part]
    shapes = [SHAPES[part["pattern"].removesuffix(r"(?!\n)")] for part in strings]

    assert [part["description"] for part in strings] == [shape.expected for shape in shapes]


def test_a_pattern_with_an_end_refuses_a_final_line_feed_in_python_too() -> None:
    pattern = json_schema_of(KINDS["git-result"])["properties"]["commit_sha"]["pattern"]

    assert re.search(COMMIT_SHA.pattern, "0123abc\n")
    assert not re.search(pattern, "0123abc\n")
    assert re.search(pattern, "0123abc")


def test_a_pattern_without_an_end_is_published_as_it_is() -> None:
    schema = json_schema_of(KINDS["git-result"])

    assert schema["properties"]["produced_by"]["pattern"] == TEXT.pattern
