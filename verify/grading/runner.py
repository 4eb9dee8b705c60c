"""Runs an exercise's checks in order; a check may wait for others, and a crash is a result."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from pipeline.files import Unreadable
from pipeline.terminal.display import raised_text
from verify.grading.model import CONTENT, COURSE_PACKAGE, Finding, Outcome, Report, Result, Verdict
from verify.grading.ways import BrokenRun
from verify.submissions.files import NoSubmission, Unresolved

if TYPE_CHECKING:
    from verify.grading.artifacts import Context
    from verify.grading.model import Check, Exercise

_SKIPPED = Verdict(Outcome.SKIP)
_AGAIN = "Run it again. Your work is not to blame."
_EMPTY = Finding("")
_OF_CHECKS = (*CONTENT, Outcome.FAIL)


def grade(context: Context, *, strict: bool = False) -> Report:
    """Return the report of the context's exercise: one result for each check, in order.

    Raises `NoSubmission`, `Unresolved` and `MemoryError`: no check is to blame for them.
    """
    exercise = _answerable(context)
    results: list[Result] = []
    blockers: dict[str, str] = {}  # code of a check that did not pass -> the root of the failure
    for check in exercise.checks:
        blocker = next((blockers[code] for code in check.requires if code in blockers), "")
        result = Result(check, _SKIPPED, blocker) if blocker else _result(check, context)
        if result.outcome not in CONTENT:
            blockers[check.code] = result.waits_for or check.code
        results.append(result)
    return Report(exercise, context.submission.root, tuple(results), strict)


def _result(check: Check, context: Context) -> Result:
    try:
        verdict = _stated(check, check.run(context))
    except (NoSubmission, Unresolved, MemoryError, KeyboardInterrupt):
        raise
    except BaseException as error:  # noqa: BLE001  # what a check raises is a result
        verdict = _crash(check, error)
    waits_for = verdict.waits_for
    return Result(check, verdict._replace(waits_for="") if waits_for else verdict, waits_for)


def _answerable(context: Context) -> Exercise:
    """Return the exercise, without the checks of a history if the submission has none."""
    exercise = context.exercise
    if exercise.without_history is exercise:
        return exercise
    try:
        history = context.submission.history()
    except Unreadable:  # a history exists: the checks say what is wrong with it
        return exercise
    return exercise if history is not None else exercise.without_history


def _stated(check: Check, verdict: object) -> Verdict:
    """Return what a check returned, in full; raises `TypeError` if it is not a verdict."""
    if not isinstance(verdict, Verdict) or not (verdict.outcome in _OF_CHECKS or verdict.waits_for):
        expected = "a Verdict that passes, fails or is not checked"
        raise TypeError(f"{check.code} returned {verdict!r} (expected {expected})")
    if verdict.outcome is Outcome.PASS:
        return verdict
    verdict = verdict._replace(outcome=Outcome(verdict.outcome))
    if type(verdict.earned) is not int or not 0 <= verdict.earned < max(check.points, 1):
        part = f"failed and gave {verdict.earned!r} of {check.points} points"
        raise TypeError(f"{check.code} {part} (expected a smaller whole number)")
    if odd := [found for found in verdict.findings if not _is_finding(found)]:
        raise TypeError(f"{check.code} returned {odd[0]!r} (expected a Finding of texts)")
    if verdict.findings or verdict.waits_for or verdict.outcome is Outcome.PASS:
        return verdict
    return verdict._replace(findings=(Finding("no reason was given"),))


def _is_finding(value: object) -> bool:
    """Return whether a value is a finding whose fields have the types of an empty one."""
    if not isinstance(value, Finding):
        return False
    return all(isinstance(field, type(empty)) for field, empty in zip(value, _EMPTY, strict=True))


def _crash(check: Check, error: BaseException) -> Verdict:
    import traceback  # a crash is rare, a start is not

    if isinstance(error, BrokenRun):
        finding = Finding(f"the service could not be run: {error}", action=_AGAIN)
        return Verdict(Outcome.ERROR, (finding,))
    if place := _place_in_course(check, error):
        message = f"{place}: the check {check.code} itself failed: {raised_text(error)}"
        action = "Fix the check at this line of the course. The other checks were graded."
        return Verdict(Outcome.ERROR, (Finding(message, action=action),))
    blame = "this is a bug, not your mistake"
    message = f"the check {check.code} itself failed ({type(error).__name__}): {blame}"
    action = "Report this with the log file. The other checks were graded."
    finding = Finding(message, action=action)
    return Verdict(Outcome.ERROR, (finding,), crash="".join(traceback.format_exception(error)))


def _place_in_course(check: Check, error: BaseException) -> str:
    """Return the last line of an instructor's course that was run, empty for a check of ours.

    Where the function only returned what is wrong, that is the line at which it begins.
    """
    import inspect
    import traceback

    function = inspect.unwrap(check.run)
    began = getattr(function, "__code__", None)
    lines = [(function.__module__, began.co_filename, began.co_firstlineno)] if began else []
    for frame, line in traceback.walk_tb(error.__traceback__):
        lines.append((str(frame.f_globals.get("__name__")), frame.f_code.co_filename, line))
    for name, file, line in reversed(lines):
        if name.startswith(COURSE_PACKAGE) and os.path.isabs(file):  # no text that it compiled
            (root,) = sys.modules[name.partition(".")[0]].__path__
            return f"{os.path.relpath(file, root)}:{line}"
    return ""
