"""Checks of the running service: an issue's acceptance criteria, each asked over HTTP."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from verify.grading.model import Check, not_checked

if TYPE_CHECKING:
    from pipeline.protocol.issue import Issue
    from verify.grading.artifacts import CheckFunction, Context
    from verify.grading.model import Exercise, Verdict

# What is asked of the tests of a submission; each waits for the one before it to pass.
PASS, FAIL, NOTICE = "pass", "fail without the change", "notice small faults in the change"
_UNASKED = not_checked("nothing was run: add --run")
_UNTESTED = not_checked("the tests were not run: add --run-tests")
_FIRST = 90  # above the numbers of all criteria
_WIDTH = 80


def checks_of_criteria(exercise: Exercise, issue: Issue, first: int) -> tuple[Check, ...]:
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


def checks_of_tests(exercise: Exercise) -> tuple[Check, ...]:
    """Return the advisory checks of the tests that a submission has for each issue."""
    checks: list[Check] = []
    for issue, _ in exercise.asks:
        prefix = f"{issue} " if len(exercise.asks) > 1 else ""
        for question in (PASS, FAIL, NOTICE):
            checks.append(
                Check(
                    code=f"{exercise.code}.{_FIRST + len(checks)}",
                    title=f"{prefix}the tests {question}",
                    run=_says(issue, question),
                    hint="Add tests that fail as soon as the change is missing or wrong.",
                    look_at="The tests that the submission adds or changes.",
                    why="Tests that pass without the work show nothing.",
                    points=0,
                    requires=() if question == PASS else (checks[-1].code,),
                    earlier_work=True,
                    asks_service=True,
                )
            )
    return tuple(checks)


def _holds(code: str, issue: str, label: str) -> CheckFunction:
    def check(context: Context) -> Verdict:
        return _UNASKED if context.ask is None else context.ask(code, issue, label)

    return check


def _says(issue: str, question: str) -> CheckFunction:
    def check(context: Context) -> Verdict:
        return _UNTESTED if context.test is None else context.test(issue, question)

    return check
