"""Canvas's import has the columns that its importer asks for; an export of Canvas is filled in."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.unit.verify.exports.conftest import cohort_of, standing_of
from verify.exports.canvas import CanvasSheet, write
from verify.intake.table import Unusable

if TYPE_CHECKING:
    from pathlib import Path

    from verify.exports.base import Settings
    from verify.gradebook.reading import Cohort

TITLES = {"expert/04": "Evidence (77)", "expert/01": "Classify (78)"}
EXPORT = (
    "\ufeffStudent,ID,SIS User ID,SIS Login ID,Section,Essay (5),Evidence (77),Classify (78),"
    "Current Score\r\n"
    "    Points Possible,,,,,100,100.00,2.5,(read only)\r\n"
    '"Lovelace, Ada",11,S11,ada,A,88,,,70\r\n'
    '"O""Hara, Cyd",13,S13,CYD,A,50,,2,70\r\n'
    '"Smith, Dan",14,S14,someone-else,A,,1,1,0\r\n'
    '"Smith, Dan",15,S15,other,A,,,,0\r\n'
    '"Student, Test",99,,,A,,,,\r\n'
)


def filled(cohort: Cohort, folder: Path, settings: Settings, export: str = EXPORT) -> Path:
    source, target = folder / "export.csv", folder / "import.csv"
    source.write_text(export, encoding="utf-8", newline="")
    more = settings._replace(source=str(source), titles=TITLES)
    write(cohort, str(target), more)
    assert source.read_text(encoding="utf-8").replace("\n", "\r\n") == export
    return target


def test_it_is_made_of_the_roster(
    cohort: Cohort, tmp_path: Path, settings: Settings, notes: list[str]
) -> None:
    path = tmp_path / "canvas.csv"
    write(cohort, str(path), settings)

    assert path.read_text(encoding="utf-8").splitlines() == [
        "Student,ID,SIS User ID,SIS Login ID,Section,expert/04 Evidence,expert/01 Classify",
        "    Points Possible,,,,,10,4",
        "Ada Lovelace,0011,,ada,A,10,4",
        "Bob,,,bob,A,2,4",
        "Cyd,,,cyd,A,10,",
        "Dan,,,dan,A,7.5,0",
        "Eve,,,eve,A,,",
        "Fay,,,fay,A,7.5,",
        "gus,,,gus,A,,",
        "hal,,,hal,A,10,0",
        "ivy,,,ivy,A,,",
    ]
    assert notes == [
        "--canvas leaves out 1 learner who is not on the roster; --csv-wide includes everyone",
    ]


@pytest.mark.parametrize(("ids", "roster"), [({}, False), ({"id": "ada-l"}, True)])
def test_the_key_is_the_login_and_an_id_that_canvas_cannot_have_given_is_left_out(
    tmp_path: Path,
    settings: Settings,
    ids: dict[str, str],
    roster: bool,  # noqa: FBT001  # a column of the table
) -> None:
    row = standing_of("ada")
    row = row._replace(learner=row.learner._replace(ids=ids))
    path = tmp_path / "canvas.csv"
    write(cohort_of(row, has_roster=roster), str(path), settings)

    assert path.read_text(encoding="utf-8").splitlines()[2] == "ada,,,ada,,10,4"


def test_the_instructors_export_is_filled_in(
    cohort: Cohort, tmp_path: Path, settings: Settings, notes: list[str]
) -> None:
    path = filled(cohort, tmp_path, settings)

    assert path.read_text(encoding="utf-8-sig").splitlines() == [
        "Student,ID,SIS User ID,SIS Login ID,Section,Evidence (77),Classify (78)",
        "    Points Possible,,,,,100.00,2.5",
        '"Lovelace, Ada",11,S11,ada,A,100,2.5',
        '"O""Hara, Cyd",13,S13,CYD,A,100,2',  # an error of ours leaves what Canvas has
        '"Smith, Dan",14,S14,someone-else,A,1,1',  # two of that name: nobody's for sure
        '"Smith, Dan",15,S15,other,A,,',
        '"Student, Test",99,,,A,,',
    ]
    named = '"bob", "dan", "eve", "fay" and 3 more'
    assert notes == [
        "--canvas leaves out 1 learner who is not on the roster; --csv-wide includes everyone",
        f"--canvas-from has no row that clearly belongs to {named}; --csv-wide includes everyone",
    ]


@pytest.mark.parametrize(
    ("export", "titles", "message"),
    [
        ("a,b\r\n", {}, "is not an export of Canvas's gradebook"),
        ("", {}, "is empty"),
        (EXPORT, {}, r"has no columns with a title that begins with expert/04 \(expected one\)"),
        (EXPORT, {"expert/04": "Section"}, "has no columns with the title Section"),
        (
            EXPORT,
            {"expert/04": "Current Score"},
            r"has \(read only\) as the Points Possible of",
        ),
        (
            EXPORT.replace("100.00", '"1,000"'),
            TITLES,
            "has 1,000 as the Points Possible",
        ),
        (EXPORT.replace("100.00", "0"), TITLES, "has 0 as the Points Possible"),
        (
            EXPORT,
            {"expert/04": "Other"},
            r"--canvas-column 'expert/04=TITLE \(ID\)' \(assignments: \"Essay",
        ),
    ],
)
def test_an_export_that_does_not_do_is_refused(
    tmp_path: Path, export: str, titles: dict[str, str], message: str
) -> None:
    path = tmp_path / "export.csv"
    path.write_text(export, encoding="utf-8", newline="")

    with pytest.raises(Unusable, match=message):
        CanvasSheet(str(path)).columns_of(["expert/04"], titles)


@pytest.mark.parametrize("title", ["", "Evidence (77)", "renamed since (77)"])
def test_a_column_is_found_by_the_exercise_its_title_or_its_number(
    tmp_path: Path, title: str
) -> None:
    path = tmp_path / "export.csv"
    found = "expert/04 Evidence (77)" if not title else "Evidence (77)"
    path.write_text(f"Student,ID,Section,Essay (5),{found}\n", encoding="utf-8")
    titles = {"expert/04": title} if title else {}

    assert CanvasSheet(str(path)).columns_of(["expert/04"], titles) == {"expert/04": 4}


@pytest.mark.parametrize(
    ("text", "points"),
    [("13", 13), ("13,5", 13.5), ("1,000.00", 1000), ("1.000,00", 1000), ("1000", 1000)],
)
def test_points_are_read_as_canvas_writes_them(tmp_path: Path, text: str, points: float) -> None:
    path = tmp_path / "export.csv"
    path.write_text(EXPORT.replace("100.00", f'"{text}"'), encoding="utf-8", newline="")

    assert CanvasSheet(str(path)).points_of(6) == points


def test_a_byte_order_mark_and_semicolons_stay_if_there_were_some(
    cohort: Cohort, tmp_path: Path, settings: Settings
) -> None:
    marked = filled(cohort, tmp_path, settings).read_bytes()
    plain = filled(cohort, tmp_path, settings, EXPORT.removeprefix("\ufeff")).read_bytes()
    parted = filled(
        cohort,
        tmp_path,
        settings,
        "Student;ID;SIS Login ID;Section;x (77);y (78)\r\nAda;1;ada;A;;\r\n",
    )

    assert marked == b"\xef\xbb\xbf" + plain
    assert parted.read_text(encoding="utf-8").splitlines()[1] == "Ada;1;ada;A;10;4"


def test_g7_a_grade_in_the_platforms_file_that_is_not_ours_stays_and_is_named(
    tmp_path: Path, settings: Settings, notes: list[str]
) -> None:
    source, target = tmp_path / "export.csv", tmp_path / "import.csv"
    cells = ("", "-", "10,00", "55", "EX", "ex", "9.999", "0", "7")
    rows = [f"L{number},{number},,l{number},A,{{}}" for number in range(len(cells))]
    head = "Student,ID,SIS User ID,SIS Login ID,Section,expert/04 Evidence (1)"
    lines = [row.format(f'"{cell}"') for row, cell in zip(rows, cells, strict=True)]
    source.write_text("\n".join([head, *lines]), encoding="utf-8")
    made = [standing_of(f"l{number}") for number in range(len(cells))]
    cohort = cohort_of(*(one._replace(marks=one.marks[:1]) for one in made))
    cohort = cohort._replace(exercises=cohort.exercises[:1])
    cell = '["--canvas-from", ["l8", "", "8"], "expert/04 Evidence (1)"]'
    exported = {cell: {"7"}}
    given = settings._replace(source=str(source), exported=exported)

    def written(more: Settings) -> list[str]:
        write(cohort, str(target), more)
        return [row.rpartition(",")[2] for row in target.read_text().splitlines()[1:]]

    assert written(given) == ["10", "10", "10", "55", "EX", "ex", "10", "0", "10"]
    step = "not from this gradebook; --overwrite replaces all but EX"
    assert notes == [
        f'--canvas-from keeps 4 grades: "L3: 55", "L4: EX", "L5: ex", "L7: 0": {step}',
        '--canvas-from replaces 1 grade: "L8: 7 -> 10"',
    ]
    assert exported[cell] == {"7", "10"}
    notes.clear()
    assert written(given._replace(overwrite=True)) == [
        *("10", "10", "10", "10", "EX", "ex", "10", "10", "10"),
    ]
    assert notes[1] == (
        '--canvas-from replaces 3 grades: "L3: 55 -> 10", "L7: 0 -> 10", "L8: 7 -> 10"'
    )
