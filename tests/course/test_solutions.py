"""Every solution that the course names passes the exercise that names it, taken as it is."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.stubs.solutions import taken_literally
from verify.cli import main
from verify.course import catalog

if TYPE_CHECKING:
    from pathlib import Path

    from verify.grading.model import Exercise

EXERCISES = list(catalog.exercises())
SOLVED = [exercise for exercise in EXERCISES if exercise.solution]


@pytest.mark.parametrize("exercise", SOLVED, ids=[exercise.name for exercise in SOLVED])
def test_t9_a_solution_passes_the_exercise_that_names_it(
    exercise: Exercise, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copy = tmp_path / "copy"
    taken_literally(exercise, copy)
    words = [f"{exercise.level}/{exercise.number:02}", "--project", str(copy), "--format", "json"]
    code = main([*words, "--strict"])
    report = json.loads(capsys.readouterr().out)
    (graded,) = report["exercises"]
    results = graded["checks"]

    outcomes = [check["outcome"] for check in results]
    criteria = len(catalog.asking(exercise, tests=False).checks) - len(
        exercise.checks
    )  # asked with --run only
    assert outcomes == ["pass"] * len(exercise.checks) + ["not checked"] * criteria
    assert code == 0


def test_t9_every_exercise_but_the_set_up_and_the_publication_names_a_solution() -> None:
    others = [exercise.name for exercise in EXERCISES if not exercise.solution]

    assert others == ["foundation/03", "practitioner/01"]
