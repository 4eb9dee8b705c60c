"""A statement is the one that in-toto describes, about one file, in bytes that do not vary."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from pipeline.witness.statement import envelope_name, inputs_of, statement

if TYPE_CHECKING:
    from pipeline.witness.statement import Predicate


def test_a_statement_is_about_one_file_and_its_digest() -> None:
    predicate: Any = {"turn": 2, "issue": "ISSUE-7"}
    one: Predicate = predicate
    data = statement("app/.pipeline/ISSUE-7/plan.json", "ab" * 32, one)

    assert json.loads(data) == {
        "_type": "https://in-toto.io/Statement/v1",
        "subject": [{"name": "app/.pipeline/ISSUE-7/plan.json", "digest": {"sha256": "ab" * 32}}],
        "predicateType": "urn:issue-pipeline:turn:1",
        "predicate": {"issue": "ISSUE-7", "turn": 2},
    }
    assert data == statement("app/.pipeline/ISSUE-7/plan.json", "ab" * 32, one)


@pytest.mark.parametrize(
    ("artifact", "name"),
    [
        ("plan.json", "witness/plan.dsse.json"),
        ("worker-result.json", "witness/worker-result.dsse.json"),
        ("git-result.json", "witness/git-result.dsse.json"),
    ],
)
def test_each_artifact_has_an_envelope_of_its_own(artifact: str, name: str) -> None:
    assert envelope_name(artifact) == name


def test_an_artifact_is_made_from_those_of_the_stages_before_it_that_are_there() -> None:
    every = dict.fromkeys(("plan.json", "worker-result.json", "git-result.json"), "ab")
    without_a_plan = dict.fromkeys(("worker-result.json", "git-result.json"), "ab")

    found = [inputs_of(name, every) for name in every]

    assert found == [[], ["plan.json"], ["plan.json", "worker-result.json"]]
    assert inputs_of("git-result.json", without_a_plan) == ["worker-result.json"]
