"""Checks of the marker `produced_by`: who an artifact says it comes from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipeline.display import around_difference, quoted
from pipeline.problems import Problem
from verify.verdicts import PASSED, Verdict

if TYPE_CHECKING:
    from verify.attempt import Attempt, CheckFunction, Source


def produced_by(source: Source, *agents: str) -> CheckFunction:
    """Pass where the marker names one of the agents (specification, sections 2.2 to 2.4).

    The marker is self-declared: a pass shows that delegation is claimed, not that it happened.
    """

    def check(attempt: Attempt) -> Verdict:
        artifact = attempt.artifact(source)
        marker = artifact.value.get("produced_by")
        if marker in agents:
            return PASSED
        expected = " or ".join(quoted(agent) for agent in agents)
        if not isinstance(marker, str):
            problem = Problem("produced-by", ("produced_by",), "the marker is missing", expected)
        else:
            shown = around_difference(marker, agents[-1])[0]
            problem = Problem(
                "produced-by",
                ("produced_by",),
                "the marker names another agent",
                expected,
                f'"{shown}"',
            )
        return artifact.failed_at([problem])

    return check
