"""What counts is one thing for every export."""

from __future__ import annotations

from tests.unit.verify.exports.conftest import OVERRIDE, standing_of
from verify.gradebook.records import score_text
from verify.grading.model import Outcome


def test_a_score_is_shown_without_a_needless_fraction() -> None:
    scores = (None, 0, 3, 3.0, 7.5, -1.0)

    assert [score_text(score) for score in scores] == ["", "0", "3", "3", "7.5", "-1"]


def test_scores_that_are_no_binary_fractions_add_up_as_on_paper() -> None:
    standing = standing_of("x", override=OVERRIDE._replace(score=0.1))
    marks = tuple(mark._replace(override=OVERRIDE._replace(score=0.1)) for mark in standing.marks)

    assert standing._replace(marks=(*marks, marks[0])).total == 0.3


def test_an_override_makes_up_for_an_error() -> None:
    error, overridden = standing_of("x", "eeee"), standing_of("x", "eeee", override=OVERRIDE)

    assert (error.total, [len(mark.notes) for mark in error.marks]) == (None, [1, 0])
    assert (overridden.total, [len(mark.notes) for mark in overridden.marks]) == (11.5, [1, 0])


def test_advice_is_a_note_unless_it_is_why_the_exercise_failed() -> None:
    passed, failed = standing_of("x", "ppfp").marks[0], standing_of("x", "pffp").marks[0]
    strict = passed._replace(outcome=Outcome.FAIL)
    notes = [mark.is_note(mark.results[2]) for mark in (passed, failed, strict)]

    assert notes == [True, True, False]
    assert not failed.is_note(failed.results[1])
