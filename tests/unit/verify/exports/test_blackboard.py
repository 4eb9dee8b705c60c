"""Blackboard's download is filled in, and nothing else in it changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.unit.verify.exports.conftest import cohort_of, standing_of
from verify.exports.blackboard import FORMAT

if TYPE_CHECKING:
    from pathlib import Path

    from verify.exports.base import Settings
    from verify.gradebook.reading import Cohort

HEAD = (
    '"Last Name"\t"First Name"\t"Username"\t"Student ID"\t"Availability"'
    '\t"expert/04 Evidence [Total Pts: 100 Score] |77"\t"Classify [Total Pts: up to 2,5 Score] |78"'
    '\t"Weighted Total"\n'
)
ROWS = (
    '"Lovelace"\t"Ada, =1+1"\t"ada"\t"0011"\t"Yes"\t"Needs Grading(5,00)"\t""\t"=SUM(1)"\r\n'
    '"O""Hara"\t"Cyd"\t"cyd"\t"0013"\t"Yes"\t"50.00"\t"In Progress"\t""\n'
    '"Bob"\t"B"\t"bob"\t"0012"\t"Yes"\t"60.00"\n'
    '"Nobody"\t"N"\t"nobody"\t"9"\t"Yes"\t"1"\t"1"\t""\n'
)


def filled(cohort: Cohort, folder: Path, settings: Settings, data: bytes, **columns: str) -> bytes:
    (folder / "gc.xls").write_bytes(data)
    more = settings._replace(source=str(folder / "gc.xls"), columns={"expert/01": "Classify"})
    FORMAT.write(cohort, str(folder / "out.xls"), more._replace(**columns))  # type: ignore[arg-type]
    return (folder / "out.xls").read_bytes()


@pytest.mark.parametrize("codec", ["utf-16", "utf-8-sig", "utf-8"])
def test_t7_a_download_is_filled_in_and_every_other_byte_stays(
    cohort: Cohort, tmp_path: Path, settings: Settings, notes: list[str], codec: str
) -> None:
    data = (HEAD + ROWS).encode(codec)
    found = filled(cohort, tmp_path, settings, data)

    expected = HEAD + ROWS.replace('"Needs Grading(5,00)"\t""', '"100"\t"2.5"').replace(
        '"Yes"\t"60.00"\n', '"Yes"\t"60.00"\t2.5\n'
    )
    assert found == expected.encode(codec)
    assert found[:2] == data[:2]
    assert notes[-1] == (
        '--blackboard-from keeps 2 grades: "bob: 60.00", "cyd: 50.00": not from this gradebook;'
        " --overwrite replaces all but EX"
    )


def test_t7_other_grades_are_replaced_only_if_you_say_so(
    cohort: Cohort, tmp_path: Path, settings: Settings, notes: list[str]
) -> None:
    more = settings._replace(overwrite=True)
    found = filled(cohort, tmp_path, more, (HEAD + ROWS).encode())

    assert '"Yes"\t"20"\t2.5\n' in found.decode()
    assert notes[-1].startswith('--blackboard-from replaces 2 grades: "bob: 60.00 -> 20", "cyd:')


def test_t7_without_a_download_it_is_made_of_the_roster(
    tmp_path: Path, settings: Settings, notes: list[str]
) -> None:
    rows = [standing_of("=ada", "pppp", "p"), standing_of("zoë", "", "")]
    FORMAT.write(cohort_of(*rows), str(tmp_path / "b.csv"), settings)

    assert (tmp_path / "b.csv").read_bytes().decode("utf-8-sig") == (
        "Username,expert/04 Evidence,expert/01 Classify\r\n'=ada,10,4\r\nzoë,,\r\n"
    )
    assert notes == []
