"""The learner's record: lines that people read, kept whatever else stands there."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from pipeline.bootstrap import ROOT
from verify.learner import progress
from verify.learner.progress import ProgressLine, note_run, parse

if TYPE_CHECKING:
    from pathlib import Path

NOW = "2026-11-21 19:03"
LATER = "2026-11-22 08:00"
PASSED_LINE = "foundation/01    passed  2026-11-21 19:03  8 of 8 points    runs 4"
BEGUN_LINE = "practitioner/02  begun   -                 3 of 11 points   runs 1"
LINES = {
    PASSED_LINE: ProgressLine("foundation/01", NOW, 8, 8, 4),
    BEGUN_LINE: ProgressLine("practitioner/02", "", 3, 11, 1),
}


@pytest.fixture(autouse=True)
def _at_a_fixed_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "_now", lambda: NOW)


@pytest.mark.parametrize("text", LINES)
def test_a_line_is_read_as_it_was_written_with_any_white_space(text: str) -> None:
    line = parse(text)

    assert (line, str(line)) == (LINES[text], text)
    assert parse(f"  {text.replace('  ', '    ')} \r") == line
    assert parse(f"{text}  reset 2026-11-22 08:00") == line  # as earlier versions wrote it


@pytest.mark.parametrize(
    "text",
    [
        "",
        "remember: ask Ada",
        PASSED_LINE.replace("foundation/01", "foundation/01 02"),
        PASSED_LINE.replace("2026", "\x1b[2J"),
        PASSED_LINE.replace("passed", "begun "),
        PASSED_LINE.replace(NOW, "-               "),
        PASSED_LINE.replace("runs 4", "runs 4000000"),
        PASSED_LINE.replace("runs 4", "runs \u0664"),
        f"{PASSED_LINE}  and more",
    ],
)
def test_a_line_that_is_not_ours_says_nothing_and_stays(progress_file: Path, text: str) -> None:
    progress_file.write_text(f"mine\n{text}\n")
    note_run("foundation/01", passed=True, score=1, points=8)
    line = ProgressLine("foundation/01", NOW, 1, 8, 1)

    assert parse(text) is None
    assert progress_file.read_text() == f"mine\n{text}\n{line}\n"


def test_of_two_lines_for_one_exercise_the_first_counts_and_changes(progress_file: Path) -> None:
    first, second = LINES[PASSED_LINE], LINES[PASSED_LINE]._replace(runs=9)
    progress_file.write_text(f"{first}\nmine\n{second}")
    note_run("foundation/01", passed=True, score=8, points=8)

    assert progress_file.read_text() == f"{first._replace(runs=5)}\nmine\n{second}\n"


@pytest.mark.parametrize(
    ("before", "passed", "score", "after"),
    [
        (ProgressLine("a/01"), False, 3, ProgressLine("a/01", "", 3, 8, 1)),
        (ProgressLine("a/01", "", 3, 8, 1), True, 8, ProgressLine("a/01", LATER, 8, 8, 2)),
        (ProgressLine("a/01", NOW, 8, 8, 2), True, 8, ProgressLine("a/01", NOW, 8, 8, 3)),
        (ProgressLine("a/01", NOW, 8, 8, 3), False, 2, ProgressLine("a/01", NOW, 8, 8, 4)),
        (ProgressLine("a/01", NOW, 10, 10, 3), True, 8, ProgressLine("a/01", NOW, 8, 8, 4)),
    ],
)
def test_the_first_pass_and_the_best_score_stay(
    before: ProgressLine, score: int, after: ProgressLine, *, passed: bool
) -> None:
    assert before.with_run(passed=passed, score=score, points=8, now=LATER) == after


def test_runs_are_counted_and_what_others_wrote_stays(progress_file: Path) -> None:
    progress_file.write_bytes(b"mine \xff\r\n")
    note_run("foundation/01", passed=False, score=3, points=8)
    note_run("foundation/01", passed=True, score=8, points=8)

    assert progress_file.read_bytes() == (
        b"mine \xff\r\nfoundation/01    passed  2026-11-21 19:03  8 of 8 points    runs 2\n"
    )
    assert os.listdir(progress_file.parent) == ["progress.txt"]


@pytest.mark.parametrize(
    ("nature", "sentence"),
    [
        ("link", "is a link, not a regular file"),
        ("pipe", "is a named pipe, not a regular file"),
        ("large", "is larger than the limit of 64 KiB"),
    ],
)
def test_what_is_no_record_is_neither_followed_nor_written_over(
    progress_file: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    nature: str,
    sentence: str,
) -> None:
    other = tmp_path / "other.txt"
    other.write_text("secret\n")
    if nature == "link":
        progress_file.symlink_to(other)
    elif nature == "pipe":
        os.mkfifo(progress_file)
    else:
        progress_file.write_text("x" * 65_537)
    before = progress_file.lstat()
    note_run("foundation/01", passed=True, score=8, points=8)
    after = progress_file.lstat()

    assert capsys.readouterr() == (
        "",
        f"verify: progress.txt {sentence}, so this run is not recorded\n",
    )
    assert (before.st_ino, before.st_mode, before.st_mtime_ns) == (
        *(after.st_ino, after.st_mode, after.st_mtime_ns),
    )
    assert other.read_text() == "secret\n"


def test_a_file_that_cannot_be_put_in_place_leaves_nothing_behind(
    progress_file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(source: str, destination: str) -> None:
        raise PermissionError(13, "Permission denied", source, None, destination)

    monkeypatch.setattr("os.replace", refuse)
    note_run("foundation/01", passed=True, score=8, points=8)

    assert "cannot be written: permission denied" in capsys.readouterr().err
    assert os.listdir(progress_file.parent) == []


NOTE = """
import sys
from pipeline.bootstrap import ROOT
from verify.learner import progress
progress.FILE = sys.argv[1]
sys.stdin.readline()
for _ in range(10):
    progress.note_run(sys.argv[2], passed=True, score=8, points=8)
"""


def test_runs_at_the_same_time_all_count(progress_file: Path) -> None:
    names = [f"foundation/{number:02}" for number in (1, 2)] * 2
    runs = [
        subprocess.Popen(
            [sys.executable, "-c", NOTE, str(progress_file), name], stdin=subprocess.PIPE, cwd=ROOT
        )
        for name in names
    ]
    for run in runs:
        assert run.stdin
        run.stdin.write(b"\n")
        run.stdin.flush()
    for run in runs:
        run.communicate()
    lines = progress_file.read_text().splitlines()[1:]

    assert [run.returncode for run in runs] == [0] * len(runs)
    assert {line.split()[0]: line.split()[-1] for line in lines} == dict.fromkeys(names, "20")
