"""The text of a pull request, in which nothing that an agent or an issue says acts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipeline.run.message import inactive
from pipeline.terminal.markdown import code_span

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pipeline.run.assignment import Assignment
    from pipeline.schema import Plan, WorkerResult

_SHOWN = 20  # lines of a list


def body_of(about: Assignment, plan: Plan, result: WorkerResult) -> str:
    """Return the Markdown of the pull request: what was done, and where each criterion is met.

    What the agents and the issue say is inline code: forges link, mention and close nothing in it.
    """
    mapping = plan.get("acceptance_mapping", {})
    items = [f"{_quoted(label)}: {code_span(inactive(file))}" for label, file in mapping.items()]
    return "\n".join(
        [
            f"The worker's summary: {_quoted(result['summary'])}",
            "",
            f"Issue {about.issue}, {_quoted(about.title)}. Tier {about.tier}: {about.reason}",
            *_listed("Where each criterion is met:", items),
        ]
    )


def _listed(title: str, items: Iterable[str]) -> list[str]:
    """Return a titled list as lines, empty without items; what is too much is counted."""
    found = list(items)
    if not found:
        return []
    more = [f"- and {len(found) - _SHOWN} more"] * (len(found) > _SHOWN)
    return ["", title, "", *(f"- {item}" for item in found[:_SHOWN]), *more]


def _quoted(text: str) -> str:
    """Return a text of somebody else: GitLab looks for closing keywords in code, too."""
    return code_span(inactive(" ".join(text.split())))
