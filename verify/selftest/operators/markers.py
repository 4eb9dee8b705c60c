"""Faults of the marker: another agent, or a name that only looks like the right one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from verify.selftest.mutants import Edit
from verify.selftest.operators.documents import with_value
from verify.selftest.subjects import MARKER

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verify.selftest.subjects import Subject

_AGENTS = (
    *("x-planner", "x-subplanner", "x-worker", "x-worker-fast", "x-reviewer", "x-reviewer-fast"),
    *("x-git", "user", "unknown"),
)


def another_agent(document: Any, subject: Subject) -> Iterator[Edit]:
    """Name every other agent of the pipeline, and none of them."""
    yield from _marked(document, subject, _AGENTS)


def misspelt(document: Any, subject: Subject) -> Iterator[Edit]:
    """Spell the agent's name almost right."""
    name = document.get("produced_by", "")
    yield from _marked(
        document,
        subject,
        (
            name.upper(),
            name.capitalize(),
            f"{name} ",
            f" {name}",
            f"{name}\n",
            name.removeprefix("x-"),
            name.replace("-", "_"),
            name.replace("-", ""),
            f"@{name}",
            f"{name}-2",
            f"{name},x-reviewer",
            name.replace("x", "\u0445"),  # Cyrillic, which looks the same
        ),
    )


def _marked(document: Any, subject: Subject, names: tuple[str, ...]) -> Iterator[Edit]:
    right = {*subject.agents, document.get("produced_by")}
    if "produced_by" not in document:
        return
    for name in dict.fromkeys(names):
        if name not in right:
            label = f"produced_by: says {name!a}"
            yield Edit(label, (MARKER,), with_value(document, ("produced_by",), name))


ALL = (another_agent, misspelt)
