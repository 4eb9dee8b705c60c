"""Each assignment of a gradebook has its own runs, submissions, results and overrides."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from verify.gradebook.keeping import changes, keep_grades, loss
from verify.gradebook.reading import GradebookCohort, holding
from verify.gradebook.recording import override, withdraw
from verify.gradebook.records import Learner, Mark, Override, Results
from verify.grading.model import Outcome

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Sequence

    from verify.gradebook.recording import RunRecorder
    from verify.gradebook.records import FoundSubmission
    from verify.grading.model import ExerciseInfo

    Rows = Callable[..., list[FoundSubmission]]

DONE = "2026-03-02T12:00:00Z"
SCORE = Override(4.5, "ada", DONE, "oral exam")
EXCUSE = Override(None, "ada", DONE, "ill", "excused")
COMMENT = Override(None, "bob", DONE, "well done", "comment")


def _graded(recorder: RunRecorder, connection: sqlite3.Connection, mark: Mark) -> None:
    query = "SELECT id FROM submission WHERE seen = ? ORDER BY id"
    ids = [number for (number,) in connection.execute(query, (recorder.run,))]
    recorder.record((number, (mark,)) for number in ids)
    recorder.finish(DONE)


def _totals(connection: sqlite3.Connection, assignment: str) -> dict[str, float | None]:
    cohort = GradebookCohort(connection, assignment=assignment)
    return {standing.learner.key: standing.total for standing in cohort.standings()}


def _week(
    begun: Callable[..., RunRecorder],
    connection: sqlite3.Connection,
    name: str,
    found: Sequence[FoundSubmission],
    mark: Mark,
    exercise: ExerciseInfo,
) -> tuple[str, str]:
    keep_grades(connection, name)
    recorder = begun(exercise, assignment=name)
    recorder.add_submissions(found)
    lost = loss(connection)
    _graded(recorder, connection, mark)
    return lost, changes(connection, name)


def test_t1_a_second_week_is_no_loss_and_weeks_are_graded_in_any_order(
    connection: sqlite3.Connection,
    begun: Callable[..., RunRecorder],
    rows: Rows,
    passed: Mark,
    evidence: ExerciseInfo,
    tiers: ExerciseInfo,
) -> None:
    two = Mark(tiers, Outcome.PASS, 1, Results(tiers.checks, "p"))
    worse = passed._replace(outcome=Outcome.FAIL, graded=2, results=Results(evidence.checks, "pf"))
    said = [
        _week(begun, connection, "week-2", rows("abe", "zoe", "eve"), two, tiers),
        _week(begun, connection, "week-1", rows("abe", "zoe", "bob"), passed, evidence),
        _week(begun, connection, "week-2", rows("abe", "zoe", "eve"), two, tiers),
        _week(begun, connection, "week-1", rows("abe", "zoe", "bob"), worse, evidence),
        _week(begun, connection, "week-1", rows("bob"), worse, evidence),
    ]

    changed = "3 grades of the earlier run changed: " + ", ".join(
        f"{name} expert/04 pass 5 -> fail 2" for name in ("abe", "bob", "zoe")
    )
    missing = "2 grades of the earlier run changed: " + ", ".join(
        f"{name} expert/04 fail 2 -> not in this run" for name in ("abe", "zoe")
    )
    step = "grade all submissions together, use a new --gradebook for another class"
    lost = f'2 of 3 learners ("abe", "zoe"): {step}'
    assert said == [("", ""), ("", ""), ("", ""), ("", changed), (lost, missing)]
    assert _totals(connection, "week-1") == {"bob": 2}
    assert _totals(connection, "week-2") == {"abe": 1, "eve": 1, "zoe": 1}


def test_t1_what_a_run_keeps_and_compares_costs_the_same_in_every_week_of_a_term(
    connection: sqlite3.Connection, begun: Callable[..., RunRecorder], rows: Rows, passed: Mark
) -> None:
    learners = [f"learner-{number:02}" for number in range(40)]
    steps = []
    for week in range(8):
        recorder = begun(assignment=f"week-{week}")
        recorder.add_submissions(rows(*learners))
        _graded(recorder, connection, passed)
        steps.append(_steps(connection, "week-0"))

    assert steps[-1] < 1.2 * steps[0]


def _steps(connection: sqlite3.Connection, assignment: str) -> int:
    count = itertools.count()
    connection.set_progress_handler(lambda: next(count) < 0, 100)  # SQLite's steps, in hundreds
    keep_grades(connection, assignment)
    assert changes(connection, assignment) == ""
    connection.set_progress_handler(None, 0)
    return next(count)


def test_t1_an_override_counts_in_its_assignment_only(
    connection: sqlite3.Connection,
    begun: Callable[..., RunRecorder],
    rows: Rows,
    passed: Mark,
    evidence: ExerciseInfo,
) -> None:
    for name in ("week-1", "week-2"):
        _week(begun, connection, name, rows("abe", "zoe"), passed, evidence)
    override(connection, "zoe", "expert/04", SCORE, "week-2")

    assert _totals(connection, "week-1") == {"abe": 5, "zoe": 5}
    assert _totals(connection, "week-2") == {"abe": 5, "zoe": 4.5}


def test_t1_an_excuse_leaves_score_and_points_and_is_no_zero(
    connection: sqlite3.Connection, begun: Callable[..., RunRecorder], rows: Rows, passed: Mark
) -> None:
    recorder = begun()
    recorder.add_submissions(rows("abe", "zoe"))
    _graded(recorder, connection, passed)
    override(connection, "zoe", "expert/04", EXCUSE)
    cohort = GradebookCohort(connection)
    _, zoe = cohort.standings()

    assert (zoe.total, zoe.points, zoe.marks[0].outcome) == (None, 0, Outcome.EXCUSED)
    assert zoe.marks[0].notes == [f"excused by ada, {DONE}: ill"]
    assert cohort.counts().exercises[0].outcomes == {Outcome.PASS: 1, Outcome.EXCUSED: 1}
    assert cohort.counts().exercises[0].mean == 5
    query = "SELECT learner, score, text FROM grade ORDER BY learner"
    assert connection.execute(query).fetchall() == [("abe", 5, "pass 5"), ("zoe", None, "excused")]


def test_t1_a_score_replaces_an_excuse_and_a_comment_is_beside_both(
    connection: sqlite3.Connection, begun: Callable[..., RunRecorder], rows: Rows, passed: Mark
) -> None:
    recorder = begun()
    recorder.add_submissions(rows("zoe"))
    _graded(recorder, connection, passed)
    made = [EXCUSE, COMMENT, SCORE, COMMENT._replace(reason="better"), EXCUSE, SCORE]
    replaced = [override(connection, "zoe", "expert/04", decision) for decision in made]
    (zoe,) = GradebookCohort(connection).standings()

    assert replaced == [None, None, EXCUSE, COMMENT, SCORE, EXCUSE]
    assert holding(connection) == {("zoe", "expert/04"): [SCORE, made[3]]}
    assert (zoe.total, zoe.marks[0].notes) == (
        4.5,
        [
            f"better (bob, {DONE})",
            f"score set to 4.5 by ada, {DONE} (the checks gave 5): oral exam",
        ],
    )
    assert withdraw(connection, "", "zoe", "expert/04", by="eve", when=DONE) == SCORE
    assert holding(connection) == {("zoe", "expert/04"): [made[3]]}
    count = "SELECT count(*) FROM override"
    assert connection.execute(count).fetchone() == (6,)


def test_t1_what_a_learner_submitted_follows_to_a_new_key_in_every_assignment(
    connection: sqlite3.Connection,
    begun: Callable[..., RunRecorder],
    rows: Rows,
    passed: Mark,
    evidence: ExerciseInfo,
) -> None:
    _week(begun, connection, "week-1", rows("zoe"), passed, evidence)
    recorder = begun(evidence, assignment="week-2")
    recorder.enrol([Learner("zoe").row], [("zoe", "e mail", "z@x"), ("zoe", "id", "zoe")])
    recorder.enrol([Learner("17").row], [("17", "e mail", "z@x"), ("17", "id", "17")])

    assert _totals(connection, "week-1") == {"17": 5}
