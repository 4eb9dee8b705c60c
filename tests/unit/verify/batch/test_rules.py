"""The digest changes with each part of what decides a grade, and with nothing else."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from pipeline.bootstrap import ROOT
from pipeline.protocol.validate import extension
from verify.batch import cache as rules

if TYPE_CHECKING:
    from pathlib import Path


def digest_of_files(folder: Path, files: dict[str, str]) -> str:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rules, "ROOT", str(folder))
        rules.digest_of_code.cache_clear()
        found = rules.digest_of_code()
    rules.digest_of_code.cache_clear()
    return found


USED = "from verify.limits import (\n    A,\n)\nB = A\n"


def test_a_change_of_the_code_is_another_digest_but_not_where_a_module_is(tmp_path: Path) -> None:
    before, moved, changed, unrelated = (
        digest_of_files(tmp_path / str(index), files)
        for index, files in enumerate(
            [
                {"verify/limits.py": "A = 1\n", "verify/used.py": USED},
                {
                    "pipeline/limits.py": "A = 1\n",
                    "verify/used.py": "from pipeline.limits import A\nB = A\n",
                },
                {"verify/limits.py": "A = 2\n", "verify/used.py": USED},
                {
                    "verify/limits.py": "A = 1\n",
                    "verify/used.py": USED,
                    "verify/exports/made.py": "C = 1\n",
                },
            ]
        )
    )

    assert (moved, unrelated) == (before, before)
    assert changed != before


IMPORTED = """
import sys
from verify import catalog
import verify.batch.kernel
for name in catalog.levels():
    catalog.level(name)
own = ("pipeline.", "verify.")
print(*(each.__file__ for name, each in sys.modules.items() if name.startswith(own)), sep="\\n")
"""


def test_every_module_that_grading_imports_is_part_of_the_digest() -> None:
    done = subprocess.run(
        [sys.executable, "-c", IMPORTED], cwd=ROOT, capture_output=True, text=True, check=True
    )

    assert set(done.stdout.split("\n")) - set(rules.modules()) <= {""}


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
    monkeypatch.setattr(extension(), "__version__", "0.0.0")
    rules.digest_of_code.cache_clear()
    after = rules.digest_of_code()
    rules.digest_of_code.cache_clear()

    assert after != before
