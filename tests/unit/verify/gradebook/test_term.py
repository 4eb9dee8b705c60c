"""What an assignment of a term counts: which attempt, and what people decided."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from verify.gradebook.keeping import mixed
from verify.gradebook.recording import RunRecorder, override
from verify.gradebook.records import FoundSubmission, Learner, Mark, Override, Results
from verify.gradebook.term import TermCohort
from verify.gradebook.term_file import form
from verify.grading.model import ExerciseInfo, Outcome

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Sequence

DUE = "2020-10-05T22:00:00Z"
# a label, when it was submitted, and the score
ATTEMPTS = (
    ("", "2020-10-05T20:00Z", 2),
    ("2", "2020-10-05T21:59Z", 3),
    ("3", "2020-10-07T08:00Z", 5),
)


def _graded(
    recorder: RunRecorder, connection: sqlite3.Connection, exercise: ExerciseInfo
) -> Callable[[Sequence[tuple[str, str, int]]], None]:
    def grade(attempts: Sequence[tuple[str, str, int]]) -> None:
        recorder.enrol([Learner("zoe").row])
        recorder.add_submissions(
            FoundSubmission("zoe", label, "folder", "/c", f"zoe{label}", time)
            for label, time, _ in attempts
        )
        query = "SELECT id FROM submission ORDER BY attempt"
        ids = [number for (number,) in connection.execute(query)]
        results = Results(exercise.checks, "pf")
        marks = [Mark(exercise, Outcome.FAIL, score, results) for *_, score in attempts]
        recorder.record((number, (mark,)) for number, mark in zip(ids, marks, strict=True))

    return grade


def _mark(connection: sqlite3.Connection, zone: str = "", **plan: Any) -> Mark:
    said = {"exercises": ["expert/04"], "collection": "c", "due": DUE, "points": 10, **plan}
    document = {
        "assignments": {"w": said},
        "late": {"percent_a_day": 30},
        "missing": "zero",
        "timezone": zone,
    }
    cohort = TermCohort(connection, form().validate_json(json.dumps(document)))
    ((mark,),) = [standing.marks for standing in cohort.standings()]
    return mark


@pytest.mark.parametrize(
    ("way", "score", "words"),
    [
        ("best", 6, "attempt 2 counts, best of 3"),
        ("last before due", 6, "attempt 2 counts, last before due of 3"),
        ("latest", 4, "attempt 3 counts, latest of 3"),
    ],
)
def test_t1_the_attempt_that_counts_is_the_one_the_term_says(
    connection: sqlite3.Connection,
    begun: Callable[..., RunRecorder],
    evidence: ExerciseInfo,
    way: str,
    score: float,
    words: str,
) -> None:
    recorder = begun(attempts="all", assignment="w")
    _graded(recorder, connection, evidence)(ATTEMPTS)
    mark = _mark(connection, attempts=way)

    assert (mark.score, mark.words[0]) == (score, words)


def test_t1_if_no_attempt_is_in_time_the_first_one_counts_and_an_extension_makes_them_so(
    connection: sqlite3.Connection, begun: Callable[..., RunRecorder], evidence: ExerciseInfo
) -> None:
    late = [(label, time.replace("-10-0", "-11-0"), score) for label, time, score in ATTEMPTS]
    _graded(begun(attempts="all", assignment="w"), connection, evidence)(late)
    way = "last before due"
    extended = _mark(connection, attempts=way, extensions={"zoe": "2020-11-06T22:00:00Z"})

    assert _mark(connection, attempts=way).words[0] == "attempt first counts, last before due of 3"
    assert extended.words[0] == "attempt 2 counts, last before due of 3"


def test_t1_a_day_over_a_change_of_the_clock_is_24_hours(
    connection: sqlite3.Connection, begun: Callable[..., RunRecorder], evidence: ExerciseInfo
) -> None:
    attempts = [("", "2020-10-25T22:30:00", 5)]  # the clock went back an hour in that night
    _graded(begun(assignment="w"), connection, evidence)(attempts)
    mark = _mark(connection, "Europe/Berlin", due="2020-10-24T23:00:00")
    words = "2 days late, by 1 d 30 min: 60 % of 10 points deducted (10 -> 4)"

    assert (mark.score, mark.words) == (4, (words,))


@pytest.mark.parametrize(("submitted", "due"), [("", DUE), (ATTEMPTS[-1][1], None)])
def test_t1_without_a_time_or_a_due_time_nothing_is_late(
    connection: sqlite3.Connection,
    begun: Callable[..., RunRecorder],
    evidence: ExerciseInfo,
    submitted: str,
    due: str | None,
) -> None:
    _graded(begun(assignment="w"), connection, evidence)([("", submitted, 5)])
    mark = _mark(connection, due=due)

    assert (mark.score, mark.words) == (10, ())


def test_t1_a_score_that_a_person_set_counts_though_nothing_was_submitted(
    connection: sqlite3.Connection,
    begun: Callable[..., RunRecorder],
    evidence: ExerciseInfo,
    tiers: ExerciseInfo,
) -> None:
    begun(evidence, tiers, assignment="w").enrol([Learner("zoe").row])
    assert (_mark(connection).score, _mark(connection).words[-1]) == (
        0,
        "missing after the due time: 0 points",
    )
    override(connection, "zoe", "expert/04", Override(3, "ada", "now", "oral exam"), "w")

    assert _mark(connection).score == 5  # 3 of 5, and 0 of 1


def test_t1_a_score_of_the_assignment_counts_though_its_exercise_is_excused(
    connection: sqlite3.Connection, begun: Callable[..., RunRecorder], evidence: ExerciseInfo
) -> None:
    _graded(begun(assignment="w"), connection, evidence)(ATTEMPTS[:1])
    override(connection, "zoe", "expert/04", Override(None, "ada", "now", "ill", "excused"), "w")
    excused = _mark(connection)
    override(connection, "zoe", "", Override(4, "ada", "now", "oral exam"), "w")
    mark = _mark(connection)

    assert (excused.outcome, excused.counts) == (Outcome.EXCUSED, False)
    assert (mark.score, mark.outcome, mark.counts) == (4, Outcome.FAIL, True)


@pytest.mark.parametrize(("asking", "line"), [([1], "w expert/04: 1 of 3"), ([], "")])
def test_t1_results_of_which_only_some_were_run_are_counted(
    connection: sqlite3.Connection,
    begun: Callable[..., RunRecorder],
    evidence: ExerciseInfo,
    asking: Sequence[int],
    line: str,
) -> None:
    checks = [
        check._replace(asks_service=number in asking)
        for number, check in enumerate(evidence.checks)
    ]
    exercise = evidence._replace(checks=tuple(checks))
    recorder = begun(exercise, assignment="w", attempts="all")
    recorder.enrol([Learner("zoe").row])
    recorder.add_submissions(FoundSubmission(key, "", "folder", "/c", key) for key in "abc")
    mark = Mark(exercise, Outcome.FAIL, 2, Results(exercise.checks, "pf"))
    recorder.record((number, (mark,)) for number in (1, 2, 3))
    same = mixed(connection)
    again = begun(exercise, kind="regrade", assignment="w", digest="d2")
    again.record([(2, (mark,))])
    connection.execute('UPDATE run SET options = \'{"run": "jail"}\' WHERE id = 2')

    assert (same, mixed(connection)) == ("", line)
