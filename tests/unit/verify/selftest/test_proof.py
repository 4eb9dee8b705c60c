"""`verify self-test` returns 0 for a proven course, 1 for a defect, 2 and 3 as all commands do."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from verify.cli import main
from verify.commands import self_test
from verify.selftest import shipped
from verify.selftest.course import Defect, Excuse
from verify.selftest.proof import Proof, Row, record, table

if TYPE_CHECKING:
    from collections.abc import Callable

    from verify.selftest.course import ProvenCourse

    Toy = Callable[..., ProvenCourse]

WHOLE = Path(__file__).parent / "whole" / "table.txt"
PAGE = "docs/foundation/tutorials/01-toy.md"
MARKED = "fixtures/submissions/foundation/01-toy/broken-marker.expected.json"
ROWS = (Row("foundation/01", 3, 4, 100, 98, 2, 0), Row("expert/01", 2, 3, 50, 50, 0, 1))
DEFECT = Defect("files", "sandbox/a\x1b.md", "stray: not an issue", "Remove it.")
EXCUSED = ((Excuse("a *", "It is right."), 1), (Excuse("b *", "It is right."), 1))


@pytest.fixture
def on_toy(toy: Toy, monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Let the command prove the toy course; return the selections that it was asked for."""
    asked: list[object] = []
    course = toy()

    def the_toy(selection: object) -> ProvenCourse:
        asked.append(selection)
        return course

    monkeypatch.setattr(self_test, "the_course", the_toy)
    return asked


def test_a_proof_is_shown_as_a_table_with_its_reasons_and_defects() -> None:
    assert table(Proof(ROWS, EXCUSED, (DEFECT,))) == WHOLE.read_text(encoding="utf-8")


def test_the_record_has_the_same_as_a_document() -> None:
    assert json.loads(record(Proof(ROWS[:1], EXCUSED[:1], (DEFECT,)))) == {
        "schema": "urn:issue-pipeline:self-test:1",
        "version": 1,
        "proven": False,
        "exercises": [ROWS[0]._asdict()],
        "excuses": [{"pattern": "a *", "reason": "It is right.", "mutants": 1}],
        "defects": [DEFECT._asdict()],
    }


def test_a_defect_is_1(
    on_toy: list[object], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / PAGE).unlink()
    words = ["--exercise", "foundation/1", "--exercise", "foundation/2", "--format", "json"]
    code = main(["self-test", *words])
    shown = json.loads(capsys.readouterr().out)

    assert (code, on_toy) == (1, [[("foundation", "1"), ("foundation", "2")]])
    assert [defect["where"] for defect in shown["defects"]] == [PAGE]


def test_an_update_shows_on_stderr_what_it_wrote_and_a_proven_course_is_0(
    on_toy: list[object], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    right = (tmp_path / MARKED).read_text()
    (tmp_path / MARKED).write_text(right.replace("8:18", "8:19"))
    codes = [main(["self-test", *words]) for words in ([], ["--update"])]
    shown = capsys.readouterr()
    changes = shown.err.partition("seconds\n")[2]

    assert (codes, on_toy) == ([1, 0], [[], []])
    assert (tmp_path / MARKED).read_text() == right
    assert "\n\nPROVEN  3 checks, 4 submissions, " in shown.out
    assert changes.startswith(f"--- {MARKED}\n+++ {MARKED}\n@@ -1,7 +1,7 @@\n {{\n")
    assert "\nverify: 1 expectation changed\nverify: self-test took" in changes


def test_an_installed_copy_without_fixtures_is_2(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(self_test, "the_course", lambda _: shipped.the_course(root=str(tmp_path)))
    codes = [main(["self-test"]), main(["self-test", "--course", str(tmp_path)])]
    out, err = capsys.readouterr()

    assert (codes, out) == ([2, 2], "")
    assert err.startswith(
        f"verify: no fixtures in {tmp_path}: run the self-test in a checkout of the course\n"
    )


def test_a_damaged_issue_and_a_crash_are_3(
    on_toy: list[object],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "sandbox/issues/ISSUE-7.md").write_text("no title")
    damaged = main(["self-test"])
    monkeypatch.setattr(self_test, "prove", lambda _: 1 // 0)
    crashed = main(["self-test"])
    out, err = capsys.readouterr()

    assert (damaged, crashed, out, len(on_toy)) == (3, 3, "", 2)
    assert err.startswith("verify: the course's own files are damaged: ")
    assert (
        "\nverify: verify itself failed (ZeroDivisionError): this is a bug, not your mistake; "
        in err
    )
