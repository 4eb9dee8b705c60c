"""The compiled validators and the JSON Schemas say what the models say."""

from __future__ import annotations

from typing import Any

import pydantic_core
import pytest
from jsonschema import Draft202012Validator

from pipeline.protocol import compiled
from pipeline.protocol.published import compiled_source, core_schema_of, json_schema_of
from pipeline.schema import KINDS


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
