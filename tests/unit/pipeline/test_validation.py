"""One artifact's bytes become a value and all its problems (fixtures/artifacts shows which)."""

from __future__ import annotations

import json
from typing import Any

from pipeline.protocol.problems import Problem
from pipeline.protocol.validation import Validation, validate
from pipeline.schema import KINDS

GIT = {"branch": "feature/a", "commit_sha": "0123abc", "commit_message": "feat: x"}


def git_result(fields: dict[str, Any], profile: Any = "core") -> Validation:
    return validate(json.dumps({**GIT, **fields}).encode(), KINDS["git-result"], profile)


def test_a_valid_artifact_is_its_value_without_problems() -> None:
    assert git_result({}) == Validation(GIT)


def test_the_value_of_an_invalid_artifact_is_kept_beside_all_its_problems() -> None:
    found = git_result({"branch": 1, "commit_sha": 2}, "exercise")
    fields = 'only "branch", "commit_sha", "commit_message"'
    missing, add = "this field is missing", 'Add "produced_by": "x-git".'
    quote = "Put the value in double quotes."

    assert found == Validation(
        {**GIT, "branch": 1, "commit_sha": 2},
        (
            Problem("fields", ("branch",), "wrong type", "a string", "1", 1, 12, quote),
            Problem("fields", ("commit_sha",), "wrong type", "a string", "2", 1, 29, quote),
            Problem("fields", ("produced_by",), missing, "a string", fields, 1, 59, add),
        ),
    )


def test_every_problem_is_kept_however_many_there_are() -> None:
    files = ", ".join(f'["{number}"]' for number in range(1500))
    data = f'{{"status": "x", "files_changed": [{files}], "blockers": [], "summary": "x"}}'.encode()

    found = validate(data, KINDS["worker-result"])

    assert [p.path for p in found.problems] == [("files_changed", index) for index in range(1500)]


def test_what_one_action_repairs_is_one_problem_for_each_field() -> None:
    files = ["./a", "./b", "/c"]
    plan = {
        "affected_files": files,
        "steps": [{"step": 1, "file": file, "description": 2} for file in files],
        "produced_by": 3,
    }
    problems = validate(json.dumps(plan).encode(), KINDS["plan"]).problems

    assert [(p.path[-1], p.message) for p in problems] == [
        (0, "this path begins with ./, in 4 places"),
        (2, "this path does not begin in the project, in 2 places"),
        ("order", "this field is missing, in 3 places"),
        ("description", "wrong type, in 3 places"),
        ("produced_by", "wrong type"),
    ]
