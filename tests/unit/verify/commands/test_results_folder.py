"""`--out`: one folder with what an instructor needs, and nothing of anybody else's is lost."""

from __future__ import annotations

import re
import shutil
from typing import TYPE_CHECKING

import pytest

from verify.intake.table import Unusable
from verify.report import site

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Verify = Callable[..., tuple[int, str, str]]

BATCH = ("batch", "cohort", "--exercise", "foundation/01", "--out", "results")
ALWAYS = [
    *(".cohort-report", "assets", "checks.csv", "entries.csv", "feedback", "grades.csv"),
    *("index.html", "learners", "results.jsonl"),
]


def names(folder: Path) -> list[str]:
    """Return the names in a folder."""
    return sorted(path.name for path in folder.iterdir())


def files(folder: Path) -> dict[str, bytes]:
    """Return the content of every file below a folder."""
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def lines(path: Path) -> list[str]:
    """Return the lines of a file."""
    return path.read_text(encoding="utf-8").splitlines()


def test_t3_out_has_report_grades_feedback_and_entries_and_is_replaced_whole(
    cohort: Path, verify: Verify
) -> None:
    code, out, _ = verify(*BATCH)
    results = cohort / "results"

    assert (code, out.splitlines()[-1]) == (1, "written: results")
    assert names(results) == ALWAYS
    assert names(results / "feedback") == ["ada.md", "eve.md", "files.csv"]
    assert [line.split(",")[0] for line in lines(results / "grades.csv")] == [
        "learner",
        "ada",
        "eve",
    ]
    assert lines(results / "entries.csv")[1].startswith("ada,ada,graded,")
    assert len(lines(results / "results.jsonl")) == 2

    before = files(results)
    (results / "grades.csv").write_text("changed", encoding="utf-8")

    assert verify("export", "--out", "results")[0] == 0
    assert files(results) == before  # the table of entries as well
    assert names(cohort) == ["cohort", "gradebook.db", "gradebook.db.lock", "results"]


def test_t3_a_folder_with_something_else_is_refused_before_anything_is_graded(
    cohort: Path, verify: Verify
) -> None:
    (cohort / "results").mkdir()
    (cohort / "results" / "notes.txt").write_text("mine", encoding="utf-8")
    code, out, err = verify(*BATCH)

    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "results contains notes.txt, which is not part of a report: move your files" in err
    assert names(cohort) == ["cohort", "results"]

    (cohort / "results" / "notes.txt").unlink()
    verify(*BATCH)
    (cohort / "results" / "feedback" / "notes.txt").write_text("mine", encoding="utf-8")

    assert "contains feedback/notes.txt" in verify("export", "--out", "results")[2]
    assert "contains checks.csv" in verify("export", "--html", "results")[2]
    assert (cohort / "results" / "feedback" / "notes.txt").read_text("utf-8") == "mine"


def test_t3_folders_that_a_platform_has_for_each_learner_are_ours_and_anything_in_them_is_not(
    cohort: Path, verify: Verify
) -> None:
    names_of = "submission_1:\n  :submitters:\n  - :name: Ada Li\n    :sid: '77'\n"
    (cohort / "cohort" / "submission_metadata.yml").write_text(names_of, encoding="utf-8")
    shutil.move(cohort / "cohort" / "ada", cohort / "cohort" / "submission_1")
    verify(*BATCH)
    place = cohort / "results" / "gradescope"

    assert names(place / "77") == ["results.json"]
    assert verify("export", "--out", "results")[0] == 0

    (place / "77" / "more").mkdir()

    assert "contains gradescope/77/more, which is not" in verify("export", "--out", "results")[2]

    (place / "77" / "more").rmdir()
    (cohort / "results" / "grades.csv").unlink()
    (cohort / "results" / "grades.csv").symlink_to(cohort / "cohort")

    assert "contains grades.csv, which is not part" in verify("export", "--out", "results")[2]


@pytest.mark.parametrize(
    ("words", "refused"),
    [
        (("--gradebook", "results/g.db"), "would also hold g.db"),
        (("--csv", "results/mine.csv"), "would also hold mine.csv"),
        (("--html", "results"), "has the same path as --html"),
        (("--site", "school"), "--site school is not an address (expected https://…)"),
    ],
)
def test_t3_what_would_be_lost_in_the_folder_is_refused(
    cohort: Path, verify: Verify, words: tuple[str, ...], refused: str
) -> None:
    code, out, err = verify(*BATCH, *words)

    assert (code, out) == (2, "")
    assert refused in err
    assert names(cohort) == ["cohort"]


def test_t3_the_file_of_the_entries_platform_is_beside_it_or_what_it_needs_is_said(
    cohort: Path, verify: Verify
) -> None:
    shutil.move(cohort / "cohort" / "ada", cohort / "cohort" / "okaforada_7_12_work")
    shutil.move(cohort / "cohort" / "eve", cohort / "cohort" / "Eve Li_34_assignsubmission_file")
    _, _, err = verify(*BATCH)

    assert names(cohort / "results") == sorted([*ALWAYS, "canvas.csv"])
    assert "--out has no moodle.csv: add --moodle-from WORKSHEET.csv to get it" in err

    sheet = "Identifier,Full name,Grade,Last modified (grade)\nParticipant 34,Eve Li,,-\n"
    (cohort / "sheet.csv").write_text(sheet, encoding="utf-8")
    code, _, err = verify("export", "--out", "results", "--moodle-from", "sheet.csv")

    assert (code, "moodle.csv:" in err) == (0, False)
    assert names(cohort / "results") == sorted([*ALWAYS, "canvas.csv", "moodle.csv"])
    assert lines(cohort / "results" / "moodle.csv")[1].startswith("Participant 34,Eve Li,")


def test_t6_a_report_from_the_gradebook_still_names_entries_that_a_person_must_look_at(
    cohort: Path, verify: Verify
) -> None:
    (cohort / "roster.csv").write_text("username\nada\neve\n", encoding="utf-8")
    (cohort / "cohort" / "who").mkdir()
    shutil.copy(__file__, cohort / "cohort" / "loose.py")  # is ignored, and needs nobody
    verify(*BATCH, "--roster", "roster.csv")
    page = (cohort / "results" / "index.html").read_text(encoding="utf-8")

    assert "<li><bdi>who: unmatched: is not on the roster</bdi></li>" in page
    assert "loose" not in page

    verify("export", "--out", "results")

    assert (cohort / "results" / "index.html").read_text(encoding="utf-8") == page

    shutil.rmtree(cohort / "cohort" / "who")
    verify(*BATCH)
    page = (cohort / "results" / "index.html").read_text(encoding="utf-8")

    assert "unmatched" not in page


@pytest.mark.parametrize("command", ["batch", "export"])
def test_t3_the_help_shows_at_most_twelve_options_and_the_folder_is_one(
    verify: Verify, command: str
) -> None:
    _, text, _ = verify(command, "--help")
    options = re.findall(r"^  (--?[a-z][\w-]*)", text, re.MULTILINE)

    assert len(options) <= 12
    assert "--out" in options


def test_t3_what_somebody_puts_into_the_folder_meanwhile_is_not_deleted(tmp_path: Path) -> None:
    place = tmp_path / "report"
    with site.replaced(str(place)):
        pass
    with pytest.raises(Unusable, match=r"contains notes\.txt"), site.replaced(str(place)):
        (place / "notes.txt").write_text("mine")

    assert ((place / "notes.txt").read_text(), names(tmp_path)) == ("mine", ["report"])
