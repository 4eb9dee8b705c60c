"""Tests of what the overview says."""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING

import pytest

from tests.report.cohorts import FakeCohort
from tests.unit.verify.report.conftest import EXERCISE, mark
from verify.gradebook.values import Learner, Override, Standing
from verify.report.drawing import Draughtsman
from verify.report.entry import entry_of
from verify.report.overview_page import overview
from verify.report.survey import Survey
from verify.report.templates import Templates

if TYPE_CHECKING:
    from collections.abc import Iterator

BY_HAND = Override(4, "me", "2026-01-01T00:00:00Z", "why")
LETTERS = ("ppp", "ppf", "fsp", "fpp", "epp", "m", "ppp")


@pytest.fixture(scope="module")
def pen() -> Iterator[Draughtsman]:
    """Return what draws; its engine starts once."""
    with Draughtsman() as started:
        yield started


def said(pen: Draughtsman, cohort: FakeCohort) -> str:
    """Return the words of a cohort's overview, without tags and data."""
    survey = Survey(cohort)
    for number, standing in enumerate(cohort.standings()):
        survey.add(entry_of(number, standing, cohort.exercises))
    text = overview(Templates(), survey, pen).decode()
    text = re.sub(r"(?s)<script.*?</script>|<svg.*?</svg>", "", text)
    return html.unescape(" ".join(re.sub(r"<[^>]+>", " ", text).split())).replace("\u00a0", " ")


def toys(*marks: object, has_roster: bool = True) -> FakeCohort:
    """Return a cohort in the toy exercise, of these marks."""
    standings = [
        Standing(Learner(f"k{n}", rostered=has_roster), (each,))  # type: ignore[arg-type]
        for n, each in enumerate(marks)
    ]
    return FakeCohort((EXERCISE,), standings, has_roster)


def test_it_begins_with_how_many_passed_failed_are_missing_and_could_not_be_graded(
    pen: Draughtsman,
) -> None:
    text = said(pen, toys(*map(mark, LETTERS)))

    assert "3 of 7 learners passed toy/01, A toy." in text
    assert "3 ✓ passed all that counts, 43 %" in text
    assert "2 ✗ failed at least one check, 29 %" in text
    assert "1 – missing nothing handed in, 14 %" in text  # noqa: RUF001  # the sign of missing
    assert "1 ? not graded an error of the grader, 14 %" in text


def test_it_has_the_figures_of_each_check_the_hardest_first(pen: Draughtsman) -> None:
    text = said(pen, toys(*map(mark, LETTERS)))

    assert (
        "T01.1 it is there 60 % 3 2 0 1"
        " T01.2 it is <right> 83 % 5 0 1 0"
        " T01.3 it is nice (advisory) 83 % 5 1 0 0"
    ) in text


def test_it_groups_the_failures_with_the_learners_behind_them(pen: Draughtsman) -> None:
    text = said(pen, toys(*map(mark, LETTERS)))

    assert "2 T01.1 wrong type $.steps[*].order it is there 2 learners" in text
    assert "k2 , k3" in text.replace("k2, k3", "k2 , k3")


def test_it_says_that_identical_is_no_proof_and_what_was_compared(pen: Draughtsman) -> None:
    same = (("plan.json", "d1"),)
    text = said(pen, toys(mark("ppp", artifacts=same), mark("ppp", artifacts=same)))

    assert "Identical is no proof of copying" in text
    assert "Compared, by a digest of what grading read: plan.json ." in text
    assert "2 learners with the same plan.json" in text


def test_it_tells_of_scores_set_by_hand_and_of_strangers(pen: Draughtsman) -> None:
    cohort = toys(mark("fpp", override=BY_HAND))
    stranger = cohort._replace(
        made=[*cohort.made, Standing(Learner("zz"), (mark("ppp"),))],
    )

    assert ("1 learner has a score that was set by hand. 1 learner is not on the roster.") in said(
        pen, stranger
    )


def test_without_a_roster_nobody_is_missing(pen: Draughtsman) -> None:
    text = said(pen, toys(mark("ppp"), has_roster=False))

    assert "nothing handed in" not in text
    assert "not on the roster." not in text


def test_several_attempts_of_one_learner_are_counted_as_attempts(pen: Draughtsman) -> None:
    standing = Standing(Learner("k0", rostered=True), (mark("ppp"),))

    assert "2 of 2 attempts passed" in said(pen, FakeCohort((EXERCISE,), [standing, standing]))


def test_where_nothing_is_scored_or_failed_it_says_so(pen: Draughtsman) -> None:
    text = said(pen, toys(mark("m")))

    assert "Nobody has a whole score." in text
    assert "No check failed." in text
