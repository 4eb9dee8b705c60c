"""A cohort is read one learner after the other, and every grade is what the gradebook says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.stubs.marks import mark_of
from tests.unit.verify.gradebook.conftest import EVIDENCE
from verify.gradebook.reading import Counts, ExerciseCount, GradebookCohort
from verify.gradebook.recording import override
from verify.gradebook.records import FoundSubmission, Learner, Mark, Override, Standing, ungraded
from verify.grading.model import CheckInfo, ExerciseInfo, Finding, Outcome

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable

    from verify.gradebook.recording import RunRecorder

    Rows = Callable[..., list[FoundSubmission]]
    Begun = Callable[..., RunRecorder]

DONE = "2026-03-01T13:00:00Z"
ZOE = Learner("zoe", "Zoë", "zoe@example.org", {"sis": "7"}, rostered=True)
FINDING = Finding("no steps", "3", "0", "a.json", "$.steps", 7, 3, "Write them.", "{\n")
FAILED = mark_of(EVIDENCE, "pf", FINDING)
UNRESOLVED = Mark(
    EVIDENCE,
    Outcome.UNRESOLVED,
    digests=bytes(16),
    reason="two folders hold work",
    action="Submit one.",
)
BY_HAND = Override(4.5, "ada", DONE, "oral exam")
READS = '[["is_file", "x"], ["read", "a.json"], ["read", "b.json"], ["read", "a.json"]]'
DIGESTS = bytes(16) + bytes(range(1, 17)) + bytes(8) + b"8 of why" + bytes(range(1, 17))


def _keys(cohort: GradebookCohort) -> list[tuple[str, str, tuple[str, ...]]]:
    return [
        (
            standing.learner.key,
            standing.attempt,
            tuple(mark.outcome.value for mark in standing.marks),
        )
        for standing in cohort.standings()
    ]


def test_a_passing_learner_is_read_as_it_was_graded(
    begun: Begun, rows: Rows, passed: Mark, connection: sqlite3.Connection
) -> None:
    recorder = begun()
    recorder.enrol([ZOE.row])
    recorder.add_submissions(rows("zoe"))
    mark = passed._replace(reads=READS, digests=DIGESTS)
    recorder.record([(1, (mark,))])
    recorder.finish(DONE)
    cohort = GradebookCohort(connection)

    assert (cohort.exercises, cohort.has_roster, cohort.complete) == ((EVIDENCE,), True, True)
    assert list(cohort.standings()) == [Standing(ZOE, (mark,), place="cohort/zoe")]
    assert mark.artifacts == (("a.json", bytes(range(1, 17)).hex()), ("b.json", ""))


def test_a_failure_is_read_with_its_findings_and_what_waits_for_it(
    begun: Begun, rows: Rows, connection: sqlite3.Connection
) -> None:
    recorder = begun()
    recorder.add_submissions(rows("zoe"))
    mark = mark_of(EVIDENCE, "fs", FINDING, provenance="L1")
    recorder.record([(1, (mark,))])

    assert list(GradebookCohort(connection).standings()) == [
        Standing(Learner("zoe"), (mark,), place="cohort/zoe")
    ]


def test_an_error_of_ours_is_no_zero(
    begun: Begun, rows: Rows, connection: sqlite3.Connection
) -> None:
    recorder = begun()
    recorder.add_submissions(rows("zoe"))
    recorder.record([(1, (mark_of(EVIDENCE, "pe"),))])
    ((mark,),) = (standing.marks for standing in GradebookCohort(connection).standings())

    assert (mark.outcome, mark.graded, mark.score) == (Outcome.ERROR, None, None)
    assert [(r.outcome, r.score, len(r.findings)) for r in mark.results] == [
        (Outcome.PASS, 2, 0),
        (Outcome.ERROR, None, 1),
    ]


def test_learners_come_sorted_by_code_point_with_the_missing_in_their_place(
    begun: Begun, rows: Rows, passed: Mark, connection: sqlite3.Connection
) -> None:
    recorder = begun()
    recorder.enrol([Learner(key).row for key in ("zoe", "Ada", "\U0001f600", "bob", "\uff41")])
    recorder.add_submissions(rows("zoe", "eve", "\uff41", "Ada"))
    recorder.record([(number, (passed,)) for number in range(1, 5)])

    standings = list(GradebookCohort(connection).standings())

    assert [(s.learner.key, s.learner.rostered, s.marks[0].outcome.value) for s in standings] == [
        ("Ada", True, "pass"),
        ("bob", True, "missing"),
        ("eve", False, "pass"),
        ("zoe", True, "pass"),
        ("\uff41", True, "pass"),
        ("\U0001f600", True, "missing"),
    ]


def test_the_last_attempt_counts_for_its_learner_or_every_attempt_for_itself(
    begun: Begun, passed: Mark, connection: sqlite3.Connection
) -> None:
    recorder = begun()
    recorder.enrol([Learner("abe").row, Learner("zoe").row])
    recorder.add_submissions(
        [
            FoundSubmission("zoe", "2", "folder", "/srv", "b"),
            FoundSubmission("zoe", "1", "folder", "/srv", "a"),
            FoundSubmission("abe", "", "folder", "/srv", "c"),
        ]
    )
    recorder.record([(1, (passed,)), (2, (FAILED,)), (3, (passed,))])

    assert _keys(GradebookCohort(connection)) == [("abe", "", ("pass",)), ("zoe", "2", ("pass",))]

    connection.execute('UPDATE run SET options = \'{"attempts": "all"}\'')

    assert _keys(GradebookCohort(connection)) == [
        ("abe", "", ("pass",)),
        ("zoe", "1", ("fail",)),
        ("zoe", "2", ("pass",)),
    ]


def test_what_an_interrupted_run_did_not_come_to_is_an_error_that_says_so(
    begun: Begun, rows: Rows, passed: Mark, evidence: ExerciseInfo, connection: sqlite3.Connection
) -> None:
    recorder = begun()
    recorder.add_submissions(rows("abe", "zoe"))
    recorder.record([(1, (passed,))])
    cohort = GradebookCohort(connection)
    (_, zoe) = cohort.standings()
    step = "Run verify batch again: it continues where it stopped."

    assert not cohort.complete
    assert zoe == Standing(
        Learner("zoe"),
        (ungraded(evidence, Finding("not graded yet", action=step)),),
        place="cohort/zoe",
    )


def test_a_result_of_other_rules_is_not_one_of_this_run(
    begun: Begun, rows: Rows, passed: Mark, connection: sqlite3.Connection
) -> None:
    for digest in ("d1", "d2"):
        recorder = begun(digest=digest)
        recorder.add_submissions(rows("zoe"))
        if digest == "d1":
            recorder.record([(1, (passed,))])
            recorder.finish(DONE)

    assert _keys(GradebookCohort(connection)) == [("zoe", "", ("error",))]


def test_a_regrading_counts_for_whom_it_graded_and_leaves_the_others(
    begun: Begun, rows: Rows, passed: Mark, evidence: ExerciseInfo, connection: sqlite3.Connection
) -> None:
    recorder = begun()
    recorder.add_submissions(rows("abe", "zoe"))
    recorder.record([(1, (passed,)), (2, (passed,))])
    recorder.finish(DONE)
    harder = evidence._replace(
        points=9, checks=(CheckInfo("E04.1", "evidence", 9, advisory=False, page="e.md#e04-1"),)
    )
    recorder = begun(harder, kind="regrade", digest="d2")
    recorder.record([(1, (mark_of(harder, "p"),))])
    cohort = GradebookCohort(connection)
    marks = [standing.marks[0] for standing in cohort.standings()]

    assert cohort.exercises == (harder,)
    assert [(mark.exercise.points, mark.graded, len(mark.results)) for mark in marks] == [
        (9, 9, 1),
        (5, 5, 2),
    ]


def test_only_the_last_run_is_the_cohort_unless_another_is_named(
    begun: Begun,
    rows: Rows,
    passed: Mark,
    evidence: ExerciseInfo,
    tiers: ExerciseInfo,
    connection: sqlite3.Connection,
) -> None:
    recorder = begun(evidence)
    recorder.add_submissions(rows("abe", "zoe"))
    recorder.record([(1, (passed,)), (2, (FAILED,))])
    recorder = begun(tiers, evidence, started="2020-01-01T00:00:00Z")  # by a clock that went back
    recorder.add_submissions(rows("abe"))
    recorder.record([(1, (mark_of(tiers, "f"), None))])

    assert _keys(GradebookCohort(connection)) == [("abe", "", ("fail", "pass"))]
    assert _keys(GradebookCohort(connection, run=1)) == [("zoe", "", ("fail",))]


def test_an_override_shows_on_every_attempt_and_on_the_missing(
    begun: Begun, rows: Rows, passed: Mark, connection: sqlite3.Connection
) -> None:
    recorder = begun()
    recorder.enrol([Learner("abe").row, Learner("zoe").row])
    recorder.add_submissions(rows("zoe"))
    recorder.record([(1, (passed,))])
    override(connection, "zoe", "expert/04", BY_HAND)
    override(connection, "abe", "expert/04", BY_HAND)
    override(connection, "zoe", "expert/02", BY_HAND)
    marks = [standing.marks[0] for standing in GradebookCohort(connection).standings()]

    assert [(m.outcome.value, m.graded, m.override, m.score) for m in marks] == [
        ("missing", None, BY_HAND, 4.5),
        ("pass", 5, BY_HAND, 4.5),
    ]


def test_the_counts_agree_with_the_standings(
    begun: Begun, rows: Rows, passed: Mark, connection: sqlite3.Connection
) -> None:
    recorder = begun()
    recorder.enrol([Learner(key).row for key in ("abe", "bob", "cat", "zoe")])
    recorder.add_submissions(rows("abe", "bob", "eve", "zoe", "dan"))
    claimed = FoundSubmission("fay", "", "folder", "/srv", "f", late=True, conflict="two claim fay")
    recorder.add_submissions([claimed])
    recorder.record([(1, (passed,)), (2, (FAILED,)), (3, (passed,))])
    recorder.record([(4, (mark_of(EVIDENCE, "ee"),)), (6, (UNRESOLVED,))])
    override(connection, "bob", "expert/04", BY_HAND)
    override(connection, "cat", "expert/04", BY_HAND._replace(score=1.0))
    cohort = GradebookCohort(connection)
    scores = [mark.score for standing in cohort.standings() for mark in standing.marks]

    assert scores == [5, 4.5, 1.0, None, 5, None, None]
    assert cohort.counts() == Counts(
        (
            ExerciseCount(
                "expert/04",
                {
                    Outcome.MISSING: 1,
                    Outcome.PASS: 2,
                    Outcome.FAIL: 1,
                    Outcome.UNRESOLVED: 1,
                    Outcome.ERROR: 2,
                },
                15.5 / 4,
            ),
        ),
        standings=7,
        late=1,
    )


def test_an_unresolved_submission_says_why_and_leaves_an_earlier_attempt_out(
    begun: Begun, connection: sqlite3.Connection
) -> None:
    recorder = begun()
    early = FoundSubmission("zoe", "1", "folder", "/srv", "a", "2026-03-01T09:00")
    recorder.add_submissions(
        [early, FoundSubmission("zoe", "2", "zip", "/srv/b.zip", "z", "2026-03-02", late=True)]
    )
    recorder.record([(2, (UNRESOLVED,))])
    (standing,) = GradebookCohort(connection).standings()

    assert standing == Standing(
        Learner("zoe"), (UNRESOLVED,), "2", "2026-03-02", late=True, place="b.zip/z"
    )


def test_a_new_roster_replaces_the_old_one(begun: Begun, connection: sqlite3.Connection) -> None:
    recorder = begun()
    recorder.enrol([Learner("abe").row, Learner("bob").row])
    recorder.enrol([learner.row for learner in (Learner("bob"), ZOE, Learner("h\udce9"))])

    assert [standing.learner for standing in GradebookCohort(connection).standings()] == [
        Learner("bob", rostered=True),
        Learner(r"h\udce9", rostered=True),
        ZOE,
    ]


def test_the_last_regrading_after_a_run_counts_and_none_before_it(
    begun: Begun,
    evidence: ExerciseInfo,
    tiers: ExerciseInfo,
    connection: sqlite3.Connection,
) -> None:
    def begin(digest: str, *exercises: ExerciseInfo, kind: str = "grade") -> None:
        begun(
            *(exercise._replace(title=digest) for exercise in exercises), kind=kind, digest=digest
        )

    begin("d1", evidence, tiers)
    begin("d2", evidence, kind="regrade")
    begin("d3", evidence, kind="regrade")
    begin("d4", evidence, tiers)
    begin("d5", tiers, kind="regrade")
    titles = [[e.title for e in GradebookCohort(connection, run=run).exercises] for run in (1, 4)]

    assert titles == [["d3", "d5"], ["d4", "d5"]]
