"""Moodle's worksheet is filled in where a learner and a grade are known for sure."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

import pytest

from tests.stubs.tables import rows_of
from tests.unit.verify.exports.conftest import OVERRIDE, cohort_of, standing_of
from verify.exports.moodle import Worksheet, write
from verify.intake.table import Unusable

if TYPE_CHECKING:
    from pathlib import Path

    from verify.exports.base import Settings
    from verify.gradebook.reading import Cohort

HEADER = (
    "Identifier,Full name,Email address,Status,Grade,Maximum grade,Grade can be changed,"
    "Last modified (submission),Last modified (grade),Feedback comments"
)
DATE = '"Friday, 6 November 2026, 9:00 AM"'


def worksheet(*rows: str) -> str:
    return "".join(f"{row}\r\n" for row in (f"\ufeff{HEADER}", *rows))


def row_of(number: int, key: str, grade: str = "", comment: str = "", **more: str) -> str:
    return ",".join(
        [
            f"Participant {number}",
            more.get("name", ""),
            f"{key}@example.org" if key else "",
            "Submitted",
            grade,
            more.get("largest", "14.00"),
            more.get("open", "Yes"),
            DATE,
            DATE,
            comment,
        ]
    )


def filled(cohort: Cohort, folder: Path, settings: Settings, *rows: str) -> list[dict[str, str]]:
    """Return the rows of the worksheet as they were filled in."""
    source, target = folder / "worksheet.csv", folder / "grades.csv"
    source.write_text(worksheet(*rows), encoding="utf-8", newline="")
    more = settings._replace(source=str(source))
    write(cohort, str(target), more)
    return rows_of(target, "utf-8-sig")


GRADES = {101: "14", 102: "6", 104: "7.5", 108: "10"}
KEYS = ("ada", "bob", "cyd", "dan", "eve", "fay", "gus", "hal", "ivy", "zed", "nobody")


def test_grades_and_comments_are_filled_in(
    cohort: Cohort, tmp_path: Path, settings: Settings, notes: list[str]
) -> None:
    rows = filled(
        cohort, tmp_path, settings, *(row_of(at, key) for at, key in enumerate(KEYS, 101))
    )

    grades = {row["Identifier"]: row["Grade"] for row in rows if row["Grade"]}
    assert grades == {f"Participant {at}": grade for at, grade in GRADES.items()}
    assert {row["Email address"][:3]: html.unescape(row["Feedback comments"]) for row in rows} == {
        "ada": "Graded by verify: 14 of 14 points.",
        "bob": "Graded by verify: 6 of 14 points; expert/04: failed E04.2.",
        "cyd": "",
        "dan": (
            "Graded by verify: 7.5 of 14 points; expert/04: failed E04.2; expert/04: score set"
            " to 7.5 by Dr. Grace, 2026-11-01T10:00:00Z (the checks gave 2): late, but argued,"
            " well; expert/01: failed E01.1."
        ),
        "eve": (
            "Graded by verify: no grade; expert/04: missing: no submission was found;"
            " expert/01: missing: no submission was found."
        ),
        "fay": (
            "Graded by verify: no grade; expert/04: score set to 7.5 by Dr. Grace,"
            " 2026-11-01T10:00:00Z (the checks gave no score): late, but argued, well;"
            " expert/01: missing: no submission was found."
        ),
        "gus": "",
        "hal": "Graded by verify: 10 of 14 points; expert/01: failed E01.1.",
        "ivy": (
            "Graded by verify: no grade; expert/04: unresolved: two folders hold"
            " work. Submit one; expert/01: unresolved: two folders hold work. Submit one."
        ),
        "zed": "",
        "nob": "",
    }
    assert notes == [
        "--moodle leaves out 1 learner who is not on the roster; --csv-wide includes everyone"
    ]


def test_what_is_not_known_or_not_ours_leaves_what_moodle_has(
    tmp_path: Path, settings: Settings, notes: list[str]
) -> None:
    ungraded = standing_of("ada", "eeee")
    cohort = cohort_of(ungraded, *(standing_of(key) for key in ("bob", "cyd", "dan")))
    wild = '"a\rb\nc ""d"", e"'

    rows = filled(
        cohort,
        tmp_path,
        settings,
        row_of(1, "ada", "3.00", wild),
        row_of(2, "bob", "", "mine"),
        row_of(3, "cyd", "3.00", "Graded by verify: old", open="No"),
        row_of(4, "dan", "14.00", "Graded by verify: old"),
    )

    assert [(row["Grade"], row["Feedback comments"]) for row in rows] == [
        ("3.00", 'a\rb\nc "d", e'),
        ("14", "mine"),
        ("3.00", "Graded by verify: old"),
        ("14", "Graded by verify: 14 of 14 points."),
    ]
    assert notes == ["--moodle does not change 1 row that is locked in Moodle"]


def test_points_are_put_on_the_scale_of_the_assignment_and_a_reason_is_no_html(
    tmp_path: Path, settings: Settings
) -> None:
    bad = OVERRIDE._replace(reason="<script>alert(1)</script>\r\n=1")
    cohort = cohort_of(standing_of("ada"), standing_of("bob", "pfps", override=bad))
    sheet = (row_of(1, "ada", largest="100.00"), row_of(2, "bob", largest='"100,00"'))

    rows = filled(cohort, tmp_path, settings, *sheet)

    assert [row["Grade"] for row in rows] == ["100", "82.14286"]
    assert "&lt;script&gt;" in rows[1]["Feedback comments"]
    assert rows[1]["Feedback comments"].isprintable()


def test_a_learner_is_found_by_number_key_or_name(tmp_path: Path, settings: Settings) -> None:
    number, key, name = (standing_of(each) for each in ("x", "Participant 8", "y"))
    ids = {"Identifier": "Participant 0007"}
    number = number._replace(learner=number.learner._replace(ids=ids))
    name = name._replace(learner=name.learner._replace(name="Ada   lovelace", email=""))
    sheet = (row_of(7, "a"), row_of(8, "b"), row_of(9, "c", name="Ada Lovelace"))

    rows = filled(cohort_of(number, key, name), tmp_path, settings, *sheet)

    assert [row["Grade"] for row in rows] == ["14", "14", "14"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Identifier,Grade\r\n", r'the columns do not include "last modified \(grade\)"'),
        ("ID,Bewertung\r\n", "set your language in Moodle to English"),
        (worksheet(row_of(1, "ada", largest="-")), "the maximum grade in row 2 is not a number"),
        (worksheet(row_of(1, "ada", largest="0")), "in row 2 is not a number above 0: grade the"),
        (worksheet(row_of(1, "ada", largest="nan")), "the maximum grade in row 2 is not a number"),
    ],
)
def test_a_worksheet_that_does_not_do_is_refused(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "worksheet.csv"
    path.write_text(text, encoding="utf-8", newline="")

    with pytest.raises(Unusable, match=message):
        Worksheet(str(path))


def test_g7_a_grade_in_the_worksheet_that_is_not_ours_stays_with_its_comment(
    tmp_path: Path, settings: Settings, notes: list[str]
) -> None:
    cohort = cohort_of(*(standing_of(key) for key in ("ada", "bob", "cyd")))
    cell = '["--moodle-from", ["Participant 1"], "Grade"]'
    rows = filled(
        cohort,
        tmp_path,
        settings._replace(exported={cell: {"12.5"}}),
        row_of(1, "ada", "12.50", "Graded by verify: old"),
        row_of(2, "bob", "55.00", ""),
        row_of(3, "cyd", "", ""),
    )

    assert [(row["Grade"], row["Feedback comments"]) for row in rows] == [
        ("14", "Graded by verify: 14 of 14 points."),
        ("55.00", ""),
        ("14", "Graded by verify: 14 of 14 points."),
    ]
    assert [note.partition(":")[0] for note in notes] == [
        "--moodle-from keeps 1 grade",
        "--moodle-from replaces 1 grade",
    ]
