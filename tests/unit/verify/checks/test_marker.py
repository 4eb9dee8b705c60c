"""The marker `produced_by` names who an artifact comes from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from verify.artifacts import ArtifactRef
from verify.checks.marker import produced_by
from verify.model import PASSED, Finding

if TYPE_CHECKING:
    from collections.abc import Callable

    from verify.artifacts import Context

    AttemptOn = Callable[..., Context]

FILE = ".pipeline/ISSUE-7/plan.json"
PLAN = ArtifactRef("plan.json")


CHECK = produced_by(PLAN, "x-planner", "x-subplanner")


@pytest.mark.spec("2.2.19")
@pytest.mark.parametrize("marker", ["x-planner", "x-subplanner"])
def test_a_marker_that_names_one_of_the_agents_passes(
    context_on: AttemptOn, plan: dict[str, Any], marker: str
) -> None:
    assert CHECK(context_on({FILE: plan | {"produced_by": marker}})) is PASSED


@pytest.mark.spec("2.2.19", "4.8")
@pytest.mark.parametrize(
    ("marker", "found"),
    [
        ("X-Planner", '"X-Planner"'),
        ("x-planner ", '"x-planner "'),
        ("x\u2010subplanner", r'"x\u{2010}subplanner"'),
        ("x-sub\x1b[31mplanner", r'"x-sub\u{1b}[31mplanner"'),
        ("x-subplanner" + "!" * 500, f'"x-subplanner{"!" * 87}…"'),
    ],
    ids=ascii,
)
def test_another_marker_is_shown_so_that_the_difference_is_seen(
    context_on: AttemptOn, plan: dict[str, Any], marker: str, found: str
) -> None:
    expected = '"x-planner" or "x-subplanner"'
    (finding,) = CHECK(context_on({FILE: plan | {"produced_by": marker}})).findings

    assert finding == Finding(
        "the marker names another agent",
        *(expected, found, FILE, "$.produced_by", 21, 18, finding.action),
    )
