"""tools/generate.py: drift of a generated file is noticed (.ci/run checks all of them)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tools import generate

if TYPE_CHECKING:
    import pytest

ROOT = Path(__file__).resolve().parents[3]
PLAN = "docs/reference/schemas/plan.schema.json"


def test_the_schemas_are_up_to_date_and_one_that_was_edited_by_hand_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    read = generate._read  # noqa: SLF001  # what is on disk
    for quoting in ("cohort_files", "pages"):
        monkeypatch.setattr(generate, quoting, tuple)  # what runs the commands takes minutes
    monkeypatch.setattr(generate, "commands_page", lambda: read("docs/reference/commands.md"))
    monkeypatch.setattr(generate, "readme_picture", lambda: read("docs/images/verify-table.svg"))
    before = generate.main(["--check"]), capsys.readouterr().out
    monkeypatch.setattr(generate, "_read", lambda path: "{}" if path == PLAN else read(path))

    assert before == (0, "")
    assert generate.main(["--check"]) == 1
    assert capsys.readouterr().out == f"{PLAN} is out of date: run python tools/generate.py\n"


def test_the_readmes_picture_loads_nothing_from_anywhere() -> None:
    picture = (ROOT / "docs" / "images" / "verify-table.svg").read_text(encoding="utf-8")

    assert "url(" not in picture.replace("url(#", "")
