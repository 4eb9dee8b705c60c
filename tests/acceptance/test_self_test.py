"""`verify self-test` proves the course of this checkout, and says what it looked at."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable

    Run = Callable[..., subprocess.CompletedProcess[str]]

# as the console script does, which a checkout that is not installed lacks
WORDS = ("-c", "import sys; from verify.cli import main; sys.exit(main())", "self-test")
LAST = re.compile(
    r"PROVEN  (\d+) checks, (\d+) submissions, (\d+) mutants: (\d+) killed, (\d+) excused\n"
)


def test_the_course_is_proven(run: Run) -> None:
    done = run(*WORDS)
    counts = LAST.fullmatch(done.stdout.rpartition("\n\n")[2])

    assert counts is not None, done.stdout
    checks, submissions, mutants, killed, excused = map(int, counts.groups())
    assert done.returncode == 0
    assert re.fullmatch(r"verify: self-test took \d+\.\d seconds\n", done.stderr)
    assert (checks, submissions) >= (141, 155)
    assert mutants == killed + excused > 7_000
    assert excused < mutants / 20


def test_a_part_of_the_course_is_proven_as_a_document(run: Run) -> None:
    done = run(*WORDS, "--exercise", "foundation/03", "--format", "json")
    shown = json.loads(done.stdout)
    (row,) = shown.pop("exercises")

    assert shown == {
        "schema": "urn:issue-pipeline:self-test:1",
        "version": 1,
        "proven": True,
        "excuses": [],
        "defects": [],
    }
    assert (row["exercise"], row["checks"], row["killed"]) == ("foundation/03", 9, row["mutants"])


def test_the_proof_is_the_same_each_time(run: Run) -> None:
    words = (*WORDS, "--exercise", "practitioner/01", "--exercise", "foundation/04")

    assert run(*words).stdout == run(*words, env={"PYTHONHASHSEED": "7", "COLUMNS": "40"}).stdout
