"""The digest covers everything that grading imports, and changes with each part of it."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from pipeline.bootstrap import ROOT
from verify.batch import rules

if TYPE_CHECKING:
    from pathlib import Path

GRADE_EVERYTHING = """
import os, sys
from verify import catalog
from pipeline.terminal.host import no_host
from verify.catalog import issue_of
from verify.artifacts import Context
from verify.runner import grade
from verify.submission import open_folder
for level in catalog.LEVELS:
    for exercise in catalog.level(level):
        folder = f"fixtures/submissions/{level}/{exercise.number:02}-{exercise.slug}"
        for name in sorted(n for n in os.listdir(folder) if os.path.isdir(f"{folder}/{n}")):
            with open_folder(f"{folder}/{name}") as door:
                grade(Context(exercise, door, issue_of(exercise), no_host))
for name, module in sorted(sys.modules.items()):
    if name.partition(".")[0] in ("verify", "pipeline") and module.__file__:
        print(os.path.relpath(module.__file__))
"""


def test_the_digest_covers_every_module_that_grading_imports() -> None:
    done = subprocess.run(
        [sys.executable, "-c", GRADE_EVERYTHING],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    missing = set(done.stdout.split()) - set(rules.modules())

    assert {path for path in missing if not path.endswith("/__init__.py")} == set()  # docstrings


def test_where_a_module_is_changes_no_digest(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = rules.modules()
    moved = {
        path.replace("verify/checks/", "verify/rules/"): text.replace(
            "verify.checks", "verify.rules"
        )
        for path, text in texts.items()
    }
    changed = {path: text.replace("return PASSED", "return None") for path, text in texts.items()}
    digests = []
    for modules in (texts, moved, changed):
        monkeypatch.setattr(rules, "modules", lambda modules=modules: modules)
        rules.digest_of_code.cache_clear()
        digests.append(rules.digest_of_code())
    rules.digest_of_code.cache_clear()

    assert moved.keys() != texts.keys()
    assert digests[0] == digests[1] != digests[2]


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
