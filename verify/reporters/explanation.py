"""What a check means: what it asks, why, how to fix a failure; in a terminal as on its page."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from pipeline.terminal.display import visible
from verify.reporters.columns import INDENT, NARROWEST, filled

if TYPE_CHECKING:
    from verify.model import Check, Exercise


def standing(check: Check) -> str:
    """Return what a failure of the check means for the rest, empty for an ordinary check."""
    sentences = []
    if check.advisory:
        sentences.append("It is advice: without `--strict` it fails nothing.")
    if check.requires:
        sentences.append(f"It waits for {' and '.join(check.requires)}.")
    return " ".join(sentences)


def explanation(exercise: Exercise, check: Check, lesson: str, width: int) -> str:
    """Return the explanation of a check as text; `lesson` is the place of its lesson."""
    room = max(width, NARROWEST)
    points = f"{check.points} point{'s' * (check.points != 1)}"
    lines = filled(f"{check.code}  {check.title}", room, subsequent_indent=INDENT * 3)
    lines += filled(
        f"{exercise.name} - {exercise.title} - {'advisory' if check.advisory else points}",
        room,
        subsequent_indent=INDENT,
    )
    paragraphs = {"": f"{check.why} {standing(check)}", "Look at: ": check.look}
    paragraphs["Change: "] = check.hint
    for label, text in paragraphs.items():
        if text.strip():
            shown = visible(f"{label}{text}".strip(), 1_000)
            lines += ["", *filled(shown, room, subsequent_indent=INDENT * bool(label))]
    if check.example:
        lines += ["", "For example:", *textwrap.indent(check.example, INDENT).split("\n")]
    return "\n".join([*lines, "", f"Lesson: {lesson}"]) + "\n"
