"""What a run tells of itself: counts, rate, time left."""

from __future__ import annotations

from verify.batch.progress import Lines, Tally
from verify.batch.work import Graded
from verify.gradebook.records import Record

PASS = Record("pass", 1, "p", "[]", b"")
FAIL = Record("fail", 0, "f", "[]", b"")
ERROR = Record("error", None, "e", "[]", b"", (), "Traceback")


def test_a_submission_counts_by_its_worst_outcome() -> None:
    tally = Tally()
    tally.add(
        [
            Graded(1, (PASS, PASS)),
            Graded(2, (PASS, FAIL)),
            Graded(3, (FAIL, ERROR)),
            Graded(4, (None, None)),
            Graded(5, (None, PASS)),
        ]
    )

    assert (tally.submissions, tally.passed, tally.failed) == (5, 2, 1)
    assert (tally.errors, tally.unchanged, tally.crashes) == (1, 1, ["Traceback"])
    assert str(tally) == "2 passed, 1 failed, 1 error, 1 unchanged"


def test_that_nobody_passed_is_not_told_where_nothing_was_graded() -> None:
    told = []
    for results in ([], [Graded(1, (None,))], [Graded(1, (None,)), Graded(2, (FAIL,))]):
        tally = Tally()
        tally.add(results)
        told.append(str(tally))

    assert told == ["0 passed", "1 unchanged", "0 passed, 1 failed, 1 unchanged"]


def test_of_many_crashes_the_first_are_kept() -> None:
    tally = Tally()
    tally.add([Graded(number, (ERROR,)) for number in range(50)])

    assert (tally.errors, tally.crashes) == (50, ["Traceback"] * 20)


def test_a_line_is_said_every_five_seconds_and_one_at_the_end() -> None:
    now, said = [100.0], list[str]()
    lines = Lines(10_000, clock=lambda: now[0], say=said.append)
    tally = Tally()
    for _ in range(12):
        now[0] += 1.0
        tally.add([Graded(number, (PASS,)) for number in range(500)])
        lines.update(tally)
    lines.close(tally)

    assert said == [
        "verify: 2,500 of 10,000 (25%), 500 a second, 15 s left: 2,500 passed",
        "verify: 5,000 of 10,000 (50%), 500 a second, 10 s left: 5,000 passed",
        "verify: 6,000 of 10,000 submissions in 12 s, 500 a second: 6,000 passed",
    ]


def test_long_runs_are_told_in_minutes_and_hours() -> None:
    now, said = [0.0], list[str]()
    lines = Lines(1_000_000, clock=lambda: now[0], say=said.append)
    tally = Tally()
    tally.add([Graded(number, (PASS,)) for number in range(100)])
    for seconds in (75.0, 4_000.0):
        now[0] = seconds
        lines.close(tally)

    assert said == [
        "verify: 100 of 1,000,000 submissions in 1 min 15 s, 1 a second: 100 passed",
        "verify: 100 of 1,000,000 submissions in 1 h 6 min, 0 a second: 100 passed",
    ]
