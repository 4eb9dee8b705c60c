"""The marker `produced_by` names who an artifact comes from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from verify.attempt import Source
from verify.checks.provenance import produced_by
from verify.verdicts import PASSED, Finding, failed

if TYPE_CHECKING:
    from collections.abc import Callable

    from verify.attempt import Attempt

    AttemptOn = Callable[..., Attempt]

FILE = ".pipeline/ISSUE-7/plan.json"
PLAN = Source("plan.json")


@pytest.mark.spec("2.2.19")
@pytest.mark.parametrize("marker", ["x-planner", "x-subplanner"])
def test_a_marker_that_names_one_of_the_agents_passes(
    attempt_on: AttemptOn, plan: dict[str, Any], marker: str
) -> None:
    plan["produced_by"] = marker

    assert produced_by(PLAN, "x-planner", "x-subplanner")(attempt_on({FILE: plan})) is PASSED


@pytest.mark.spec("2.2.19", "4.8")
@pytest.mark.parametrize(
    ("marker", "found"),
    [
        ("x-worker", '"x-worker"'),
        ("X-Planner", '"X-Planner"'),
        ("x-planner ", '"x-planner "'),
        ("x\u2010subplanner", r'"x\u{2010}subplanner"'),
        ("x-subplanner\u200b", r'"x-subplanner\u{200b}"'),
        ("x-sub\x1b[31mplanner", r'"x-sub\u{1b}[31mplanner"'),
    ],
    ids=ascii,
)
def test_another_marker_is_shown_so_that_the_difference_is_seen(
    attempt_on: AttemptOn, plan: dict[str, Any], marker: str, found: str
) -> None:
    plan["produced_by"] = marker
    verdict = produced_by(PLAN, "x-planner", "x-subplanner")(attempt_on({FILE: plan}))

    assert verdict == failed(
        Finding(
            "the marker names another agent",
            '"x-planner" or "x-subplanner"',
            found,
            FILE,
            "$.produced_by",
            21,
            18,
        )
    )


def test_a_long_marker_is_cut_and_the_difference_kept(
    attempt_on: AttemptOn, plan: dict[str, Any]
) -> None:
    plan["produced_by"] = "x-subplanner" + "!" * 500
    verdict = produced_by(PLAN, "x-subplanner")(attempt_on({FILE: plan}))

    assert verdict.findings[0].found == f'"x-subplanner{"!" * 87}…"'


def test_a_missing_marker_is_said_to_be_missing(
    attempt_on: AttemptOn, plan: dict[str, Any]
) -> None:
    del plan["produced_by"]
    verdict = produced_by(PLAN, "x-subplanner")(attempt_on({FILE: plan}))

    assert verdict == failed(
        Finding("the marker is missing", '"x-subplanner"', "", FILE, "$.produced_by", 1, 1)
    )
