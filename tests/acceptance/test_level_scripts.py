"""The levels' scripts grade from any working directory and in every format."""

from __future__ import annotations

import os
import shlex
from typing import TYPE_CHECKING

import pytest

from pipeline.bootstrap import ROOT
from verify.course import catalog

if TYPE_CHECKING:
    from pathlib import Path

    from tests.acceptance.conftest import PathOf, Run

SOLVED = "practitioner/02-delegate/solved"
BROKEN = "practitioner/02-delegate/broken-order"


@pytest.mark.spec("4.13")
@pytest.mark.parametrize("level", catalog.LEVELS)
def test_a_script_lists_its_level_and_the_next_exercise(
    run: Run, script: PathOf, tmp_path: Path, level: str
) -> None:
    done = run(script(level), "--project", str(tmp_path))
    first = catalog.level(level)[0]
    command = f"python3 docs/{level}/tutorials/verify.py --exercise 01 --project {tmp_path}"

    assert done.stdout.startswith(f"{level}: 0 of 4 exercises passed\n\nexercise  ")
    assert done.stdout.endswith(f"\n\nNext, {level}/01 - {first.title}:\n  {command}\n")
    assert (done.returncode, done.stderr) == (1, "")


@pytest.mark.spec("4.1", "4.11", "4.12")
@pytest.mark.parametrize("cwd", ["{tmp}", f"{ROOT}/docs/practitioner/tutorials"])
def test_an_exercise_is_graded_from_any_working_directory(
    run: Run, script: PathOf, fixture: PathOf, tmp_path: Path, cwd: str
) -> None:
    here = cwd.format(tmp=tmp_path)
    relative = os.path.relpath(script("practitioner"), here)
    graded = [
        run(relative, "--exercise", "02", "--project", os.path.relpath(path, here), cwd=here)
        for path in (fixture(SOLVED), fixture(BROKEN))
    ]
    headings = {done.stdout.partition("\n")[0] for done in graded}

    assert headings == {"practitioner/02 - Delegate the plan - ISSUE-201"}
    assert [(done.returncode, done.stderr) for done in graded] == [(0, ""), (1, "")]


def test_the_command_that_is_suggested_can_be_run(
    run: Run, script: PathOf, fixture: PathOf, tmp_path: Path
) -> None:
    project = tmp_path / "a folder's \u00e9t\u00e9"
    project.symlink_to(fixture(SOLVED))
    first = run(
        script("practitioner"), "--exercise", "2", "--project", project.name, cwd=str(tmp_path)
    )
    python, *words = shlex.split(first.stdout.rpartition(":\n  ")[2])
    second = run(*words, cwd=str(tmp_path))

    assert python == "python3"
    assert second.stdout.startswith("practitioner/03 - ")
