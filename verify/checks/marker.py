"""Checks of the marker `produced_by`: who an artifact says it comes from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipeline.protocol.problems import Problem
from pipeline.terminal.display import around_difference, listed, quoted
from verify.model import PASSED, Verdict

if TYPE_CHECKING:
    from verify.artifacts import ArtifactRef, CheckFunction, Context


_AGENTS = ("x-planner", "x-subplanner", "x-worker", "x-git", "x-worker-fast", "x-reviewer")
_LONGEST = 40  # characters of a marker that may be a misspelt one


def produced_by(source: ArtifactRef, *agents: str) -> CheckFunction:
    """Pass where the marker names one of the agents (specification, sections 2.2 to 2.4).

    The marker is self-declared: a pass shows that delegation is claimed, not that it happened.
    """

    def check(context: Context) -> Verdict:
        artifact = context.artifact(source)
        marker = artifact.value.get("produced_by")
        if marker in agents:
            return PASSED
        expected = " or ".join(quoted(agent) for agent in agents)
        if not isinstance(marker, str):
            problem = Problem(
                "produced-by",
                ("produced_by",),
                "the marker is missing",
                expected,
                f"only {listed(artifact.value)}",
                action=f'Add "produced_by": {quoted(agents[0])}, if that agent wrote the file.',
            )
        else:
            near = around_difference(marker, agents[-1])[0]
            problem = Problem(
                "produced-by",
                ("produced_by",),
                "the marker names another agent",
                expected,
                f'"{near}"',
                action=_action(marker, agents, source.name),
            )
        return artifact.failed_at([problem])

    return check


def _action(marker: str, agents: tuple[str, ...], name: str) -> str:
    """Return what to do about a marker: spell the agent right, or have the right one do it."""
    from pipeline.protocol.names import similar  # only on failure

    word = "-".join(marker[:_LONGEST].lower().replace("_", " ").replace("-", " ").split())
    roles = {agent.removeprefix("x-"): agent for agent in _AGENTS}
    meant = roles.get(word.removeprefix("x-")) or similar(word, _AGENTS)
    if meant in agents:
        return f"Write {quoted(meant)}."
    return f"Have {' or '.join(agents)} write {name}: do not only change the name."
