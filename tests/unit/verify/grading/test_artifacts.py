"""A context reads and validates each artifact once, where its exercise looks for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pipeline.protocol.problems import Problem
from verify.grading.artifacts import ArtifactRef, actual_path
from verify.grading.model import PASSED, Finding, Outcome, Verdict
from verify.submissions.submission import open_folder

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from verify.grading.artifacts import Context
    from verify.grading.model import Exercise

PLAN_FILE = ".pipeline/ISSUE-7/plan.json"


@pytest.mark.parametrize(
    ("source", "target", "located"),
    [
        (ArtifactRef("plan.json"), ".", ".pipeline/ISSUE-7/plan.json"),
        (ArtifactRef("plan.json"), None, ".pipeline/ISSUE-7/plan.json"),
        (ArtifactRef("plan.json"), "sandbox", "sandbox/.pipeline/ISSUE-7/plan.json"),
        (ArtifactRef("git-result.json", issue="AB-9"), "a/b", "a/b/.pipeline/AB-9/git-result.json"),
        (ArtifactRef("classifications.json", path="docs/x.json"), "sandbox", "docs/x.json"),
    ],
)
def test_a_source_is_in_its_issues_folder_or_at_its_own_path(
    toy_exercise: Callable[..., Exercise], source: ArtifactRef, target: str | None, located: str
) -> None:
    assert source.located(toy_exercise(target=target)) == located


def test_a_source_that_is_no_artifact_is_refused() -> None:
    message = r"^notes.json is not an artifact of the protocol: use own_artifact for your own$"

    with pytest.raises(ValueError, match=message):
        ArtifactRef("notes.json")


def test_an_artifact_is_read_once(context_on: Callable[..., Context], plan: dict[str, Any]) -> None:
    context, source = context_on({PLAN_FILE: plan}), ArtifactRef("plan.json")
    first = context.artifact(source)
    submission: Any = context.submission

    assert context.artifact(source) is first
    assert submission.read_paths == [PLAN_FILE]
    assert (first.file, first.unreadable, first.value, first.problems) == (
        PLAN_FILE,
        None,
        plan,
        (),
    )


@pytest.mark.spec("2.5.21")
def test_an_artifact_is_validated_under_the_profile_of_the_exercise(
    context_on: Callable[..., Context],
    toy_exercise: Callable[..., Exercise],
    plan: dict[str, Any],
) -> None:
    del plan["produced_by"]
    files = {PLAN_FILE: plan}
    core = context_on(files).artifact(ArtifactRef("plan.json"))
    exercise = context_on(files, exercise=toy_exercise(profile="exercise"))

    assert core.problems == ()
    (problem,) = exercise.artifact(ArtifactRef("plan.json")).problems
    assert (problem.path, problem.message) == (("produced_by",), "this field is missing")


def test_problems_become_findings_at_their_places(
    context_on: Callable[..., Context], plan: dict[str, Any]
) -> None:
    artifact = context_on({PLAN_FILE: plan}).artifact(ArtifactRef("plan.json"))
    problem = Problem("toy", ("steps", 1, "file"), "wrong", "right", "left")

    assert artifact.failed_at([]) is PASSED
    assert artifact.failed_at([problem]) == Verdict(
        Outcome.FAIL,
        (Finding("wrong", "right", "left", PLAN_FILE, "$.steps[1].file", 14, 15),),
    )


E_ACUTE, E_COMBINED = "\u00e9", "e\u0301"


@pytest.mark.parametrize(
    ("there", "asked", "found"),
    [
        (f"{E_COMBINED}/{E_COMBINED}", f"{E_ACUTE}/{E_ACUTE}", f"{E_COMBINED}/{E_COMBINED}"),
        (f"a/{E_ACUTE}", f"a/{E_COMBINED}", f"a/{E_ACUTE}"),
        ("a/b", f"{E_ACUTE}/b", f"{E_ACUTE}/b"),
        ("a", f"a/{E_ACUTE}", f"a/{E_ACUTE}"),
    ],
)
def test_a_file_is_found_by_another_form_of_its_name(
    tmp_path: Path, there: str, asked: str, found: str
) -> None:
    place = tmp_path / there
    place.parent.mkdir(parents=True, exist_ok=True)
    place.touch()
    with open_folder(str(tmp_path)) as submission:
        assert actual_path(submission, asked) == found


def test_the_name_itself_counts_before_its_other_form(tmp_path: Path) -> None:
    for name in (E_ACUTE, E_COMBINED):
        (tmp_path / name).touch()
    with open_folder(str(tmp_path)) as submission:
        assert [actual_path(submission, name) for name in (E_ACUTE, E_COMBINED)] == [
            E_ACUTE,
            E_COMBINED,
        ]


def test_a_folder_that_was_looked_into_is_not_listed_again(tmp_path: Path) -> None:
    seen = {"": {E_ACUTE: "folder"}, "folder": {E_ACUTE: "file"}}
    with open_folder(str(tmp_path)) as submission:
        assert actual_path(submission, f"{E_COMBINED}/{E_COMBINED}", seen) == "folder/file"
