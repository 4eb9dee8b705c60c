"""The lines beneath a mark that tell how far its artifacts can be traced."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipeline.terminal.display import inert, visible
from verify.reporters.columns import INDENT, filled

if TYPE_CHECKING:
    from verify.levels import Provenance, WhyNot


def sentence(provenance: Provenance) -> str:
    """Return the submission's level and its artifacts': `L1, consistent with git (…)`."""
    each = ", ".join(f"{traced.name} {traced.level.code}" for traced in provenance.artifacts)
    return f"{provenance.level.code}, {provenance.level.words} ({each})"


def reasons(provenance: Provenance) -> list[str]:
    """Return why levels were not reached, a line for each reason, the lowest level first."""
    names: dict[WhyNot, list[str]] = {}
    for traced in provenance.artifacts:
        for missed in traced.missed:
            names.setdefault(missed, []).append(traced.name)
    told = sorted(names.items(), key=lambda item: item[0].level)
    return [
        f"not {missed.level.code}: {visible(missed.reason, 500)}"
        + (f" ({', '.join(of)})" if len(of) < len(provenance.artifacts) else "")
        for missed, of in told
    ]


def provenance_lines(provenance: Provenance, width: int) -> list[str]:
    """Return the lines for the table."""
    lines = filled(f"Provenance: {sentence(provenance)}", width, subsequent_indent=INDENT)
    for reason in reasons(provenance):
        lines += filled(reason, width, initial_indent=INDENT, subsequent_indent=INDENT * 2)
    return [inert(line) for line in lines]
