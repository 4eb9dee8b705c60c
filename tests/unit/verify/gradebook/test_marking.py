"""A row of the gradebook becomes the marks of a learner: checks, findings, files, place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from verify.gradebook import marking
from verify.gradebook.marking import Marker, missing
from verify.gradebook.records import FindingRow, Record
from verify.gradebook.rules import Rules
from verify.gradebook.values import CheckMark, ExerciseInfo, FoundPlace, Mark, Override

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable

    from verify.gradebook.book import Book

BY_HAND = Override(4.5, "ada", "2026-03-01", "oral")
FOUND = FindingRow(0, 0, "no step", "3", "0", "a.json", "$.steps", 7, 3, "Write them.", "{\n")
FAILED = Record(
    *("fail", 0, "fs", '[["read", "a.json"], ["names", ""], ["read", "b.json"]]'),
    bytes(range(1, 17)) + bytes(16) + bytes(8) + b"8 of why",
    (FOUND, FindingRow(1, 0, "", waits_for="E04.1")),
)


@pytest.fixture
def marker(
    begun: Callable[..., Book],
    rows: Callable[..., Any],
    evidence: ExerciseInfo,
    connection: sqlite3.Connection,
) -> Marker:
    """Return what makes marks of a run in which zoe failed."""
    book = begun(evidence)
    book.enlist(rows("zoe"))
    book.record([(1, (FAILED,))])
    rules = Rules(connection)
    return Marker(connection, rules, 1, rules.asked(1))


def row(*result: Any, container: str = "/srv/cohort/", inner: str = "zoe") -> tuple[Any, ...]:
    return "zoe", "2", container, inner, *result


def test_a_failure_has_its_findings_what_waits_for_it_and_the_files_that_were_read(
    marker: Marker, evidence: ExerciseInfo
) -> None:
    first, second = evidence.checks
    (mark,) = marker.marks(row(1, 1, 1, "fail", 0, "fs", 1, FAILED.answers, "L1"), {})

    assert mark == Mark(
        *(evidence, "2", "fail", 0),
        (
            CheckMark(first, "fail", 0, "", (FoundPlace(*FOUND[2:11]),)),
            CheckMark(second, "skip", 0, "E04.1"),
        ),
        artifacts=(("a.json", bytes(range(1, 17)).hex()), ("b.json", "")),
        place="cohort/zoe",
        provenance="L1",
    )


def test_an_override_stands_beside_what_the_checks_gave(
    marker: Marker, evidence: ExerciseInfo
) -> None:
    result = (1, 1, 1, "pass", 5, "pp", 1, FAILED.answers, "")
    (mark,) = marker.marks(row(*result), {("zoe", "expert/04"): BY_HAND})
    (other,) = marker.marks(row(*result), {("abe", "expert/04"): BY_HAND})
    all_pass = tuple(CheckMark(check, "pass", check.points) for check in evidence.checks)

    assert (mark.override, mark.graded, mark.score, mark.checks) == (BY_HAND, 5, 4.5, all_pass)
    assert (other.override, other.score) == (None, 5)


@pytest.mark.parametrize(
    "result",
    [(None,) * 9, (1, 2, 1, "pass", 5, "pp", 1, b"", "L1")],
    ids=["no result", "a result of other rules"],
)
def test_what_the_run_did_not_come_to_is_an_error_that_says_what_to_do(
    marker: Marker, evidence: ExerciseInfo, result: tuple[Any, ...]
) -> None:
    (mark,) = marker.marks(row(*result), {("zoe", "expert/04"): BY_HAND})
    first, second = evidence.checks
    step = "Run verify batch again: it goes on where it was interrupted."
    reason = FoundPlace("not graded yet", "", "", "", "", 0, 0, step, "")

    assert mark == Mark(
        *(evidence, "2", "error", None),
        (CheckMark(first, "error", None, "", (reason,)), CheckMark(second, "error", None)),
        override=BY_HAND,
        place="cohort/zoe",
    )


@pytest.mark.parametrize(
    ("container", "inner", "place"),
    [
        ("/srv/download.zip", "ada", "download.zip/ada"),
        ("/srv/ada.git/", "", "ada.git"),
        ("s3://bucket/spring", "ada", "spring/ada"),
        ("/", "ada", "//ada"),
    ],
)
def test_a_place_is_told_for_people(marker: Marker, container: str, inner: str, place: str) -> None:
    (mark,) = marker.marks(row(*(None,) * 9, container=container, inner=inner), {})

    assert mark.place == place


def test_texts_of_questions_are_held_unless_they_are_long(
    marker: Marker, connection: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = (1, 1, 1, "pass", 5, "pp", 1, FAILED.answers, "")
    marker.marks(row(*result), {})
    connection.execute('UPDATE questions SET text = \'[["read", "c.json"]]\'')
    (held,) = marker.marks(row(*result), {})
    monkeypatch.setattr(marking, "SHORT", 3)
    fresh = Marker(connection, Rules(connection), 1, Rules(connection).asked(1))
    fresh.marks(row(*result), {})
    connection.execute('UPDATE questions SET text = \'[["read", "d.json"]]\'')
    (read,) = fresh.marks(row(*result), {})

    assert [path for path, _ in held.artifacts] == ["a.json", "b.json"]
    assert [path for path, _ in read.artifacts] == ["d.json"]


def test_who_is_missing_has_no_score_unless_it_was_set_by_hand(
    evidence: ExerciseInfo, tiers: ExerciseInfo
) -> None:
    marks = missing("zoe", [evidence, tiers], {("zoe", "expert/02"): BY_HAND})

    assert marks == (
        Mark(evidence, "", "missing", None),
        Mark(tiers, "", "missing", None, override=BY_HAND),
    )
    assert [mark.score for mark in marks] == [None, 4.5]
