"""Generated files are written or compared, and none may say that the course is not proven."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tools import generate

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

PATH = "docs/page.md"
WROTE = f"wrote {PATH}\n"
STALE = f"{PATH} is out of date: run python tools/generate.py\n"
FAILS = f"{PATH} quotes a self-test that fails: run python3 -m verify self-test\n"


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, list[str]], int]:
    """Return what generates one page with a text, and the command's exit code."""

    def run(text: str, options: list[str]) -> int:
        monkeypatch.setattr(generate, "ROOT", str(tmp_path))
        monkeypatch.setattr(generate, "generated", lambda: iter([(PATH, text)]))
        return generate.main(options)

    return run


@pytest.mark.parametrize(
    ("text", "options", "expected"),
    [
        ("PROVEN  8 checks", [], (0, WROTE)),
        ("PROVEN  8 checks", ["--check"], (1, STALE)),
        ("NOT PROVEN  1 defect", [], (1, FAILS + WROTE)),
    ],
)
def test_a_page_that_says_not_proven_ends_with_1(
    text: str,
    options: list[str],
    expected: tuple[int, str],
    write: Callable[[str, list[str]], int],
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert (write(text, options), capsys.readouterr().out) == expected
