"""Exercises refuse to contradict themselves; reports count points and pass or not."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, cast

import pytest

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
    run_words,
)

if TYPE_CHECKING:
    from collections.abc import Callable

FAILED = failed(Finding("wrong"))
SKIPPED = Verdict(Outcome.SKIP)
CRASHED = Verdict(Outcome.ERROR, (Finding("ours"),), crash="Traceback")


def check(
    code: str = "F01.1",
    *,
    points: int = 1,
    requires: tuple[str, ...] = (),
    needs_criteria: bool = False,
) -> Check:
    return Check(
        code=code,
        title="anything",
        run=lambda _: PASSED,
        hint="-",
        points=points,
        requires=requires,
        needs_criteria=needs_criteria,
    )


def advisory(code: str) -> Check:
    return check(code, points=0)


def report(*verdicts: Verdict, note: Verdict = PASSED, strict: bool = False) -> Report:
    """Return a report on required checks of two points each and one advisory check."""
    checks = [check(f"F01.{number}", points=2) for number, _ in enumerate(verdicts, start=1)]
    checks.append(advisory("F01.9"))
    exercise = Exercise(
        level="foundation", number=1, slug="toy", title="A toy", checks=tuple(checks)
    )
    results = (Result(*pair) for pair in zip(checks, (*verdicts, note), strict=True))
    return Report(exercise, "memory", tuple(results), strict)


@pytest.mark.parametrize(
    ("checks", "sentence"),
    [
        ((), "foundation/01 has no checks, so every submission would pass"),
        ((check(), check()), "F01.1 is the code of more than one check"),
        ((check("F02.1"),), 'F02.1 does not begin with "F01."'),
        ((check("F011.1"),), 'F011.1 does not begin with "F01."'),
        (
            (check(requires=("F01.1",)),),
            "F01.1 requires F01.1, but there is no such check before it",
        ),
        (
            (check(requires=("F01.2",)), check("F01.2")),
            "F01.1 requires F01.2, but there is no such check before it",
        ),
        ((check(points=-1),), "F01.1 has the points -1 (expected a whole number, 0 to 1,000,000)"),
        (
            (check(points=cast("int", "2")),),
            "F01.1 has the points '2' (expected a whole number, 0 to 1,000,000)",
        ),
        (
            (check(points=cast("int", 1.5)),),
            "F01.1 has the points 1.5 (expected a whole number, 0 to 1,000,000)",
        ),
        (
            (check(), check("F01.2", requires=cast("tuple[str, ...]", "F01.1"))),
            "F01.2 requires 'F01.1' (expected a tuple, such as (\"F01.1\",))",
        ),
        (
            (check(points=10**19),),
            f"F01.1 has the points {10**19} (expected a whole number, 0 to 1,000,000)",
        ),
    ],
)
def test_an_exercise_that_contradicts_itself_is_refused(
    toy_exercise: Callable[..., Exercise], checks: tuple[Check, ...], sentence: str
) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(sentence)}$"):
        replace(toy_exercise(), checks=checks)


def test_an_exercise_has_a_code_a_name_and_the_sum_of_its_points() -> None:
    exercise = Exercise(
        level="practitioner",
        number=12,
        slug="toy",
        title="A toy",
        checks=(check("P12.1", points=2), check("P12.2", points=3), advisory("P12.3")),
    )

    assert (exercise.code, exercise.name, exercise.points) == ("P12", "practitioner/12", 5)


def test_an_exercise_is_retargeted_without_the_checks_that_need_criteria(
    toy_exercise: Callable[..., Exercise],
) -> None:
    own, criteria = check(), check("F01.2", points=4, needs_criteria=True)
    exercise = toy_exercise(own, criteria)
    retargeted = exercise.retargeted(target="service", issue="ISSUE-9", has_criteria=False)

    assert retargeted == replace(exercise, target="service", issue="ISSUE-9", checks=(own,))
    assert retargeted.points == 1
    assert exercise.retargeted(target=None, issue=None, has_criteria=True) == exercise


def test_the_first_five_findings_are_kept_and_the_rest_is_counted() -> None:
    assert failed() is PASSED
    findings = [Finding(str(number)) for number in range(7)]

    assert failed(*findings) == Verdict(Outcome.FAIL, tuple(findings[:5]), more=2)


@pytest.mark.parametrize(
    ("graded", "passed_and_score"),
    [
        (report(PASSED, PASSED), (True, 4)),
        (report(PASSED, FAILED), (False, 2)),
        (report(PASSED, SKIPPED), (False, 2)),
        (report(PASSED, CRASHED), (False, 2)),
        (report(PASSED, note=FAILED), (True, 2)),
        (report(PASSED, note=CRASHED), (True, 2)),
        (report(PASSED, strict=True), (True, 2)),
        (report(PASSED, note=FAILED, strict=True), (False, 2)),
        (report(PASSED, note=SKIPPED, strict=True), (False, 2)),
    ],
)
def test_a_report_passes_when_all_that_counts_has_passed(
    graded: Report, passed_and_score: tuple[bool, int]
) -> None:
    assert (graded.passed, graded.score) == passed_and_score


def test_an_exercise_is_begun_when_something_of_its_own_that_counts_has_passed() -> None:
    graded = report(PASSED, FAILED, CRASHED)
    first, *others = graded.results
    earlier = Result(replace(first.check, earlier_work=True), PASSED)

    assert graded.crashed == (graded.results[2],)
    assert graded.begun is True
    assert graded._replace(results=(earlier, *others)).begun is False
    assert report(FAILED, SKIPPED).begun is False
    assert report(CRASHED, FAILED, note=PASSED).begun is False


def test_an_exercise_for_a_cohort_asks_nothing_of_hosts_and_of_histories_that_may_lack() -> None:
    own = check("F01.1")
    about_host = replace(check("F01.2"), about_host=True)
    advice = replace(advisory("F01.3"), needs_history=True)
    whole = Exercise(
        level="foundation",
        number=1,
        slug="toy",
        title="A toy",
        checks=(own, about_host, advice),
    )

    assert whole.for_cohort().checks == (own,)
    assert whole.without_history.checks == (own, about_host)
    assert whole.without_history.without_history is whole.without_history


def test_what_a_run_shows_is_in_words_by_issue() -> None:
    def result(title: str, points: int, verdict: Verdict) -> Result:
        return Result(replace(check(points=points), title=title, asks_service=True), verdict)

    def said(message: str, verdict: Verdict = PASSED) -> Verdict:
        return verdict._replace(findings=(Finding(message),))

    unasked = Verdict(Outcome.NOT_CHECKED, (Finding("cannot be asked"),))
    criteria = [result("a", 1, PASSED), result("b", 1, FAILED), result("c", 1, unasked)]
    tests = [
        result("ISSUE-1 the tests pass", 0, said("the tests pass")),
        result("ISSUE-1 the tests notice", 0, said("the tests notice 1 of 4 small faults", FAILED)),
        result("ISSUE-2 the tests pass", 0, said("the tests fail", FAILED)),
        result("ISSUE-2 the tests notice", 0, SKIPPED),
    ]

    assert run_words([Result(check(), PASSED), tests[-1]]) == ""
    assert run_words(criteria) == "1 of 2 criteria hold"
    assert run_words([*criteria, *tests]) == (
        "1 of 2 criteria hold; ISSUE-1 the tests pass, notice 1 of 4 small faults;"
        " ISSUE-2 the tests fail"
    )
