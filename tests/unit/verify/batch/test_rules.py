"""The digest changes with each part of what decides a grade, and with nothing else."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from verify.batch import rules

if TYPE_CHECKING:
    from pathlib import Path


def test_a_change_of_the_code_is_another_digest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    digests = []
    for text in ("A = 1\n", "A = 2\n"):
        for name in ("pipeline", "verify"):
            os.makedirs(tmp_path / name, exist_ok=True)
            (tmp_path / name / "made.py").write_text(text)
            monkeypatch.setattr(rules, "ROOT", str(tmp_path))
            rules.digest_of_code.cache_clear()
            digests.append(rules.digest_of_code())
    rules.digest_of_code.cache_clear()

    assert len(set(digests)) == 4


@pytest.fixture
def course(tmp_path: Path) -> Path:
    (tmp_path / "exercises").mkdir()
    (tmp_path / "exercises" / "ex01.py").write_text("A = 1\n")
    return tmp_path


def digest(course: Path) -> str:
    rules.digest_of_code.cache_clear()
    return rules.digest_of_code(str(course))


@pytest.mark.parametrize("change", ["content", "name", "new", "gone", "data", "schema"])
def test_a_change_of_the_course_is_another_digest(course: Path, change: str) -> None:
    before = digest(course)
    file = course / "exercises" / "ex01.py"
    if change == "content":
        file.write_text("A = 2\n")
    elif change == "name":
        file.rename(course / "exercises" / "ex02.py")
    elif change == "new":
        (course / "exercises" / "ex02.py").write_text("")
    elif change == "gone":
        file.unlink()
    elif change == "data":
        (course / "exercises" / "words.txt").write_text("may\n")
    else:
        (course / "artifacts").mkdir()
        (course / "artifacts" / "retro.schema.json").write_text("{}")

    assert digest(course) != before


def test_what_decides_no_grade_leaves_the_digest(course: Path) -> None:
    before = digest(course)
    for name in ("docs/01-plan.md", "fixtures/week/01/solved/plan.json", "README.md"):
        os.makedirs(os.path.dirname(course / name), exist_ok=True)
        (course / name).write_text("[]")
    (course / "exercises" / "__pycache__").mkdir()
    (course / "exercises" / "__pycache__" / "ex01.cpython-311.pyc").write_bytes(b"")

    assert digest(course) == before


def test_the_versions_are_part_of_the_digest(monkeypatch: pytest.MonkeyPatch) -> None:
    rules.digest_of_code.cache_clear()
    before = rules.digest_of_code()
    monkeypatch.setattr("pydantic_core.__version__", "0.0.0")
    rules.digest_of_code.cache_clear()
    after = rules.digest_of_code()
    rules.digest_of_code.cache_clear()

    assert after != before
