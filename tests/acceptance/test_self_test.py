"""`verify self-test` proves the course of this checkout, and says what it looked at."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from tests.acceptance.conftest import VERIFY

if TYPE_CHECKING:
    from tests.acceptance.conftest import Run

LAST = re.compile(
    r"PROVEN  (\d+) checks, (\d+) submissions, (\d+) mutants: (\d+) killed, (\d+) excused\n"
)
CHEATERS = re.compile(
    r"verify: (no cheater was run: .+|[67] of \d{3} cheaters were run: 0 with full points)\n"
    r"verify: self-test took \d+\.\d seconds\n"
)


def test_the_course_is_proven(run: Run) -> None:
    done = run(*VERIFY, "self-test")
    counts = LAST.fullmatch(done.stdout.rpartition("\n\n")[2])

    assert counts is not None, done.stdout
    checks, submissions, mutants, killed, excused = map(int, counts.groups())
    assert done.returncode == 0
    assert CHEATERS.fullmatch(done.stderr)
    assert (checks, submissions) >= (165, 186)
    assert mutants == killed + excused
    assert killed > 9_000


def test_a_part_of_the_course_is_proven_as_a_document_the_same_each_time(run: Run) -> None:
    words = (*VERIFY, "self-test", "--exercise", "foundation/03", "--format", "json")
    done = run(*words)
    shown = json.loads(done.stdout)

    assert (shown["proven"], shown["defects"]) == (True, [])
    assert [(row["exercise"], row["checks"]) for row in shown["exercises"]] == [
        ("foundation/03", 10)
    ]
    assert run(*words, env={"PYTHONHASHSEED": "7", "COLUMNS": "40"}).stdout == done.stdout
