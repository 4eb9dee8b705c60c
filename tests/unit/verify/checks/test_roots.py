"""The paths of a plan begin at the target project, or show that they begin somewhere else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from verify.attempt import Source
from verify.checks import roots
from verify.verdicts import PASSED, Finding, failed

if TYPE_CHECKING:
    from collections.abc import Callable

    from verify.attempt import Attempt

    AttemptOn = Callable[..., Attempt]

FILE = ".pipeline/ISSUE-7/plan.json"
PLAN = Source("plan.json")
CHECK = roots.begin_at_target(PLAN)
MESSAGE = "this path does not begin at the target project"
ADD = "Begin each path with sandbox/: the target project is the whole repository."


def plan_of(files: list[str], steps: list[str]) -> dict[str, Any]:
    return {
        "affected_files": files,
        "steps": [
            {"order": order, "file": file, "description": "Write it"}
            for order, file in enumerate(steps)
        ],
    }


def test_a_path_in_the_root_that_leads_to_a_file_of_the_sandbox_is_named(
    attempt_on: AttemptOn,
) -> None:
    plan = plan_of(["src/app.js", "src/new.js"], ["src/app.js", "src/new.js"])
    attempt = attempt_on({FILE: plan, "sandbox/src/app.js": "// there"})

    assert CHECK(attempt) == failed(
        Finding(
            MESSAGE,
            *('"sandbox/src/app.js"', '"src/app.js"', FILE, "$.affected_files[0]", 3, 5, ADD),
        )
    )


@pytest.mark.parametrize(
    "there",
    [[], ["src/app.js"], ["src/app.js", "sandbox/src/app.js"], ["sandbox/src/other.js"]],
    ids=["no sources", "in the root", "in both", "another one in the sandbox"],
)
def test_a_path_in_the_root_is_right_where_nothing_shows_the_mistake(
    attempt_on: AttemptOn, there: list[str]
) -> None:
    files = dict.fromkeys(there, "// there")
    plan = plan_of(["src/app.js"], ["src/app.js"])

    assert CHECK(attempt_on({FILE: plan, **files})) is PASSED
