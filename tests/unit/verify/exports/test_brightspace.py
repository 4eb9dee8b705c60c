"""Brightspace's export is filled in: ids, the items that are graded, and the last column."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.unit.verify.exports.conftest import cohort_of, standing_of
from verify.exports.brightspace import FORMAT
from verify.gradebook.records import Learner

if TYPE_CHECKING:
    from pathlib import Path

    from verify.exports.base import Settings
    from verify.gradebook.reading import Cohort

EXPORT = (
    "\ufeffOrgDefinedId,Username,Last Name,First Name,Email,"
    '"expert/04 Evidence Points Grade <Numeric MaxPoints:5 Weight:10 Category:A, B>",'
    "Classify Points Grade <Numeric MaxPoints:4>,Other Points Grade,Calculated Final Grade,"
    "End-of-Line Indicator\r\n"
    '#0011,#ada,"Lovelace, A",Ada,a@x.org,,,7,1,#\r\n'
    "#0012,#bob,Roe,Bob,b@x.org,3.00,,,2,#\r\n"
    "#9,#nobody,N,N,n@x.org,1,2,3,4,#\r\n"
)


def test_t7_an_export_is_filled_in_for_an_import(
    cohort: Cohort, tmp_path: Path, settings: Settings, notes: list[str]
) -> None:
    (tmp_path / "e.csv").write_text(EXPORT, "utf-8", newline="")
    columns = {"expert/01": "Classify"}
    more = settings._replace(source=str(tmp_path / "e.csv"), columns=columns)
    FORMAT.write(cohort, str(tmp_path / "i.csv"), more)

    assert (tmp_path / "i.csv").read_bytes().decode("utf-8").split("\r\n") == [
        (
            "\ufeffOrgDefinedId,Username,"
            '"expert/04 Evidence Points Grade <Numeric MaxPoints:5 Weight:10 Category:A, B>",'
            "Classify Points Grade <Numeric MaxPoints:4>,End-of-Line Indicator"
        ),
        "#0011,#ada,5,4,#",
        "#0012,#bob,3.00,4,#",
        "#9,#nobody,1,2,#",
        "",
    ]
    assert notes[-1] == (
        '--brightspace-from keeps 1 grade: "#0012: 3.00": not from this gradebook;'
        " --overwrite replaces all but EX"
    )


def test_t7_without_an_export_it_is_made_of_the_roster(tmp_path: Path, settings: Settings) -> None:
    learners = (
        Learner("7", ids={"Org Defined ID": "7", "User name": "ada"}),
        Learner("@ben", ids={}),
    )
    rows = [standing_of("x", "pppp", "p")._replace(learner=learner) for learner in learners]
    FORMAT.write(cohort_of(*rows, has_roster=False), str(tmp_path / "b.csv"), settings)

    items = "expert/04 Evidence Points Grade,expert/01 Classify Points Grade"
    assert (tmp_path / "b.csv").read_text("utf-8").splitlines() == [
        f"OrgDefinedId,Username,{items},End-of-Line Indicator",
        "7,ada,10,4,#",
        ",'@ben,10,4,#",
    ]
