"""The JSON exports are documents of their own schemas."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.stubs.schemas import published
from tests.unit.verify.exports.conftest import OVERRIDE, cohort_of, standing_of, whole
from verify.exports.json_documents import DOCUMENT, LINES

if TYPE_CHECKING:
    from pathlib import Path

    from verify.exports.base import Settings
    from verify.gradebook.reading import Cohort
    from verify.gradebook.records import Standing

WHOLE: Any = json.loads(whole("cohort.json"))
STANDING = WHOLE["standings"][0]


@pytest.fixture
def dan() -> Standing:
    """Return the standing that STANDING tells of."""
    row = standing_of("dan", "pfps", "e", attempt="2", override=OVERRIDE)
    trace, classify = row.marks
    results = (trace.results[1], trace.results[3])
    reads, digests = (
        '[["read", "plan.json"], ["names", "."], ["read", "x"]]',
        b"\xab" * 32 + bytes(16),
    )
    trace = trace._replace(graded=0, results=results, reads=reads, digests=digests, provenance="L1")
    return row._replace(marks=(trace, classify._replace(results=())))


def document(cohort: Cohort, folder: Path, settings: Settings) -> Any:
    path = folder / "cohort.json"
    DOCUMENT.write(cohort, str(path), settings)
    data = path.read_bytes()
    assert data.isascii()
    return json.loads(data)


def lines(cohort: Cohort, folder: Path, settings: Settings) -> list[Any]:
    path = folder / "cohort.jsonl"
    LINES.write(cohort, str(path), settings)
    return [json.loads(line) for line in path.read_bytes().split(b"\n")[:-1]]


def test_the_whole_document(dan: Standing, tmp_path: Path, settings: Settings) -> None:
    assert document(cohort_of(dan), tmp_path, settings) == WHOLE


def test_a_path_with_a_half_character_is_text(
    dan: Standing, tmp_path: Path, settings: Settings
) -> None:
    trace, classify = dan.marks
    row = dan._replace(marks=(trace._replace(reads='[["read", "caf\\udce9"]]'), classify))
    (mark, _) = document(cohort_of(row), tmp_path, settings)["standings"][0]["marks"]

    assert [artifact["path"] for artifact in mark["artifacts"]] == ["caf\\udce9"]


def test_lines_are_the_standings_of_the_document_and_marks_are_counted(
    cohort: Cohort, tmp_path: Path, settings: Settings
) -> None:
    found = document(cohort, tmp_path, settings)

    assert lines(cohort, tmp_path, settings) == found["standings"]
    assert found["counts"] == {
        "passed": 7,
        "failed": 6,
        "missing": 4,
        "unresolved": 2,
        "excused": 0,
        "errors": 3,
        "overridden": 2,
    }


def test_the_published_schemas_describe_what_is_written_and_nothing_else(
    cohort: Cohort, dan: Standing, tmp_path: Path, settings: Settings
) -> None:
    standing, whole_cohort = (published(name, closed=True) for name in ("standing", "cohort"))
    for each in (cohort, cohort_of(), cohort_of(dan)):
        whole_cohort.validate(document(each, tmp_path, settings))
        for line in lines(each, tmp_path, settings):
            standing.validate(line)
    for change in ({"total": "14"}, {"listed": 1}, {"marks": None}, {"schema": "x"}):
        assert not standing.is_valid(STANDING | change)


def test_without_a_roster_it_is_not_said_who_is_listed(tmp_path: Path, settings: Settings) -> None:
    zed = standing_of("zed", rostered=False)._replace(marks=())
    message = [lines(cohort_of(zed, has_roster=has), tmp_path, settings) for has in (False, True)]

    assert [(line["listed"], line["attempt"], line["total"]) for (line,) in message] == [
        (None, "", 0),
        (False, "", 0),
    ]
