"""Submissions and results are kept whole, and what is to be graded is read from them in pieces."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.stubs.marks import mark_of
from tests.unit.verify.gradebook.conftest import EVIDENCE
from verify.gradebook import reading as reader
from verify.gradebook import recording
from verify.gradebook.reading import Submissions
from verify.gradebook.records import CacheKey, Enlisted, Mark
from verify.gradebook.store import whole
from verify.model import Finding

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable

    from verify.gradebook.recording import Book
    from verify.model import ExerciseInfo

    Rows = Callable[..., list[Enlisted]]
    Begun = Callable[..., Book]
    Select = Callable[[str], list[Any]]

KEPT = "SELECT id, submission, exercise, outcome, score, superseded FROM result ORDER BY id"
FINDING = Finding("no steps", "3", "0", "a.json", "$.steps", 7, 3, "Write them.", "{\n")
FAILED = mark_of(EVIDENCE, "pf", FINDING)


def test_reads_too_long_to_be_read_back_are_read_again_by_every_run(
    begun: Begun, rows: Rows, passed: Mark, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recording, "MAX_READS", len(passed.reads) - 1)
    book = begun()
    book.enlist(rows("zoe"))
    book.record([(1, (passed,))])
    again = begun()
    again.enlist(rows("zoe"))
    ((known,),) = (one.known for one in again.pending(latest=True))

    assert known == CacheKey("[]", bytes(16))


@pytest.mark.parametrize("before", [1, 3])
def test_a_later_result_supersedes_the_earlier_one_and_keeps_it(
    begun: Begun, rows: Rows, passed: Mark, select: Select, before: int
) -> None:
    book = begun()
    book.enlist(rows("zoe", "abe", "yve"))
    book.record([(number, (FAILED,)) for number in range(1, before + 1)])
    book = begun(digest="d2")
    book.record([(1, (passed,)), (2, (passed,))])
    book.record([(3, (passed,))])
    current = {row[1]: row[3] for row in select(KEPT) if row[5] is None}
    behind = [row[1] for row in select(KEPT) if row[5] is not None]

    assert current == {1: "pass", 2: "pass", 3: "pass"}
    assert behind == list(range(1, before + 1))


def test_a_batch_is_kept_whole_or_not_at_all(
    begun: Begun, rows: Rows, passed: Mark, select: Select
) -> None:
    book = begun()
    book.enlist(rows("zoe", "abe"))
    with pytest.raises(ValueError, match="argument 3 is shorter"):
        book.record([(1, (passed,)), (2, ())])

    assert select(KEPT) == []
    assert select("SELECT * FROM reads") == []

    book.record([(1, (passed,)), (2, (passed,))])

    assert len(select("SELECT r.id FROM result r JOIN reads q ON q.id = r.reads")) == 2


def test_half_a_character_in_a_finding_is_kept_as_an_escape(
    begun: Begun, rows: Rows, select: Select
) -> None:
    book = begun()
    book.enlist(rows("zoe", "abe"))
    odd = mark_of(EVIDENCE, "ff", Finding("no \ud800"))
    book.record([(1, (FAILED,)), (2, (odd,))])

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
        Enlisted("zoe", "1", "folder", "/srv/a", "zoe"),
        Enlisted("zoe", "2", "folder", "/srv/b", "zoe"),
    ]
    begun().enlist([*met, met[0]])
    before = select(WHERE)
    begun().enlist(met)

    assert len(before) == 2
    assert select(WHERE) == [(*row[:-1], 2) for row in before]


def test_a_submission_that_moved_is_met_where_it_is_now_with_all_that_is_said_of_it(
    begun: Begun, rows: Rows, select: Select
) -> None:
    begun().enlist(rows("zoe"))
    begun().enlist(
        [Enlisted("zoe", "", "zip", "/srv/a.zip", "z", "2026-03-01T09:30", True, "two claim it")]  # noqa: FBT003  # late
    )

    assert select("SELECT * FROM submission") == [
        (1, "zoe", "", "zip", "/srv/a.zip", "z", "2026-03-01T09:30", 1, "two claim it", 2)
    ]


def test_a_path_of_a_system_that_knows_only_ascii_is_kept_as_everywhere_else() -> None:
    assert whole("coll\udcc3\udca9/zo\udce9") == r"collé/zo\udce9"
    assert whole("\ud800\udcc3\udca9") == r"\ud800\udcc3\udca9"


def test_half_a_character_in_a_name_is_kept_as_an_escape(
    begun: Begun, rows: Rows, select: Select
) -> None:
    begun().enlist(rows("abe", "zo\udce9", "yve"))

    assert select("SELECT learner FROM submission ORDER BY id") == [
        ("abe",),
        (r"zo\udce9",),
        ("yve",),
    ]


def test_only_what_this_run_met_is_pending(begun: Begun, rows: Rows) -> None:
    begun().enlist(rows("zoe", "abe"))
    book = begun()
    book.enlist(rows("abe"))

    assert [one.inner for one in book.pending(latest=True)] == ["abe"]


def test_results_are_written_while_the_rest_is_read(
    begun: Begun, rows: Rows, passed: Mark, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader, "_PIECE", 2)
    book = begun()
    book.enlist(rows("a", "b", "c", "d", "e"))
    met = []
    for one in book.pending(latest=True):
        met.append(one.inner)
        book.record([(one.id, (passed,))])

    assert met == ["a", "b", "c", "d", "e"]


@pytest.mark.parametrize(("latest", "inner"), [(True, ["new"]), (False, ["old", "new"])])
def test_the_last_attempt_stands_for_its_learner_unless_all_are_asked_for(
    begun: Begun, *, latest: bool, inner: list[str]
) -> None:
    book = begun()
    book.enlist(
        [
            Enlisted("zoe", "2026-01-01", "folder", "/srv", "old"),
            Enlisted("zoe", "2026-01-02", "folder", "/srv", "new"),
        ]
    )

    assert [one.inner for one in book.pending(latest=latest)] == inner
    assert book.expected(latest=latest) == len(inner)


def test_a_later_attempt_of_an_earlier_run_hides_no_attempt_of_this_one(begun: Begun) -> None:
    begun().enlist([Enlisted("zoe", "2", "folder", "/srv", "gone")])
    book = begun()
    book.enlist([Enlisted("zoe", "1", "folder", "/srv", "here")])

    assert [one.inner for one in book.pending(latest=True)] == ["here"]
    assert book.expected(latest=True) == 1


def test_a_result_under_the_same_rules_is_known(begun: Begun, rows: Rows, passed: Mark) -> None:
    book = begun()
    book.enlist(rows("zoe", "abe"))
    book.record([(1, (passed,))])
    book = begun()
    book.enlist(rows("zoe", "abe"))

    assert [one.known for one in book.pending(latest=True)] == [
        (CacheKey(passed.reads, passed.digests),),
        (),
    ]


def test_a_result_under_other_rules_is_not_known(begun: Begun, rows: Rows, passed: Mark) -> None:
    book = begun()
    book.enlist(rows("zoe"))
    book.record([(1, (passed,))])
    begun(digest="d2")
    book = begun(digest="d2")
    book.enlist(rows("zoe"))

    assert [one.known for one in book.pending(latest=True)] == [()]


def test_an_exercise_that_is_new_to_the_gradebook_leaves_the_other_known(
    begun: Begun, rows: Rows, passed: Mark, evidence: ExerciseInfo, tiers: ExerciseInfo
) -> None:
    book = begun(evidence)
    book.enlist(rows("zoe"))
    book.record([(1, (passed,))])
    book = begun(tiers, evidence)
    book.enlist(rows("zoe"))
    known = CacheKey(passed.reads, passed.digests)

    assert [one.known for one in book.pending(latest=True)] == [(None, known)]


NAME = "expert/04"


@pytest.mark.parametrize(("latest", "inner"), [(True, ["b", "c"]), (False, ["a", "b", "c"])])
def test_pieces_add_up_while_results_are_written(
    begun: Begun,
    passed: Mark,
    connection: sqlite3.Connection,
    monkeypatch: pytest.MonkeyPatch,
    *,
    latest: bool,
    inner: list[str],
) -> None:
    monkeypatch.setattr(reader, "_PIECE", 1)
    book = begun()
    book.enlist(
        [
            Enlisted("zoe", "1", "folder", "/srv", "a"),
            Enlisted("zoe", "2", "folder", "/srv", "b"),
            Enlisted("abe", "", "folder", "/srv", "c"),
        ]
    )
    results = Submissions(connection, 1, [NAME], latest=latest)
    met = []
    for one in results:
        met.append(one.inner)
        book.record([(one.id, (passed,))])

    assert met == inner
    assert len(results) == len(inner)
