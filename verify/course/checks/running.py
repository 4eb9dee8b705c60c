"""Checks of the running service: an issue's acceptance criteria, each asked over HTTP."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from verify.grading.model import Check, not_checked

if TYPE_CHECKING:
    from pipeline.protocol.issue import Issue
    from verify.grading.artifacts import CheckFunction, Context
    from verify.grading.model import Exercise, Verdict

_UNASKED = not_checked("nothing was run: add --run")
_WIDTH = 80


def criteria_of(exercise: Exercise, issue: Issue, first: int) -> tuple[Check, ...]:
    """Return one check for each criterion of an issue, numbered from `first`."""
    prefix = f"{issue.id} " if len(exercise.asks) > 1 else ""
    return tuple(
        Check(
            code=(code := f"{exercise.code}.{number}"),
            title=textwrap.shorten(
                f"{prefix}{label}: {sentence.replace('`', '').rstrip('.')}", _WIDTH, placeholder="…"
            ),
            run=_holds(code, issue.id, label),
            hint="Change the code until the running service does what the criterion says.",
            look_at=sentence,
            why="Only a running service shows that a criterion holds.",
            earlier_work=True,
            asks_service=True,
        )
        for number, (label, sentence) in enumerate(issue.criteria.items(), first)
    )


def _holds(code: str, issue: str, label: str) -> CheckFunction:
    def check(context: Context) -> Verdict:
        return _UNASKED if context.ask is None else context.ask(code, issue, label)

    return check
