"""One artifact's bytes become a value and all its problems, located and in document order."""

from __future__ import annotations

import codecs
import json
from typing import Any

import pytest

from pipeline.problems import Problem
from pipeline.schema import KINDS
from pipeline.validation import PROFILES, Profile, Validation, validate

PLAN = """\
{
  "affected_files": ["a", "b"],
  "steps": [
    {"order": 2, "file": "a", "description": "é\U0001f600", "note": 1},
    {"order": 1, "file": "c", "description": " "}
  ],
  "acceptance_mapping": {
    "AC1_a": "d",
    "ac2": "a"
  }
}
"""
PLAN_PROBLEMS = [
    ("files-steps", 2, 27, "$.affected_files[1]"),
    ("step-order", 5, 15, "$.steps[1].order"),
    ("files-steps", 5, 26, "$.steps[1].file"),
    ("text", 5, 46, "$.steps[1].description"),
    ("mapping", 8, 14, "$.acceptance_mapping.AC1_a"),
    ("criterion-label", 9, 5, "$.acceptance_mapping.ac2"),
]
MISSING = "this field is missing"


def spots(data: bytes, kind: str = "plan", profile: Profile = "core") -> list[tuple[Any, ...]]:
    problems = validate(data, KINDS[kind], profile).problems
    return [
        (p.rule, p.line, p.column, p.line_for("f").split(": ")[1] if p.path else "$")
        for p in problems
    ]


def test_the_profiles_are_core_and_exercise() -> None:
    assert PROFILES == ("core", "exercise")


def test_a_valid_artifact_is_its_value_without_problems() -> None:
    result = {"branch": "feature/a", "commit_sha": "0123abc", "commit_message": "feat: x"}

    found = validate(json.dumps(result).encode(), KINDS["git-result"])

    assert found == Validation(result)


def test_all_problems_are_told_at_once_in_document_order() -> None:
    assert spots(PLAN.encode()) == PLAN_PROBLEMS


def test_carriage_returns_and_a_byte_order_mark_move_no_place() -> None:
    data = codecs.BOM_UTF8 + PLAN.replace("\n", "\r\n").encode()

    assert spots(data) == PLAN_PROBLEMS


def test_the_value_of_an_invalid_artifact_is_kept() -> None:
    found = validate(PLAN.encode(), KINDS["plan"])

    assert (found.value, len(found.problems)) == (json.loads(PLAN), 6)


def test_the_exercise_fields_are_missing_at_the_object() -> None:
    data = (
        b'\n {"affected_files": ["a"],\n "steps": [{"order": 1, "file": "a", "description": "x"}]}'
    )

    assert spots(data) == []
    assert spots(data, profile="exercise") == [
        ("fields", 2, 2, "$.acceptance_mapping"),
        ("fields", 2, 2, "$.produced_by"),
    ]


def test_the_exercise_profile_tells_other_problems_too() -> None:
    assert spots(PLAN.encode(), profile="exercise") == [
        ("fields", 1, 1, "$.produced_by"),
        *PLAN_PROBLEMS,
    ]


def test_what_is_not_json_has_no_value_and_no_other_problem() -> None:
    problem = Problem("json", (), "this is not JSON", "a value", "}", 1, 7)

    assert validate(b'{"a": }', KINDS["plan"]) == Validation(None, (problem,))


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("kind", list(KINDS))
def test_a_document_of_another_kind_of_value_is_one_problem(kind: str, profile: Profile) -> None:
    expected = "an array" if kind == "classifications" else "an object"
    problem = Problem("fields", (), "wrong type", expected, '"x"', 1, 1)

    assert validate(b'"x"', KINDS[kind], profile) == Validation("x", (problem,))


STEPS = '"steps": [{"order": 1, "file": "b", "description": "x"}]'


@pytest.mark.parametrize(
    ("data", "problems"),
    [
        # an ill-typed file list keeps its rule and the mapping's rule from running
        ('{"affected_files": [1], %s}', [("fields", 1, 21, "$.affected_files[0]")]),
        ('{"affected_files": "a", %s}', [("fields", 1, 20, "$.affected_files")]),
        ('{"affected_files": [], %s}', [("count", 1, 20, "$.affected_files")]),
        ("{%s}", [("fields", 1, 1, "$.affected_files")]),
        # a file of the wrong form is still a file that agrees with no step
        (
            '{"affected_files": ["/b"], %s}',
            [
                ("path", 1, 21, "$.affected_files[0]"),
                ("files-steps", 1, 21, "$.affected_files[0]"),
                ("files-steps", 1, 59, "$.steps[0].file"),
            ],
        ),
        # an ill-typed mapping does not keep the rule of files and steps from running
        (
            '{"affected_files": ["a", "b"], "acceptance_mapping": {"AC1_a": 1, "AC2_b": "x"}, %s}',
            [
                ("files-steps", 1, 21, "$.affected_files[0]"),
                ("fields", 1, 64, "$.acceptance_mapping.AC1_a"),
            ],
        ),
    ],
)
def test_a_rule_runs_only_where_the_fields_that_it_reads_are_well_typed(
    data: str, problems: list[tuple[Any, ...]]
) -> None:
    assert spots((data % STEPS).encode()) == problems


@pytest.mark.parametrize(
    ("steps", "problems"),
    [
        # without an order only the rule of ascending orders does not run
        (
            '[{"file": "x", "description": "x"}]',
            [
                ("files-steps", 1, 21, "$.affected_files[0]"),
                ("fields", 1, 37, "$.steps[0].order"),
                ("files-steps", 1, 46, "$.steps[0].file"),
            ],
        ),
        # without a file only that rule runs
        (
            '[{"order": 2, "description": "x"}, {"order": 1, "file": "x", "description": "x"}]',
            [("fields", 1, 37, "$.steps[0].file"), ("step-order", 1, 81, "$.steps[1].order")],
        ),
        # a description is read by no rule
        (
            '[{"order": 1, "file": "x", "description": 1}]',
            [
                ("files-steps", 1, 21, "$.affected_files[0]"),
                ("files-steps", 1, 58, "$.steps[0].file"),
                ("fields", 1, 78, "$.steps[0].description"),
            ],
        ),
        ("[null]", [("fields", 1, 37, "$.steps[0]")]),
        ("[]", [("count", 1, 36, "$.steps")]),
        ("{}", [("fields", 1, 36, "$.steps")]),
    ],
)
def test_a_fault_of_a_step_silences_only_the_rules_that_read_the_field(
    steps: str, problems: list[tuple[Any, ...]]
) -> None:
    assert spots(f'{{"affected_files": ["a"], "steps": {steps}}}'.encode()) == problems


@pytest.mark.parametrize(
    ("fields", "problems"),
    [
        ('"status": 1, "blockers": [1]', [("fields", 1, 12, "$.status")]),
        ('"status": "completed", "blockers": {}', [("fields", 1, 37, "$.blockers")]),
        ('"status": "completed"', [("fields", 1, 1, "$.blockers")]),
    ],
)
def test_blockers_are_compared_only_with_a_text(
    fields: str, problems: list[tuple[Any, ...]]
) -> None:
    data = f'{{{fields}, "files_changed": [], "summary": "x"}}'.encode()

    assert spots(data, "worker-result") == problems


def test_every_problem_is_kept_however_many_there_are() -> None:
    files = ", ".join(["1"] * 1500)
    data = f'{{"status": "x", "files_changed": [{files}], "blockers": [], "summary": "x"}}'.encode()

    found = validate(data, KINDS["worker-result"])

    assert [p.path for p in found.problems] == [("files_changed", index) for index in range(1500)]
