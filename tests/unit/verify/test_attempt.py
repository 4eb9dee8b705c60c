"""An attempt reads and validates each artifact once, where its exercise looks for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pipeline.protocol.problems import Problem
from verify.attempt import Source
from verify.model import PASSED, Finding, Outcome, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable

    from verify.attempt import Attempt
    from verify.model import Exercise

PLAN_FILE = ".pipeline/ISSUE-7/plan.json"


@pytest.mark.parametrize(
    ("source", "target", "located"),
    [
        (Source("plan.json"), ".", ".pipeline/ISSUE-7/plan.json"),
        (Source("plan.json"), None, ".pipeline/ISSUE-7/plan.json"),
        (Source("plan.json"), "sandbox", "sandbox/.pipeline/ISSUE-7/plan.json"),
        (Source("git-result.json", issue="AB-9"), "a/b", "a/b/.pipeline/AB-9/git-result.json"),
        (Source("classifications.json", path="docs/x.json"), "sandbox", "docs/x.json"),
    ],
)
def test_a_source_stands_in_its_issues_folder_or_at_its_own_path(
    toy_exercise: Callable[..., Exercise], source: Source, target: str | None, located: str
) -> None:
    assert source.located(toy_exercise(target=target)) == located


def test_a_source_that_is_no_artifact_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^notes.json is not the name of an artifact$"):
        Source("notes.json")


def test_an_artifact_is_read_once(
    attempt_on: Callable[..., Attempt[Exercise]], plan: dict[str, Any]
) -> None:
    attempt, source = attempt_on({PLAN_FILE: plan}), Source("plan.json")
    first = attempt.artifact(source)
    submission: Any = attempt.submission

    assert attempt.artifact(source) is first
    assert submission.read_paths == [PLAN_FILE]
    assert (first.file, first.unreadable, first.value, first.problems) == (
        PLAN_FILE,
        None,
        plan,
        (),
    )


@pytest.mark.spec("2.5.21")
def test_an_artifact_is_validated_under_the_profile_of_the_exercise(
    attempt_on: Callable[..., Attempt[Exercise]],
    toy_exercise: Callable[..., Exercise],
    plan: dict[str, Any],
) -> None:
    del plan["produced_by"]
    files = {PLAN_FILE: plan}
    core = attempt_on(files).artifact(Source("plan.json"))
    exercise = attempt_on(files, exercise=toy_exercise(profile="exercise"))

    assert core.problems == ()
    (problem,) = exercise.artifact(Source("plan.json")).problems
    assert (problem.path, problem.message) == (("produced_by",), "this field is missing")


def test_problems_become_findings_at_their_places(
    attempt_on: Callable[..., Attempt[Exercise]], plan: dict[str, Any]
) -> None:
    artifact = attempt_on({PLAN_FILE: plan}).artifact(Source("plan.json"))
    problem = Problem("toy", ("steps", 1, "file"), "wrong", "right", "left")

    assert artifact.failed_at([]) is PASSED
    assert artifact.failed_at([problem]) == Verdict(
        Outcome.FAIL,
        (Finding("wrong", "right", "left", PLAN_FILE, "$.steps[1].file", 14, 15),),
    )
