"""What pydantic finds is told in the contract's words (fixtures/artifacts shows each sentence)."""

from __future__ import annotations

from typing import Any

import pytest

from pipeline.protocol.problems import Problem
from pipeline.protocol.wording import missing_field, problem_of
from pipeline.schema import KINDS

ADVICE = "Write a value such as []."


def test_a_type_of_error_that_has_no_words_is_reported_in_those_of_pydantic() -> None:
    error = {"type": "recursion_loop", "loc": ("a", 1), "msg": "Recursion error", "input": []}

    assert problem_of(error, []) == Problem(
        "fields", ("a", 1), "Recursion error", "", "an array of 0 elements", action=ADVICE
    )


@pytest.mark.parametrize(
    ("kind", "name", "holder", "found"),
    [
        ("plan", "affected_files", {"affected-files": 1}, "affected-files"),
        ("plan", "affected_files", {"files": [], "affected_fils": 2}, "affected_fils"),
        # the only one with a value of its type
        ("plan", "affected_files", {"files": [], "title": "x"}, "files"),
        ("plan", "affected_files", {"files": [], "notes": []}, None),
        ("plan", "affected_files", {"files": 1}, None),
        ("plan", "order", {"order" * 50: "1"}, None),
        ("plan", "order", None, None),
        # another field of the contract is never meant
        ("git-result", "commit_sha", {"commit_message": "feat: x"}, None),
        (
            "worker-result",
            "blockers",
            {"produced_by": "x", "status": "y", "blockers_list": 0},
            "blockers_list",
        ),
    ],
)
def test_a_missing_field_is_reported_with_a_name_that_is_near(
    kind: str, name: str, holder: Any, found: str | None
) -> None:
    path = ("steps", 0, name) if name == "order" else (name,)

    problem = missing_field(path, holder, KINDS[kind].example)

    assert problem.action.startswith(f'Rename "{found}"' if found else f'Add "{name}"')
