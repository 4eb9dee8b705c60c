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


def test_a_total_that_is_rounded_up_is_not_more_than_all_points() -> None:
    standing = standing_of("x", override=OVERRIDE._replace(score=10))
    found = []
    for weight, score in ((2.5, 10), (0.335, 10), (0.7 + 0.1, 10), (2.5, 8), (2.5, 12)):
        made = OVERRIDE._replace(score=score)
        (mark, *_) = standing.marks
        marks = (mark._replace(weight=weight, override=made),)
        known = [standing._replace(marks=marks, decimals=n).known for n in (0, 2)]
        found.append([total for total, _ in known])

    assert found == [[2.5, 2.5], [0, 0.335], [0.8, 0.8], [2, 2], [3, 3]]


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
