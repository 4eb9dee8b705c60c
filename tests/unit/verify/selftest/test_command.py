"""`verify self-test` returns 0 for a proven course, 1 for a defect, 2 and 3 as all commands do."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from verify.cli import main
from verify.selftest import command, real

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from verify.selftest.course import Course

    Toy = Callable[..., Course]

EXPERT = (
    "01 (Classify tasks into tiers), 02 (Run three tiers), 03 (Plan across domains), "
    "04 (Trace a run with evidence)"
)
PAGE = "docs/foundation/tutorials/01-toy.md"


@pytest.fixture
def on_toy(toy: Toy, monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Let the command prove the toy course; return the selections that it was asked for."""
    asked: list[object] = []
    course = toy()

    def the_toy(selection: object) -> Course:
        asked.append(selection)
        return course

    monkeypatch.setattr(command, "the_course", the_toy)
    return asked


def test_a_proven_course_is_0_and_the_time_goes_to_stderr(
    on_toy: list[object], capsys: pytest.CaptureFixture[str]
) -> None:
    code = main(["self-test"])
    shown = capsys.readouterr()

    assert (code, on_toy) == (0, [[]])
    assert "\n\nPROVEN  3 checks, 4 submissions, " in shown.out
    assert shown.err.startswith("verify: self-test took ")


def test_a_defect_is_1(
    on_toy: list[object], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / PAGE).unlink()
    words = ["--exercise", "foundation/1", "--exercise", "foundation/2", "--format", "json"]
    code = main(["self-test", *words])
    shown = json.loads(capsys.readouterr().out)

    assert (code, on_toy) == (1, [[("foundation", "1"), ("foundation", "2")]])
    assert [defect["where"] for defect in shown["defects"]] == [PAGE]


def test_an_unknown_exercise_is_2(capsys: pytest.CaptureFixture[str]) -> None:
    codes = [main(["self-test", "--exercise", name]) for name in ("beginner/01", "expert/9")]
    out, err = capsys.readouterr()

    assert (codes, out) == ([2, 2], "")
    assert err.splitlines() == [
        "verify: no level 'beginner' (expected one of foundation, practitioner, expert)",
        f"verify: no exercise '9' in expert (expected one of {EXPERT})",
    ]


def test_an_installed_copy_without_fixtures_is_2(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command, "the_course", lambda _: real.the_course(root=str(tmp_path)))
    code = main(["self-test"])

    assert (code, capsys.readouterr()) == (
        2,
        ("", f"verify: no fixtures in {tmp_path}: run it in a checkout of the course\n"),
    )


def test_a_damaged_issue_and_a_crash_are_3(
    on_toy: list[object],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "sandbox/issues/ISSUE-7.md").write_text("no title")
    damaged = main(["self-test"])
    monkeypatch.setattr(command, "prove", lambda _: 1 // 0)
    crashed = main(["self-test"])
    out, err = capsys.readouterr()

    assert (damaged, crashed, out, len(on_toy)) == (3, 3, "", 2)
    assert err.startswith("verify: the course's own files are damaged: ")
    assert "\nverify: verify itself failed (ZeroDivisionError): this is our fault; " in err
