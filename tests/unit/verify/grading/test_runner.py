"""The runner keeps the order, names the root of a skip, and survives a check that crashes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import pytest

from pipeline.files import DENIED, Unreadable
from verify.grading.model import (
    PASSED,
    Check,
    Exercise,
    Finding,
    Outcome,
    Report,
    Result,
    Verdict,
    failed,
    not_checked,
)
from verify.grading.runner import grade
from verify.grading.ways import BrokenRun

if TYPE_CHECKING:
    from collections.abc import Callable

    from verify.grading.artifacts import CheckFunction, Context
    from verify.submissions.history.history import History

    AttemptOn = Callable[..., Context]
    ToyExercise = Callable[..., Exercise]

WRONG = failed(Finding("wrong", "right", "left"))


def passes(_: Context) -> Verdict:
    return PASSED


def fails(_: Context) -> Verdict:
    return WRONG


def crashes(_: Context) -> Verdict:
    raise KeyError("no such key")


def check(number: int, run: CheckFunction, *requires: int, advisory: bool = False) -> Check:
    return Check(
        code=f"F01.{number}",
        title="anything",
        run=run,
        hint="-",
        points=0 if advisory else 1,
        requires=tuple(f"F01.{each}" for each in requires),
    )


def skip(of: Check, waits_for: str) -> Result:
    return Result(of, Verdict(Outcome.SKIP), waits_for)


def test_each_check_is_run_once_in_order_and_none_that_waits(
    context_on: AttemptOn, toy_exercise: ToyExercise
) -> None:
    ran: list[str] = []

    def noting(name: str, verdict: Verdict) -> CheckFunction:
        def run(_: Context) -> Verdict:
            ran.append(name)
            return verdict

        return run

    checks = (
        check(1, noting("first", WRONG)),
        check(2, noting("second", PASSED), 1),
        check(3, noting("third", PASSED)),
    )
    exercise = toy_exercise(*checks)
    report = grade(context_on({}, exercise=exercise))

    assert ran == ["first", "third"]
    assert report == Report(
        exercise,
        "memory",
        (Result(checks[0], WRONG), skip(checks[1], "F01.1"), Result(checks[2], PASSED)),
    )


def test_a_skip_names_the_root_of_the_failure(
    context_on: AttemptOn, toy_exercise: ToyExercise
) -> None:
    checks = check(1, passes), check(2, fails, 1), check(3, passes, 2), check(4, passes, 1, 3)
    report = grade(context_on({}, exercise=toy_exercise(*checks)))

    assert report.results == (
        Result(checks[0], PASSED),
        Result(checks[1], WRONG),
        skip(checks[2], "F01.2"),
        skip(checks[3], "F01.2"),
    )


def test_of_two_blockers_the_first_required_one_is_named(
    context_on: AttemptOn, toy_exercise: ToyExercise
) -> None:
    checks = check(1, fails), check(2, fails), check(3, passes, 2, 1)
    report = grade(context_on({}, exercise=toy_exercise(*checks)))

    assert report.results[2] == skip(checks[2], "F01.2")


def test_a_check_that_is_not_asked_blocks_nothing_and_counts_nowhere(
    context_on: AttemptOn, toy_exercise: ToyExercise
) -> None:
    verdict = not_checked("git cannot tell")
    checks = check(1, lambda _: verdict), check(2, passes, 1), check(3, passes)
    report = grade(context_on({}, exercise=toy_exercise(*checks)), strict=True)

    assert [each.outcome.value for each in report.results] == ["not checked", "pass", "pass"]
    assert (report.passed, report.score, report.points, report.exercise.points) == (True, 2, 2, 3)


@pytest.mark.parametrize(
    ("verdict", "outcome", "findings"),
    [
        (Verdict(Outcome.PASS), "pass", ()),
        (Verdict(Outcome("pass"), (), 0, ""), "pass", ()),
        (Verdict(cast("Outcome", "pass")), "pass", ()),
        (Verdict(Outcome.PASS, (Finding("by the way"),)), "pass", (Finding("by the way"),)),
        (Verdict(Outcome.NOT_CHECKED), "not checked", (Finding("no reason was given"),)),
        (Verdict(cast("Outcome", "not checked")), "not checked", (Finding("no reason was given"),)),
    ],
)
def test_t2_a_verdict_is_compared_by_its_value(
    verdict: Verdict,
    outcome: str,
    findings: tuple[Finding, ...],
    context_on: AttemptOn,
    toy_exercise: ToyExercise,
) -> None:
    exercise = toy_exercise(check(1, lambda _: verdict), check(2, passes, 1))
    report = grade(context_on({}, exercise=exercise))

    assert [result.outcome.value for result in report.results] == [outcome, "pass"]
    assert (report.passed, report.results[0].findings) == (True, findings)


@pytest.mark.parametrize("verdict", [Verdict(Outcome.FAIL), Verdict(cast("Outcome", "fail"))])
def test_t2_a_failure_without_a_reason_is_a_failure(
    verdict: Verdict, context_on: AttemptOn, toy_exercise: ToyExercise
) -> None:
    exercise = toy_exercise(check(1, lambda _: verdict), check(2, passes, 1))
    report = grade(context_on({}, exercise=exercise))

    assert report.results == (
        Result(exercise.checks[0], failed(Finding("no reason was given"))),
        skip(exercise.checks[1], "F01.1"),
    )


@pytest.mark.parametrize(
    "returned", [None, True, "pass", Verdict(Outcome.SKIP), Verdict(cast("Outcome", "green"))]
)
def test_t2_what_is_not_a_verdict_is_a_fault_of_the_check(
    returned: Any, context_on: AttemptOn, toy_exercise: ToyExercise
) -> None:
    exercise = toy_exercise(check(1, lambda _: returned), check(2, passes))
    report = grade(context_on({}, exercise=exercise))

    assert [result.outcome.value for result in report.results] == ["error", "pass"]
    assert (
        "(expected a Verdict that passes, fails or is not checked)"
        in report.results[0].verdict.crash
    )


def test_a_check_that_crashes_is_an_error_and_the_others_are_graded(
    context_on: AttemptOn, toy_exercise: ToyExercise
) -> None:
    checks = check(1, crashes), check(2, passes, 1), check(3, fails), check(4, passes)
    report = grade(context_on({}, exercise=toy_exercise(*checks)))
    crash = report.results[0].verdict.crash

    assert report.results == (
        Result(
            checks[0],
            Verdict(
                Outcome.ERROR,
                (
                    Finding(
                        "the check F01.1 itself failed (KeyError): this is a bug, not your mistake",
                        action="Report this with the log file. The other checks were graded.",
                    ),
                ),
                crash=crash,
            ),
        ),
        skip(checks[1], "F01.1"),
        Result(checks[2], WRONG),
        Result(checks[3], PASSED),
    )
    assert crash.startswith("Traceback (most recent call last):\n")
    assert crash.endswith("KeyError: 'no such key'\n")


def test_a_service_that_cannot_be_run_is_an_error_and_no_bug(
    context_on: AttemptOn, toy_exercise: ToyExercise
) -> None:
    def breaks(_: Context) -> Verdict:
        raise BrokenRun("tar is broken")

    report = grade(context_on({}, exercise=toy_exercise(check(1, breaks), check(2, passes))))
    text, action = "the service could not be run: tar is broken", "Run it again"

    assert report.results[0].verdict == Verdict(
        Outcome.ERROR, (Finding(text, action=f"{action}. Your work is not to blame."),)
    )
    assert report.results[1].verdict == PASSED


def test_an_advisory_check_that_fails_blocks_what_requires_it_and_nothing_else(
    context_on: AttemptOn, toy_exercise: ToyExercise
) -> None:
    checks = check(1, fails, advisory=True), check(2, passes, 1, advisory=True), check(3, passes)
    exercise = toy_exercise(*checks)
    results = (Result(checks[0], WRONG), skip(checks[1], "F01.1"), Result(checks[2], PASSED))
    lenient = grade(context_on({}, exercise=exercise))
    strict = grade(context_on({}, exercise=exercise), strict=True)

    assert lenient == Report(exercise, "memory", results)
    assert strict == Report(exercise, "memory", results, strict=True)
    assert (lenient.passed, strict.passed) == (True, False)


def test_where_memory_runs_out_nothing_more_is_asked_of_what_is_half_read(
    context_on: AttemptOn, toy_exercise: ToyExercise
) -> None:
    asked = []

    def starves(_: Context) -> Verdict:
        raise MemoryError

    def asks(_: Context) -> Verdict:
        asked.append("again")
        return PASSED

    with pytest.raises(MemoryError):
        grade(context_on({}, exercise=toy_exercise(check(1, starves), check(2, asks))))

    assert asked == []


def test_ctrl_c_in_a_check_is_not_taken_for_a_crash(
    context_on: AttemptOn, toy_exercise: ToyExercise
) -> None:
    def interrupted(_: Context) -> Verdict:
        raise KeyboardInterrupt

    reached = ""
    try:
        grade(context_on({}, exercise=toy_exercise(check(1, interrupted))))
    except KeyboardInterrupt:
        reached = "the caller"

    assert reached == "the caller"


def damaged() -> History:
    raise Unreadable(DENIED, ".git cannot be read")


def of_history(toy: ToyExercise) -> Exercise:
    about = Check(
        code="F01.2",
        title="git has it",
        run=fails,
        hint="-",
        points=0,
        needs_history=True,
    )
    return toy(check(1, passes), about)


def test_git_is_not_asked_where_no_history_was_submitted(
    context_on: AttemptOn, toy_exercise: ToyExercise
) -> None:
    exercise = of_history(toy_exercise)
    report = grade(context_on({}, exercise=exercise), strict=True)

    assert [result.check.code for result in report.results] == ["F01.1"]
    assert (report.exercise, report.passed) == (exercise.without_history, True)


@pytest.mark.parametrize("history", [object, damaged], ids=["readable", "damaged"])
def test_git_is_asked_where_there_is_a_history_readable_or_not(
    context_on: AttemptOn, toy_exercise: ToyExercise, history: Callable[[], Any]
) -> None:
    context = context_on({}, exercise=of_history(toy_exercise))
    context.submission.history = history  # type: ignore[method-assign]  # a fake's

    assert [result.outcome for result in grade(context).results] == [Outcome.PASS, Outcome.FAIL]
