"""What counts is one thing for every export."""

from __future__ import annotations

from typing import TYPE_CHECKING

from verify.exports.scores import (
    MISSING,
    UNGRADED,
    by_learner,
    checks_of,
    is_note,
    is_sole,
    is_ungraded,
    latest,
    override_told,
    shown,
    total,
    why_blank,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from verify.gradebook.reading import Cohort
    from verify.gradebook.values import Override, Standing

    StandingOf = Callable[..., Standing]


def test_the_total_is_the_sum_or_nothing(cohort: Cohort) -> None:
    totals = [(each.learner.key, total(each)) for each in latest(cohort.standings())]

    assert totals == [
        ("ada", 14),
        ("bob", 6),
        ("cyd", None),
        ("dan", 7.5),
        ("eve", None),
        ("fay", None),
        ("gus", None),
        ("hal", 10),
        ("zed", 14),
    ]


def test_a_score_is_shown_without_a_needless_fraction() -> None:
    assert [shown(score) for score in (None, 0, 3, 3.0, 7.5, -1.0)] == [
        "",
        "0",
        "3",
        "3",
        "7.5",
        "-1",
    ]


def test_scores_that_are_no_binary_fractions_add_up_as_on_paper(
    standing_of: StandingOf, override: Override
) -> None:
    standing = standing_of("x", override=override._replace(score=0.1))
    marks = tuple(mark._replace(override=override._replace(score=0.1)) for mark in standing.marks)

    assert total(standing._replace(marks=(*marks, marks[0]))) == 0.3


def test_attempts_of_a_learner_come_together_and_the_last_counts(cohort: Cohort) -> None:
    together = [len(attempts) for attempts in by_learner(cohort.standings())]
    hal = next(each for each in latest(cohort.standings()) if each.learner.key == "hal")

    assert together == [1, 1, 1, 1, 1, 1, 1, 2, 1]
    assert hal.marks[0].attempt == "2026-01-02"


def test_why_there_is_no_score_is_said(cohort: Cohort) -> None:
    rows = {each.learner.key: each for each in cohort.standings()}

    assert [why_blank(rows[key].marks[1]) for key in ("ada", "cyd", "eve", "gus")] == [
        "",
        UNGRADED,
        MISSING,
        UNGRADED,
    ]
    assert [is_ungraded(rows[key]) for key in ("ada", "cyd", "eve")] == [False, True, False]


def test_an_override_makes_up_for_an_error(standing_of: StandingOf, override: Override) -> None:
    standing = standing_of("x", "eeee", override=override)

    assert total(standing) == 11.5
    assert not is_ungraded(standing)
    assert why_blank(standing.marks[0]) == ""


def test_who_set_a_score_by_hand_and_why_is_told(
    standing_of: StandingOf, override: Override
) -> None:
    graded, missing = standing_of("x", override=override), standing_of("x", "", override=override)

    assert override_told(graded.marks[1]) == ""
    assert override_told(graded.marks[0]) == (
        "score set to 7.5 by Dr. Grace, 2026-11-01T10:00:00Z (checks gave 10):"
        " late, but argued, well"
    )
    assert "(checks gave nothing)" in override_told(missing.marks[0])


def test_where_nothing_was_graded_every_check_is_listed_without_a_score(
    standing_of: StandingOf,
) -> None:
    checks = checks_of(standing_of("x", "").marks[0])

    assert [(c.check.code, c.outcome, c.score) for c in checks] == [
        ("E04.1", "missing", None),
        ("E04.2", "missing", None),
        ("E04.3", "missing", None),
        ("E04.4", "missing", None),
    ]


def test_advice_is_a_note_unless_it_is_why_the_exercise_failed(standing_of: StandingOf) -> None:
    passed, failed = standing_of("x", "ppfp").marks[0], standing_of("x", "pffp").marks[0]
    strict = passed._replace(outcome="fail")

    assert [is_note(mark.checks[2], mark) for mark in (passed, failed, strict)] == [
        True,
        True,
        False,
    ]
    assert not is_note(failed.checks[1], failed)


def test_a_cohort_of_one_learner_is_told_from_others(
    cohort: Cohort, sole: Cohort, cohort_of: Callable[..., Cohort], standing_of: StandingOf
) -> None:
    twice = cohort_of(standing_of("x", attempt="1"), standing_of("x", attempt="2"))

    assert [is_sole(each) for each in (cohort, sole, twice, cohort_of())] == [
        False,
        True,
        True,
        False,
    ]
