"""What cannot be exported is refused before anything is graded, and the instructor's files stay."""

from __future__ import annotations

import argparse
import os
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from pipeline.terminal.streams import Undelivered
from tests.unit.verify.exports.conftest import cohort_of, standing_of
from verify.commands.exporting import (
    FORMATS,
    add_exports,
    check_exports,
    platforms_of,
    repeated,
    write_exports,
)
from verify.intake.table import Unusable

if TYPE_CHECKING:
    from pathlib import Path

    from verify.gradebook.reading import Cohort

EXPORT = "Student,ID,Section,expert/04 Evidence (7)\nAda,1,A,\n"
WORKSHEET = "Identifier,Grade,Last modified (grade)\nParticipant 1,,\n"


def parsed(*arguments: str) -> tuple[tuple[str, str], ...]:
    parser = argparse.ArgumentParser(exit_on_error=False)
    add_exports(parser)
    return tuple(parser.parse_args(arguments).exports)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stand in a folder with a roster, submissions and the instructor's tables."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "roster.csv").write_text("key\n")
    (tmp_path / "link.csv").symlink_to("roster.csv")
    (tmp_path / "export.csv").write_text(EXPORT)
    (tmp_path / "worksheet.csv").write_text(WORKSHEET)
    (tmp_path / "other.txt").write_text("")
    for name in ("folder", "submissions", "given"):
        (tmp_path / name).mkdir()
    return tmp_path


def test_every_format_has_an_option_and_an_export() -> None:
    names = [each.name for each in FORMATS]
    targets = [word for name in names for word in (f"--{name}", f"x-{name}")]
    inputs = ("--canvas-from", "e.csv", "--moodle-from", "w.csv")

    assert parsed(*targets, *inputs, "--canvas-column", "week-1/04=E (7)") == (
        *((name, f"x-{name}") for name in names),
        ("canvas-from", "e.csv"),
        ("moodle-from", "w.csv"),
        ("canvas-column", "week-1/04=E (7)"),
    )
    assert parsed() == ()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--csv", ""), r"the value is empty \(expected a path\)"),
        (("--canvas-column", "expert/04"), "does not name a column"),
        (("--canvas-column", "=x\x1b"), r"=x\\u\{1b\} does not name a column"),
        (("--canvas-column", "expert/04=  "), "does not name a column"),
    ],
)
def test_a_value_that_cannot_be_meant_is_refused(words: tuple[str, ...], message: str) -> None:
    with pytest.raises(argparse.ArgumentError, match=message):
        parsed(*words)


def test_what_can_be_carried_out_is_returned(place: Path) -> None:
    words = "--csv new/deep/out.csv --feedback folder --canvas import.csv --canvas-from export.csv"
    words += " --moodle grades.csv --moodle-from worksheet.csv --gradescope one.json --json any.txt"
    options = parsed(*words.split())
    inputs = ["roster.csv", "folder/a.db"]

    exports = check_exports(options, exercises=["expert/04"], inputs=inputs)

    assert [(each.format.name, each.target, each.settings.source) for each in exports] == [
        ("csv", "new/deep/out.csv", ""),
        ("feedback", "folder", ""),
        ("canvas", "import.csv", "export.csv"),
        ("moodle", "grades.csv", "worksheet.csv"),
        ("gradescope", "one.json", ""),
        ("json", "any.txt", ""),
    ]
    assert not (place / "new").exists()
    assert check_exports([]) == ()


OVER = "would overwrite an input: choose a different path"


@pytest.mark.usefixtures("place")
@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--csv a --csv b", "--csv is given more than once: remove one"),
        ("--csv folder", "--csv folder is a folder: choose a file"),
        ("--csv new/", "--csv new/ is a folder: choose a file"),
        ("--html other.txt", "--html other.txt is a file: choose a folder"),
        ("--gradescope other.txt", "--gradescope other.txt is a file: choose a folder"),
        ("--csv other.txt/x.csv", "is not a folder that you can write to"),
        ("--csv /dev/null", "--csv /dev/null is not a regular file: choose a different path"),
        ("--html submissions", OVER),
        ("--html given", "contains thesis.tex, which is not part of a report"),
        ("--csv roster.csv", OVER),
        ("--csv ./folder/../roster.csv", OVER),
        ("--csv link.csv", OVER),
        ("--feedback submissions", OVER),
        ("--csv submissions/ada/x.csv", OVER),
        ("--feedback given", OVER),
        ("--csv a --json ./a", "--json ./a has the same path as --csv: choose a different path"),
        ("--moodle a", "--moodle needs --moodle-from: add --moodle-from WORKSHEET.csv"),
        (
            "--moodle-from worksheet.csv",
            "--moodle-from needs --moodle: add --moodle FILE, or --out DIR",
        ),
        (
            "--canvas-from export.csv",
            "--canvas-from needs --canvas: add --canvas FILE, or --out DIR",
        ),
        (
            "--canvas a --canvas-column expert/04=X",
            "--canvas-column needs --canvas-from: add --canvas-from EXPORT.csv",
        ),
        ("--moodle worksheet.csv --moodle-from worksheet.csv", OVER),
        ("--moodle a --moodle-from none.csv", "--moodle-from none.csv does not exist"),
        ("--moodle a --moodle-from export.csv", "is not a Moodle grading worksheet"),
        ("--canvas a --canvas-from worksheet.csv", "is not an export of Canvas's gradebook"),
        (
            "--canvas a --canvas-from export.csv --canvas-column expert/09=X",
            "--canvas-column names expert/09, which is not graded (expected",
        ),
        (
            (
                "--canvas a --canvas-from export.csv --canvas-column expert/04=X"
                " --canvas-column expert/04=Y"
            ),
            "--canvas-column gives expert/04 two columns: remove one",
        ),
        (
            "--canvas a --canvas-from export.csv",
            "has no columns with a title that begins with expert/01",
        ),
        ("--csv x\x1b[2J::error::x/", "--csv x\\u{1b}[2J::error::x/ is a folder"),
    ],
)
def test_what_cannot_be_carried_out_is_refused_in_one_line(words: str, message: str) -> None:
    inputs = ["roster.csv", "submissions", "given/files.csv"]
    if "thesis.tex" in message:
        with open("given/thesis.tex", "w", encoding="utf-8") as file:
            file.write("mine")
        inputs = []

    with pytest.raises(Unusable) as refused:
        check_exports(
            parsed(*words.split(" ")), exercises=["expert/04", "expert/01"], inputs=inputs
        )

    assert message in str(refused.value)
    assert str(refused.value).isprintable()


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may write everywhere")
def test_a_folder_that_is_not_writable_is_refused(place: Path) -> None:
    (place / "folder").chmod(0o500)

    with pytest.raises(Unusable, match="is not a folder that you can write to"):
        check_exports(parsed("--csv", "folder/x.csv"))


def test_what_was_written_is_reported(
    cohort: Cohort, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    exports = check_exports(parsed("--csv", "a.csv", "--feedback", "pages", "--canvas", "c.csv"))

    assert write_exports(cohort, exports) == ["a.csv", "pages", "c.csv"]
    assert all((place / name).exists() for name in ("a.csv", "pages/ada.md", "c.csv"))
    assert capsys.readouterr().err == (
        "verify: --canvas leaves out 1 learner who is not on the roster; --csv-wide includes"
        " everyone\n"
    )


def test_a_title_may_have_an_equals_sign(place: Path) -> None:
    words = (
        "--canvas",
        "c.csv",
        "--canvas-from",
        "export.csv",
        "--canvas-column",
        "expert/04= E=F (7)",
    )
    (export,) = check_exports(parsed(*words), exercises=["expert/04"])

    assert export.settings.titles == {"expert/04": "E=F (7)"}
    assert not (place / "c.csv").exists()


def test_one_file_for_several_learners_or_none_is_refused(place: Path) -> None:
    exports = check_exports(parsed("--gradescope", "results.json"))
    message = (
        r"--gradescope results\.json can have the results of only one learner: choose a folder"
    )

    for cohort in (cohort_of(standing_of("a"), standing_of("b")), cohort_of()):
        with pytest.raises(Unusable, match=message):
            write_exports(cohort, exports)
    assert not (place / "results.json").exists()

    attempts = (standing_of("a", attempt="1"), standing_of("a", attempt="2"))

    assert write_exports(cohort_of(*attempts), exports) == ["results.json"]


def test_an_older_export_is_replaced_at_once_or_stays(
    cohort: Cohort, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (place / "a.csv").write_text("older")
    exports = check_exports(parsed("--csv", "a.csv"))

    def full(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(Undelivered, match=r"--csv: a\.csv: no space left on device"):
            write_exports(cohort, exports)

    assert (place / "a.csv").read_text() == "older"
    assert not [path for path in place.iterdir() if path.name.startswith(".write-")]

    write_exports(cohort, exports)

    assert (place / "a.csv").read_text().startswith("learner,")


def test_a_term_is_exported_by_the_platforms_and_the_options_of_all_its_assignments() -> None:
    options = {
        "week-1": {"platforms": ["canvas"], "strict": False, "course": ""},
        "week-2": {"platforms": ["blackboard", "canvas"], "strict": True, "course": "/c/own"},
    }
    exercises = [SimpleNamespace(name=name) for name in options]
    cohort: Any = SimpleNamespace(exercises=exercises, options_of=options.__getitem__)

    assert platforms_of(cohort) == ["blackboard", "canvas"]
    assert repeated(cohort) == {"week-1": "", "week-2": "--course own --strict"}
