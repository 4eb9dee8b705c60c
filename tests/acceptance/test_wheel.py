"""What the package can do without the course, from its wheel; the rest says what it needs."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from pipeline.bootstrap import ROOT

PLAN = Path(ROOT, "fixtures", "solutions", "ISSUE-101", "plan.json")
NEEDS_THE_COURSE = (
    "verify: the course is not here, only its package: run this in a clone of the course, or name "
    "your own course with --course DIR and the work with --project DIR\n"
)

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder in which the wheel is unpacked, as pip would."""
    folder = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "-q"]
    subprocess.run([*pip, "wheel", "--no-deps", "-w", folder, ROOT], check=True)
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "site-packages")
    return folder / "site-packages"


def run(installed: Path, folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PYTHONPATH": str(installed)}
    return subprocess.run(
        [sys.executable, "-m", *words],
        check=False,
        cwd=folder,
        env=env,
        capture_output=True,
        text=True,
    )


def test_a_wheel_has_its_types_and_validates(installed: Path, tmp_path: Path) -> None:
    done = run(installed, tmp_path, "pipeline.schema", "--validate", str(PLAN))

    assert (installed / "pipeline" / "py.typed").is_file()
    assert (installed / "verify" / "py.typed").is_file()
    assert (done.returncode, done.stdout, done.stderr) == (0, "OK\n", "")


def test_a_course_of_ones_own_is_written_and_graded_from_a_wheel(
    installed: Path, tmp_path: Path
) -> None:
    solved = "mine/fixtures/basics/01-plan/solved"
    made = run(installed, tmp_path, "verify", "new-course", "mine")
    proof = run(installed, tmp_path, "verify", "self-test", "--course", "mine")
    graded = run(
        installed, tmp_path, "verify", "basics/01", "--course", "mine", "--project", solved
    )

    assert [done.returncode for done in (made, proof, graded)] == [0, 0, 0]
    assert "PASSED  5 of 5 points" in graded.stdout


@pytest.mark.parametrize(
    "words",
    ["", "list", "next", "pack", "foundation/01", "expert/01", "reset foundation/01"],
)
def test_what_needs_the_course_says_so(installed: Path, tmp_path: Path, words: str) -> None:
    done = run(installed, tmp_path, "verify", *words.split())

    assert (done.returncode, done.stdout, done.stderr) == (2, "", NEEDS_THE_COURSE)
