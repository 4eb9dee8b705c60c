"""Submissions and results are kept whole, and what is to be graded is read from them in pieces."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.stubs.marks import mark_of
from tests.unit.verify.gradebook.conftest import EVIDENCE
from verify.gradebook import reading as reader
from verify.gradebook import recording
from verify.gradebook.reading import Submissions
from verify.gradebook.records import CacheKey, FoundSubmission, Mark
from verify.grading.model import Finding

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable

    from verify.gradebook.recording import RunRecorder
    from verify.grading.model import ExerciseInfo

    Rows = Callable[..., list[FoundSubmission]]
    Begun = Callable[..., RunRecorder]
    Met = Callable[..., Submissions]
    Select = Callable[[str], list[Any]]

KEPT = "SELECT id, submission, exercise, outcome, score, superseded FROM result ORDER BY id"
FINDING = Finding("no steps", "3", "0", "a.json", "$.steps", 7, 3, "Write them.", "{\n")
FAILED = mark_of(EVIDENCE, "pf", FINDING)


@pytest.fixture
def met(connection: sqlite3.Connection) -> Met:
    """Return a function that gives the submissions of a run, for exercises under a digest."""

    def submissions(
        recorder: RunRecorder, *names: str, digest: str = "d1", latest: bool = True
    ) -> Submissions:
        rules = [(name, digest) for name in names or ("expert/04",)]
        return Submissions(connection, recorder.run, rules, latest=latest)

    return submissions


def test_reads_too_long_to_be_read_back_are_read_again_by_every_run(
    begun: Begun, rows: Rows, passed: Mark, met: Met, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recording, "MAX_READS", len(passed.reads) - 1)
    recorder = begun()
    recorder.add_submissions(rows("zoe"))
    recorder.record([(1, (passed,))])
    again = begun()
    again.add_submissions(rows("zoe"))
    ((known,),) = (pending.known for pending, _ in met(again))

    assert known == CacheKey("[]", bytes(16))


@pytest.mark.parametrize("before", [1, 3])
def test_a_later_result_supersedes_the_earlier_one_and_keeps_it(
    begun: Begun, rows: Rows, passed: Mark, select: Select, before: int
) -> None:
    recorder = begun()
    recorder.add_submissions(rows("zoe", "abe", "yve"))
    recorder.record([(number, (FAILED,)) for number in range(1, before + 1)])
    recorder = begun(digest="d2")
    recorder.record([(1, (passed,)), (2, (passed,))])
    recorder.record([(3, (passed,))])
    current = {row[1]: row[3] for row in select(KEPT) if row[5] is None}
    behind = [row[1] for row in select(KEPT) if row[5] is not None]

    assert current == {1: "pass", 2: "pass", 3: "pass"}
    assert behind == list(range(1, before + 1))


def test_a_batch_is_kept_whole_or_not_at_all(
    begun: Begun, rows: Rows, passed: Mark, select: Select
) -> None:
    recorder = begun()
    recorder.add_submissions(rows("zoe", "abe"))
    with pytest.raises(ValueError, match="argument 2 is shorter"):
        recorder.record([(1, (passed,)), (2, ())])

    assert select(KEPT) == []
    assert select("SELECT * FROM reads") == []

    recorder.record([(1, (passed,)), (2, (passed,))])

    assert len(select("SELECT r.id FROM result r JOIN reads q ON q.id = r.reads")) == 2


def test_half_a_character_in_a_finding_is_kept_as_an_escape(
    begun: Begun, rows: Rows, select: Select
) -> None:
    recorder = begun()
    recorder.add_submissions(rows("zoe", "abe"))
    odd = mark_of(EVIDENCE, "ff", Finding("no \ud800"))
    recorder.record([(1, (FAILED,)), (2, (odd,))])

    assert select("SELECT result, position, message FROM finding") == [
        (1, 1, "no steps"),
        (2, 0, r"no \ud800"),
        (2, 1, r"no \ud800"),
    ]


WHERE = "SELECT learner, attempt, container, inner, seen FROM submission ORDER BY id"


def test_another_run_meets_the_same_submissions_again_under_the_same_labels(
    begun: Begun, select: Select
) -> None:
    met = [
        FoundSubmission("zoe", "1", "folder", "/srv/a", "zoe"),
        FoundSubmission("zoe", "2", "folder", "/srv/b", "zoe"),
    ]
    begun().add_submissions([*met, met[0]])
    before = select(WHERE)
    begun().add_submissions(met)

    assert len(before) == 2
    assert select(WHERE) == [(*row[:-1], 2) for row in before]


def test_a_submission_that_moved_is_met_where_it_is_now_with_all_that_is_said_of_it(
    begun: Begun, rows: Rows, select: Select
) -> None:
    begun().add_submissions(rows("zoe"))
    moved = FoundSubmission("zoe", "", "zip", "/srv/a.zip", "z", "2026-03-01T09:30", late=True)
    begun().add_submissions([moved._replace(conflict="two claim it")])

    assert select("SELECT * FROM submission") == [
        (1, "", "zoe", "", "zip", "/srv/a.zip", "z", "2026-03-01T09:30", 1, "two claim it", 2)
    ]


def test_a_name_that_is_not_text_is_kept_as_an_escape(begun: Begun, select: Select) -> None:
    names = ("coll\udcc3\udca9/zo\udce9", "\ud800\udcc3\udca9", "abe")  # bytes of UTF-8 are text
    begun().add_submissions(FoundSubmission(name, "", "folder", "/srv", "") for name in names)

    assert [name for (name,) in select("SELECT learner FROM submission ORDER BY id")] == [
        *(r"collé/zo\udce9", r"\ud800\udcc3\udca9", "abe")
    ]


@pytest.mark.parametrize(("latest", "inner"), [(True, ["b", "c"]), (False, ["a", "b", "c"])])
def test_what_this_run_met_is_pending_while_results_are_written(
    begun: Begun,
    passed: Mark,
    met: Met,
    monkeypatch: pytest.MonkeyPatch,
    *,
    latest: bool,
    inner: list[str],
) -> None:
    monkeypatch.setattr(reader, "_PIECE", 1)
    begun().add_submissions([FoundSubmission("zoe", "3", "folder", "/srv", "of an earlier run")])
    recorder = begun()
    recorder.add_submissions(
        [
            FoundSubmission("zoe", "1", "folder", "/srv", "a"),
            FoundSubmission("zoe", "2", "folder", "/srv", "b"),
            FoundSubmission("abe", "", "folder", "/srv", "c"),
        ]
    )
    found = []
    for pending, _ in met(recorder, latest=latest):
        found.append(pending.inner)
        recorder.record([(pending.id, (passed,))])

    assert found == inner
    assert len(met(recorder, latest=latest)) == len(inner)


def test_a_result_under_the_same_rules_is_known_exercise_by_exercise(
    begun: Begun, rows: Rows, passed: Mark, met: Met, evidence: ExerciseInfo, tiers: ExerciseInfo
) -> None:
    recorder = begun(evidence)
    recorder.add_submissions(rows("zoe", "abe", "yve"))
    recorder.record([(1, (passed,)), (2, (mark_of(EVIDENCE, "ee"),))])
    known = {}
    for digest in ("d1", "d2"):
        recorder = begun(tiers, evidence, digest=digest)
        recorder.add_submissions(rows("zoe", "abe", "yve"))
        known[digest] = [
            pending.known for pending, _ in met(recorder, "expert/02", "expert/04", digest=digest)
        ]

    assert known == {"d1": [(None, passed.cache_key), (), ()], "d2": [(), (), ()]}
