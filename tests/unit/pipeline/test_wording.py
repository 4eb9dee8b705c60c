"""What pydantic finds is told in the contract's words."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic_core import ValidationError

from pipeline.problems import Problem
from pipeline.validators import validator
from pipeline.wording import missing_field, problem_of

PLAN = {"affected_files": ["a"], "steps": [{"order": 1, "file": "a", "description": "b"}]}
LABEL = "a label AC<N>_<short_name>, such as AC1_status"


def problems(kind: str, value: object) -> list[Problem]:
    with pytest.raises(ValidationError) as caught:
        validator(kind).validate_python(value)
    return [problem_of(error) for error in caught.value.errors()]


def test_a_wrong_type_names_the_type_in_the_words_of_json() -> None:
    value = {"status": 1, "files_changed": "a", "blockers": {}, "summary": None}

    assert problems("worker-result", value) == [
        Problem("fields", ("status",), "wrong type", "a string", "1"),
        Problem("fields", ("files_changed",), "wrong type", "an array", '"a"'),
        Problem("fields", ("blockers",), "wrong type", "an array", "an object of 0 fields"),
        Problem("fields", ("summary",), "wrong type", "a string", "null"),
    ]


@pytest.mark.parametrize("label", ["AC1", "[key]", "", "a.b[0]"])
def test_a_wrong_label_is_told_of_its_key(label: str) -> None:
    value = {**PLAN, "acceptance_mapping": {label: "a"}}

    assert problems("plan", value) == [
        Problem(
            "criterion-label", ("acceptance_mapping", label), "wrong form", LABEL, f'"{label}"'
        ),
    ]


def test_the_value_of_a_key_that_looks_like_the_mark_of_keys_is_told_of_its_value() -> None:
    value = {**PLAN, "acceptance_mapping": {"[key]": 1}}

    assert problems("plan", value)[1:] == [
        Problem("fields", ("acceptance_mapping", "[key]"), "wrong type", "a string", "1"),
    ]


def test_a_type_of_error_that_has_no_words_is_told_in_those_of_pydantic() -> None:
    error = {"type": "recursion_loop", "loc": ("a", 1), "msg": "Recursion error", "input": []}

    assert problem_of(error) == Problem(
        "fields", ("a", 1), "Recursion error", "", "an array of 0 elements"
    )


@pytest.mark.parametrize(
    ("name", "holder", "found"),
    [
        ("affected_files", {"affected-files": 1}, "affected-files"),
        ("affected_files", {"Affected_Files": 1}, "Affected_Files"),
        ("affected_files", {"affectedFiles": 1}, "affectedFiles"),
        ("affected_files", {"affected_file": 1, "AFFECTED_FILES": 2}, "AFFECTED_FILES"),
        ("affected_files", {"files": 1, "affected_fils": 2}, "affected_fils"),
        ("affected_files", {"files_affected": 1}, None),
        ("affected_files", {"x": 1}, None),
        ("order", {"Order": 1}, "Order"),
        ("order", {"order" * 50: 1}, None),
        ("order", {}, None),
        ("order", [], None),
        ("order", None, None),
    ],
)
def test_a_missing_field_is_told_with_a_name_that_is_near(
    name: str, holder: Any, found: str | None
) -> None:
    near = f'a field named "{found}"' if found else ""

    assert missing_field((name,), holder) == Problem(
        "fields", (name,), "this field is missing", "", near
    )


@pytest.mark.parametrize(
    ("name", "holder"),
    [
        ("commit_sha", {"commit_message": "feat: x"}),
        ("commit_message", {"commit_sha": "0123abc"}),
        ("blockers", {"produced_by": "x", "status": "y", "blocker_count": 0}),
    ],
)
def test_another_field_of_the_contract_is_no_name_that_is_near(
    name: str, holder: dict[str, Any]
) -> None:
    near = 'a field named "blocker_count"' if "blocker_count" in holder else ""

    assert missing_field((name,), holder).found == near
