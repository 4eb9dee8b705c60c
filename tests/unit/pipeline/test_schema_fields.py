"""Every field of the contract: its type, whether it must be there, what its values may be."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pipeline.schema import KINDS
from pipeline.validation import Profile, validate

STEP = {"order": 1, "file": "a", "description": "Write it"}
TASK = {
    "task": "Fix a typo",
    "file_count": 1,
    "domain_scope": "single",
    "signals": ["single file"],
    "tier": "trivial",
    "agents": ["x-worker-fast"],
}
VALID: dict[str, Any] = {
    "plan": {
        "affected_files": ["a"],
        "steps": [STEP],
        "acceptance_mapping": {"AC1_a": "a"},
        "produced_by": "x-subplanner",
    },
    "worker-result": {
        "status": "completed",
        "files_changed": ["a"],
        "blockers": [],
        "summary": "Done",
        "produced_by": "x-worker",
    },
    "git-result": {
        "branch": "feature/a",
        "commit_sha": "0123abc",
        "commit_message": "feat: x",
        "pr_url": "https://example.org/1",
        "produced_by": "x-git",
    },
    "classifications": [TASK] * 5,
}
REQUIRED = {
    "plan": ["affected_files", "steps"],
    "worker-result": ["status", "files_changed", "blockers", "summary"],
    "git-result": ["branch", "commit_sha", "commit_message"],
}
FOR_EXERCISES = {
    "plan": ["acceptance_mapping", "produced_by"],
    "worker-result": ["produced_by"],
    "git-result": ["produced_by"],
}
VALUES: list[tuple[Any, str]] = [
    (None, "null"),
    (True, "true"),
    (1, "1"),
    (1.5, "1.5"),
    ("1", '"1"'),
    ([], "an array of 0 elements"),
    ({}, "an object of 0 fields"),
]


def found(kind: str, value: object, profile: Profile = "core") -> list[tuple[Any, ...]]:
    result = validate(json.dumps(value).encode(), KINDS[kind], profile)
    return [(p.path, p.message, p.expected, p.found) for p in result.problems]


def wrong_types(expected: str, *accepted: type) -> list[tuple[Any, str, str]]:
    return [(v, shown, expected) for v, shown in VALUES if type(v) not in accepted]


STRINGS = wrong_types("a string", str)
ARRAYS = wrong_types("an array", list)
NUMBERS = wrong_types("a number", int, float)
FIELDS = {
    "plan": {"affected_files": ARRAYS, "steps": ARRAYS, "produced_by": STRINGS},
    "worker-result": {
        "status": STRINGS,
        "files_changed": ARRAYS,
        "blockers": ARRAYS,
        "summary": STRINGS,
        "produced_by": STRINGS,
    },
    "git-result": dict.fromkeys(VALID["git-result"], STRINGS),
}


@pytest.mark.parametrize("profile", ["core", "exercise"])
@pytest.mark.parametrize("kind", list(KINDS))
def test_a_full_artifact_has_no_problem(kind: str, profile: Profile) -> None:
    assert found(kind, VALID[kind], profile) == []


@pytest.mark.spec("2.2.1", "2.2.4", "2.3.1", "2.3.3", "2.3.5")
@pytest.mark.spec("2.3.7", "2.4.1", "2.4.4", "2.4.6", "2.5.22")
@pytest.mark.parametrize(
    ("kind", "field"), [(kind, field) for kind, fields in REQUIRED.items() for field in fields]
)
def test_a_missing_required_field_is_a_problem_in_both_profiles(kind: str, field: str) -> None:
    value = {key: entry for key, entry in VALID[kind].items() if key != field}

    assert found(kind, value) == [((field,), "this field is missing", "", "")]
    assert found(kind, value, "exercise") == [((field,), "this field is missing", "", "")]


@pytest.mark.spec("2.2.13", "2.2.17", "2.3.9", "2.4.10", "2.5.21", "2.5.22")
@pytest.mark.parametrize(
    ("kind", "field"), [(kind, field) for kind, fields in FOR_EXERCISES.items() for field in fields]
)
def test_a_missing_exercise_field_is_a_problem_in_that_profile_only(kind: str, field: str) -> None:
    value = {key: entry for key, entry in VALID[kind].items() if key != field}

    assert found(kind, value) == []
    assert found(kind, value, "exercise") == [((field,), "this field is missing", "", "")]


@pytest.mark.spec("2.4.9", "2.5.21")
def test_the_address_of_the_pull_request_may_be_missing_in_both_profiles() -> None:
    value = {key: entry for key, entry in VALID["git-result"].items() if key != "pr_url"}

    assert found("git-result", value) == []
    assert found("git-result", value, "exercise") == []


@pytest.mark.parametrize("kind", list(KINDS))
def test_all_missing_fields_are_told_at_once(kind: str) -> None:
    value: Any = [{}] * 5 if kind == "classifications" else {}
    expected = (
        [((index, field), "this field is missing", "", "") for index in range(5) for field in TASK]
        if kind == "classifications"
        else [((field,), "this field is missing", "", "") for field in REQUIRED[kind]]
    )

    assert found(kind, value) == expected


@pytest.mark.spec("2.2.2", "2.2.5", "2.2.16", "2.3.1", "2.3.3", "2.3.5", "2.3.7")
@pytest.mark.spec("2.3.9", "2.4.1", "2.4.4", "2.4.6", "2.4.8", "2.4.10", "7.4")
@pytest.mark.parametrize(
    ("kind", "field", "value", "shown", "expected"),
    [
        (kind, field, *row)
        for kind, fields in FIELDS.items()
        for field, rows in fields.items()
        for row in rows
    ],
)
def test_a_field_of_the_wrong_type_is_a_problem(
    kind: str, field: str, value: object, shown: str, expected: str
) -> None:
    artifact = {**VALID[kind], field: value}

    assert found(kind, artifact) == [((field,), "wrong type", expected, shown)]


@pytest.mark.spec("2.2.12")
@pytest.mark.parametrize(("value", "shown", "expected"), wrong_types("an object", dict))
def test_a_criteria_mapping_that_is_no_object_is_a_problem(
    value: object, shown: str, expected: str
) -> None:
    plan = {**VALID["plan"], "acceptance_mapping": value}

    assert found("plan", plan) == [(("acceptance_mapping",), "wrong type", expected, shown)]


@pytest.mark.spec("2.2.6", "2.2.7", "2.2.8")
@pytest.mark.parametrize(
    ("field", "value", "shown", "expected"),
    [
        *[("order", *row) for row in NUMBERS],
        *[("file", *row) for row in STRINGS],
        *[("description", *row) for row in STRINGS],
    ],
)
def test_a_field_of_a_step_of_the_wrong_type_is_a_problem(
    field: str, value: object, shown: str, expected: str
) -> None:
    plan = {**VALID["plan"], "steps": [{**STEP, field: value}]}

    assert found("plan", plan) == [(("steps", 0, field), "wrong type", expected, shown)]


@pytest.mark.spec("2.2.6", "2.2.7", "2.2.8")
@pytest.mark.parametrize("field", list(STEP))
def test_a_missing_field_of_a_step_is_a_problem(field: str) -> None:
    step = {key: value for key, value in STEP.items() if key != field}

    assert found("plan", {**VALID["plan"], "steps": [step]}) == [
        (("steps", 0, field), "this field is missing", "", ""),
    ]


@pytest.mark.spec("2.2.2", "2.2.5", "2.3.3")
@pytest.mark.parametrize(
    ("kind", "field", "path", "expected"),
    [
        ("plan", "affected_files", ("affected_files", 0), "a string"),
        ("plan", "steps", ("steps", 0), "an object"),
        ("worker-result", "files_changed", ("files_changed", 0), "a string"),
    ],
)
def test_an_element_of_the_wrong_type_is_a_problem(
    kind: str, field: str, path: tuple[str | int, ...], expected: str
) -> None:
    assert found(kind, {**VALID[kind], field: [1]}) == [(path, "wrong type", expected, "1")]


@pytest.mark.parametrize(
    ("field", "value", "found_value"),
    [
        ("affected_files", [], "an array of 0 elements"),
        ("steps", [], "an array of 0 elements"),
        ("acceptance_mapping", {}, "an object of 0 fields"),
    ],
)
def test_an_empty_list_or_mapping_of_a_plan_is_a_problem(
    field: str, value: object, found_value: str
) -> None:
    assert found("plan", {**VALID["plan"], field: value}) == [
        ((field,), "too few elements", "at least 1", found_value),
    ]


@pytest.mark.spec("2.2.6")
@pytest.mark.parametrize("order", [0, -1, 1.5, -0.5, 1e300, 10**99, 2**53 + 1])
def test_the_order_of_a_step_may_be_any_number(order: float) -> None:
    assert found("plan", {**VALID["plan"], "steps": [{**STEP, "order": order}]}) == []


@pytest.mark.parametrize(("value", "shown"), VALUES)
def test_a_blocker_may_be_anything(value: object, shown: str) -> None:
    result = {**VALID["worker-result"], "status": "blocked", "blockers": [value, shown]}

    assert found("worker-result", result) == []


@pytest.mark.spec("2.5.23")
@pytest.mark.parametrize("status", ["blocked", "failed", "Completed", "in progress", "完成"])
def test_a_status_may_be_any_text(status: str) -> None:
    result = {**VALID["worker-result"], "status": status, "blockers": ["no network"]}

    assert found("worker-result", result) == []


@pytest.mark.spec("9.2")
@pytest.mark.parametrize("kind", ["plan", "worker-result", "git-result"])
@pytest.mark.parametrize(("value", "shown"), VALUES)
def test_a_field_that_the_contract_does_not_know_is_accepted(
    kind: str, value: object, shown: str
) -> None:
    artifact = {**VALID[kind], "x_note": value, "": shown, "model_config": {"a": [value]}}

    assert found(kind, artifact) == []


def test_unknown_fields_of_steps_and_tasks_are_accepted() -> None:
    plan = {**VALID["plan"], "steps": [{**STEP, "owner": None}]}

    assert found("plan", plan) == []
    assert found("classifications", [{**TASK, "note": [{}]}] * 5) == []


@pytest.mark.parametrize("kind", ["plan", "worker-result", "git-result"])
@pytest.mark.parametrize(("value", "shown", "expected"), wrong_types("an object", dict))
def test_a_document_that_is_no_object_is_a_problem(
    kind: str, value: object, shown: str, expected: str
) -> None:
    assert found(kind, value) == [((), "wrong type", expected, shown)]
    assert found(kind, value, "exercise") == [((), "wrong type", expected, shown)]
