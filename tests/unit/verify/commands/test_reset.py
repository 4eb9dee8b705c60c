"""An exercise begins again: what was there is moved aside, and only one's own reset is noted."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

import pytest

from pipeline.bootstrap import ROOT
from verify.commands.reset import reset
from verify.progress import Line, known, note_run

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def _in_the_repository(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Return a copy of a solved exercise."""
    source = os.path.join(ROOT, "fixtures", "submissions", "foundation", "02-implement", "solved")
    return shutil.copytree(source, tmp_path / "work")


def test_with_nothing_submitted_nothing_is_moved(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert reset(selection=("foundation", "1"), project=str(tmp_path)) == 0
    assert capsys.readouterr() == (
        "foundation/01: nothing is there yet, so nothing was moved.\n",
        "",
    )


@pytest.mark.parametrize(
    ("level", "number", "project_", "sentence"),
    [
        ("foundation", "9", ".", "no exercise '9' in foundation (expected one of 01 ("),
        ("foundation", "1", "/missing", "--project /missing does not exist\n"),
        ("foundation", "1", "README.md", "--project README.md is not a folder\n"),
    ],
)
def test_what_cannot_be_reset_is_refused_in_one_line(
    capsys: pytest.CaptureFixture[str], level: str, number: str, project_: str, sentence: str
) -> None:
    code = reset(selection=(level, number), project=project_)
    out, err = capsys.readouterr()

    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith(f"verify: {sentence}")


def test_only_a_reset_of_the_learners_own_work_is_noted(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    note_run("foundation/01", passed=True, score=8, points=8)
    note_run("foundation/02", passed=True, score=10, points=10)
    monkeypatch.setattr("verify.check.ROOT", str(project))  # as if it were the course
    reset(selection=("foundation", "1"), project=None)
    reset(selection=("foundation", "2"), project=str(project))
    lines = known()

    assert lines["foundation/01"] == Line(
        "foundation/01", lines["foundation/01"].passed, 8, 8, 1, lines["foundation/01"].reset
    )
    assert [bool(lines[f"foundation/0{number}"].reset) for number in (1, 2)] == [True, False]
