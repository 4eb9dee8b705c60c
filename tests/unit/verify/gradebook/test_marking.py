"""A row of the gradebook becomes the marks of a learner: checks, findings, files, place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from verify.gradebook.marking import Marker
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
