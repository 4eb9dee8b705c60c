"""Runs an exercise's checks in order; a check may wait for others, and a crash is a result."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipeline.files import Unreadable
from verify.files import NoSubmission, Unresolved
from verify.model import COURSE_PACKAGE, PASSED, Finding, Outcome, Report, Result, Verdict

if TYPE_CHECKING:
    from verify.artifacts import Context
    from verify.model import Check, Exercise

_SKIPPED = Verdict(Outcome.SKIP)


def grade(context: Context, *, strict: bool = False) -> Report:
    """Return the report of the context's exercise: one result for each check, in order.

    Raises `NoSubmission`, `Unresolved` and `MemoryError`: no check is to blame for them.
    """
    exercise = _answerable(context)
    results: list[Result] = []
    blockers: dict[str, str] = {}  # code of a check that did not pass -> the root of the failure
    for check, passing in zip(exercise.checks, exercise.passing, strict=True):
        result = passing
        blocker = _blocker(check, blockers) if blockers else ""
        if blocker:
            result = Result(check, _SKIPPED, blocker)
        else:
            try:
                verdict = check.run(context)
            except (NoSubmission, Unresolved, MemoryError):
                raise
            except (Exception, SystemExit) as error:  # noqa: BLE001  # what a check raises is a result
                verdict = _crash(check, error)
            if verdict is not PASSED:
                result = Result(check, verdict)
        if result is not passing and result.outcome is not Outcome.UNASKED:
            blockers[check.code] = blocker or check.code
        results.append(result)
    return Report(exercise, context.submission.root, tuple(results), strict)


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


def _blocker(check: Check, blockers: dict[str, str]) -> str:
    return next((blockers[code] for code in check.requires if code in blockers), "")


def _crash(check: Check, error: BaseException) -> Verdict:
    import traceback  # a crash is rare, a start is not

    text = "".join(traceback.format_exception(error))
    frames = (frame for frame, _ in traceback.walk_tb(error.__traceback__))
    names = (str(frame.f_globals.get("__name__")) for frame in frames)
    is_own = any(name.startswith(COURSE_PACKAGE) for name in names)
    blame = "the fault is in this course" if is_own else "this is a bug, not your mistake"
    message = f"the check {check.code} itself failed ({type(error).__name__}): {blame}"
    then = "See the log file, and fix the check" if is_own else "Report this with the log file"
    return Verdict(
        Outcome.ERROR,
        (Finding(message, action=f"{then}. The other checks were graded."),),
        crash=text,
    )
