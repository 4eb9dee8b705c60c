"""Builders of small standings that the tests of the report share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.stubs.marks import mark_of
from verify.gradebook.records import Learner, Mark, Standing
from verify.grading.model import CheckInfo, ExerciseInfo, Finding, Outcome
from verify.report.tally import entry_of

if TYPE_CHECKING:
    from verify.report.tally import LearnerRow

FINDING = Finding(
    "wrong type",
    "a number",
    "<b>true</b>",
    "plan.json",
    "$.steps[3].order",
    4,
    12,
    "Write a number.",
    '  {\n  "a": 1,\n  "order": true,\n  }',
)
CHECKS = (
    CheckInfo("T01.1", "it is there", 2, advisory=False, page="docs/t/01.md#t01-1"),
    CheckInfo("T01.2", "it is <right>", 3, advisory=False, page="https://example.org/#t01-2"),
    CheckInfo("T01.3", "it is nice", 0, advisory=True, page="javascript:alert(1)"),
)
EXERCISE = ExerciseInfo("toy/01", "A toy", 5, CHECKS)


def mark(letters: str, **more: Any) -> Mark:
    """Return a mark of the toy exercise with an outcome a check: `m` is missing, `u` unresolved."""
    if letters == "u":
        why = {"reason": "two <b>folders</b> hold work", "action": "Submit one."}
        return Mark(EXERCISE, Outcome.UNRESOLVED)._replace(**{**why, **more})
    return mark_of(EXERCISE, letters.removeprefix("m"), FINDING, **more)


def entry(
    number: int, *marks: Mark, key: str = "", rostered: bool = True, **submission: Any
) -> LearnerRow:
    """Return an entry of a learner with marks; `submission` are more fields of the standing."""
    learner = Learner(key or f"k{number}", rostered=rostered)
    standing = Standing(learner, marks or (mark("ppp"),), **submission)
    return entry_of(number, standing, [made.exercise for made in standing.marks])
