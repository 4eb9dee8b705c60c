"""The digest changes with each part of what decides a grade, and with nothing else."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from pipeline.bootstrap import ROOT
from pipeline.protocol.validate import extension
from verify.batch import cache as rules

JOB, EXERCISE = "verify/batch/job.py", "verify/course/exercises/foundation/ex01_plan.py"
TEXTS = {
    "verify/__init__.py": "",
    JOB: """import verify.grading.runner

if TYPE_CHECKING:
    import verify.exports.base

B = 1
""",
    "verify/grading/runner.py": """def run():
    from pipeline.late import (
        anything,
    )
""",
    "verify/exports/base.py": "A = 1\n",
    "verify/course/checks/plan.py": "A = 1\n",
    "verify/course/checks/other.py": "A = 1\n",
    EXERCISE: "from verify.course.checks import plan as used\n",
    "verify/course/exercises/foundation/ex02_implement.py": "A = 1\n",
    "pipeline/late.py": "A = 1\n",
    "pipeline/limits.json": "{}",
    "pipeline/formats/x.schema.json": "{}",
    "pipeline/classify/__init__.py": "",
    "pipeline/classify/words.json": "{}",
    "pipeline/formats/README.md": "A page.\n",
    "verify/README.md": "A page.\n",
}


def digest_of(folder: Path, change: dict[str, str]) -> str:
    for name, text in (TEXTS | change).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rules, "ROOT", str(folder))
        rules.rules_digest.cache_clear()
        return rules.rules_digest("foundation/01", "")


@pytest.mark.parametrize(
    ("path", "text", "counts"),
    [
        (EXERCISE, "from verify.course.checks import other as used\n", True),
        (EXERCISE, "import verify.course.checks.other as used\n", True),
        (EXERCISE, "from verify.course.checks import plan as other\n", True),
        (JOB, "import verify.grading.runner\n\nB = 2\n", True),
        ("verify/__init__.py", "A = 1\n", True),
        ("verify/course/checks/plan.py", "A = 2\n", True),
        ("pipeline/late.py", "A = 2\n", True),
        ("pipeline/limits.json", "[]", True),
        ("pipeline/formats/x.schema.json", "[]", True),
        ("verify/course/checks/other.py", "A = 2\n", False),
        ("verify/exports/base.py", "A = 2\n", False),
        ("verify/course/exercises/foundation/ex02_implement.py", "A = 2\n", False),
        ("pipeline/classify/words.json", "[]", False),
        ("pipeline/formats/README.md", "A page.\n\n", False),
        ("verify/README.md", "A page.\n\n", False),
    ],
)
def test_t3_unchanged_is_the_text_of_the_modules_that_grading_imports(
    path: str, text: str, *, counts: bool, tmp_path: Path
) -> None:
    before = digest_of(tmp_path / "before", {})
    after = digest_of(tmp_path / "after", {path: text})

    assert (after != before) is counts


def test_t3_a_course_counts_with_the_modules_of_the_project_that_it_imports(tmp_path: Path) -> None:
    course = tmp_path / "course"
    (course / "exercises").mkdir(parents=True)
    (course / "exercises" / "ex01_a.py").write_text("from verify.course.checks import other\n")
    digests = []
    for number, path in enumerate(
        ["", "verify/course/checks/other.py", "verify/course/checks/plan.py"]
    ):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(rules, "ROOT", str(tmp_path / str(number)))
            digest_of(tmp_path / str(number), {path: "A = 2\n"} if path else {})
            digests.append(digest(course))

    assert digests[1] != digests[0]
    assert digests[2] == digests[0]


IMPORTED = """
import sys
from verify.course import catalog
import verify.batch.job
for name in catalog.levels():
    catalog.level(name)
own = ("pipeline.", "verify.")
print(*(each.__file__ for name, each in sys.modules.items() if name.startswith(own)), sep="\\n")
"""


def test_every_module_that_grading_imports_is_part_of_the_digest() -> None:
    done = subprocess.run(
        [sys.executable, "-c", IMPORTED], cwd=ROOT, capture_output=True, text=True, check=True
    )
    files = Path(ROOT, "verify", "course", "exercises").glob("*/ex*.py")
    exercises = [f"verify.course.exercises.{file.parent.name}.{file.stem}" for file in files]
    counted = rules.modules(["verify.batch.job", *exercises])

    assert set(done.stdout.split()) - set(counted) == set()


@pytest.fixture
def course(tmp_path: Path) -> Path:
    (tmp_path / "exercises").mkdir()
    (tmp_path / "exercises" / "ex01.py").write_text("A = 1\n")
    (tmp_path / "helpers").mkdir()
    (tmp_path / "helpers" / "shared.py").write_text('NAMES = "../data/names.csv"\n')
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "names.csv").write_text("a\n")
    return tmp_path


def digest(course: Path) -> str:
    rules.rules_digest.cache_clear()
    return rules.rules_digest("week/01", "", str(course))


@pytest.mark.parametrize(
    "change", ["content", "name", "new", "gone", "data", "schema", "helper", "words"]
)
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
    elif change == "helper":
        (course / "helpers" / "shared.py").write_text("A = 2\n")
    elif change == "words":
        (course / "data" / "names.csv").write_text("b\n")
    elif change == "data":
        (course / "exercises" / "words.txt").write_text("may\n")
    else:
        (course / "artifacts").mkdir()
        (course / "artifacts" / "retro.schema.json").write_text("{}")

    assert digest(course) != before


def test_what_decides_no_grade_leaves_the_digest(course: Path) -> None:
    before = digest(course)
    for name in ("docs/01-plan.md", "fixtures/week/01/solved/plan.json", "README.md", "marks.csv"):
        os.makedirs(os.path.dirname(course / name), exist_ok=True)
        (course / name).write_text("[]")
    (course / "exercises" / "__pycache__").mkdir()
    (course / "exercises" / "__pycache__" / "ex01.cpython-311.pyc").write_bytes(b"")

    assert digest(course) == before


def test_the_versions_are_part_of_the_digest(monkeypatch: pytest.MonkeyPatch) -> None:
    rules.rules_digest.cache_clear()
    before = rules.rules_digest("foundation/01", "")
    monkeypatch.setattr(extension(), "__version__", "0.0.0")
    rules.rules_digest.cache_clear()
    after = rules.rules_digest("foundation/01", "")
    rules.rules_digest.cache_clear()

    assert after != before
