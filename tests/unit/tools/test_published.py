"""The compiled validators and the JSON Schemas say what the models say."""

from __future__ import annotations

import json

import pydantic_core
import pytest
from jsonschema import Draft202012Validator

from pipeline.protocol.validate import COMPILED
from pipeline.schema import KINDS
from tools.published import compiled, json_schema_of


def test_the_compiled_validators_are_up_to_date() -> None:
    with open(COMPILED, encoding="utf-8") as file:
        document = json.load(file)
    if document["pydantic_core"] != pydantic_core.__version__:
        pytest.skip("core schemas belong to one version of pydantic-core")

    assert document == json.loads(compiled())
    assert list(document["kinds"]["git-result"]["fields"]) == [
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
