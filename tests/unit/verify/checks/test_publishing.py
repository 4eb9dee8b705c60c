"""A git result names its issue in the branch and gives the pull request's address."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from verify.artifacts import ArtifactRef
from verify.checks.publishing import names_the_issue
from verify.model import PASSED, Finding, failed

if TYPE_CHECKING:
    from collections.abc import Callable

    from verify.artifacts import Context
    from verify.model import Exercise

    AttemptOn = Callable[..., Context]

FILE = ".pipeline/ISSUE-7/git-result.json"
RESULT = ArtifactRef("git-result.json")
MESSAGE = "the branch does not name its issue"


@pytest.mark.spec("2.4.3")
@pytest.mark.parametrize(
    ("branch", "right"),
    [
        ("feature/issue-77-health", "feature/issue-7-health"),
        ("feature/issue-17", "feature/issue-7"),
        ("feature/add_health", "feature/issue-7-add_health"),
    ],
)
def test_a_branch_names_the_issue_by_the_whole_number(
    context_on: AttemptOn, git_result: dict[str, Any], branch: str, right: str
) -> None:
    action = f'Rename the branch to "{right}", and write that name.'
    check = names_the_issue(RESULT)

    assert check(context_on({FILE: git_result | {"branch": "feature/i7"}})) is PASSED
    assert check(context_on({FILE: git_result | {"branch": branch}})) == failed(
        Finding(MESSAGE, "a slug with 7 in it", f'"{branch}"', FILE, "$.branch", 2, 13, action)
    )


@pytest.mark.spec("2.4.3")
@pytest.mark.parametrize("own", ["ISSUE-7", None], ids=["of another issue", "of no issue"])
def test_a_result_of_an_issue_of_its_own_is_asked_for_that_issue(
    context_on: AttemptOn,
    toy_exercise: Callable[..., Exercise],
    git_result: dict[str, Any],
    own: str | None,
) -> None:
    file = ".pipeline/ISSUE-302/git-result.json"
    check = names_the_issue(ArtifactRef("git-result.json", issue="ISSUE-302"))
    exercise = toy_exercise(issue=own)
    wrong = check(context_on({file: git_result}, exercise=exercise))
    git_result["branch"] = "feature/issue-302-health"
    right = check(context_on({file: git_result}, exercise=exercise))

    assert [(f.expected, f.found) for f in wrong.findings] == [
        ("a slug with 302 in it", '"feature/issue-7-health"')
    ]
    assert right is PASSED
