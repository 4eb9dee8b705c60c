"""One artifact's bytes become a value and all its problems (fixtures/artifacts shows which)."""

from __future__ import annotations

import json
from typing import Any

from pipeline.problems import Problem
from pipeline.schema import KINDS
from pipeline.validation import PROFILES, Validation, validate

GIT = {"branch": "feature/a", "commit_sha": "0123abc", "commit_message": "feat: x"}


def git_result(fields: dict[str, Any], profile: Any = "core") -> Validation:
    return validate(json.dumps({**GIT, **fields}).encode(), KINDS["git-result"], profile)


def test_the_profiles_are_core_and_exercise() -> None:
    assert PROFILES == ("core", "exercise")


def test_a_valid_artifact_is_its_value_without_problems() -> None:
    assert git_result({}) == Validation(GIT)


def test_the_value_of_an_invalid_artifact_is_kept_beside_all_its_problems() -> None:
    found = git_result({"branch": 1, "commit_sha": 2}, "exercise")

    assert found == Validation(
        {**GIT, "branch": 1, "commit_sha": 2},
        (
            Problem("fields", ("produced_by",), "this field is missing", "", "", 1, 1),
            Problem("fields", ("branch",), "wrong type", "a string", "1", 1, 12),
            Problem("fields", ("commit_sha",), "wrong type", "a string", "2", 1, 29),
        ),
    )


def test_every_problem_is_kept_however_many_there_are() -> None:
    files = ", ".join(["1"] * 1500)
    data = f'{{"status": "x", "files_changed": [{files}], "blockers": [], "summary": "x"}}'.encode()

    found = validate(data, KINDS["worker-result"])

    assert [p.path for p in found.problems] == [("files_changed", index) for index in range(1500)]
