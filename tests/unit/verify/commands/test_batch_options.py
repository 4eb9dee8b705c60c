"""The words of `verify batch` become what it is asked for, or one line that refuses them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from verify.commands.batch_options import add_batch, exercise_name, job_count

if TYPE_CHECKING:
    from collections.abc import Callable

    Parsed = Callable[..., dict[str, Any]]


def test_what_is_not_said_is_as_documented(parsed: Parsed) -> None:
    options = parsed(add_batch, "batch", "cohort", "--exercise", "expert/04")
    later = {"provenance", "witness_key", "time_limit", "memory_limit"}

    assert {name: value for name, value in options.items() if name not in later} == {
        "sources": ["cohort"],
        "exercises": ["expert/04"],
        "exports": [],
        "gradebook": "gradebook.db",
        "roster": None,
        "keep_roster": True,
        "attempts": "latest",
        "naming": "",
        "target": None,
        "issue": None,
        "strict": False,
        "course": "",
        "resume": True,
        "jobs": None,
        "scheduler": None,
        "quiet": False,
    }


def test_everything_can_be_said(parsed: Parsed) -> None:
    words = [
        *("a", "b.zip", "--exercise", "expert/04", "--exercise", "week-1/1", "--no-roster"),
        *("--attempts", "all", "--naming", "moodle", "--target", "./app/"),
        *("--issue", "ISSUE-7", "--strict", "--course", "mine", "--gradebook", "g.db"),
        *("--no-resume", "--jobs", "4", "--quiet", "--csv", "g.csv"),
    ]
    options = parsed(add_batch, "batch", *words)

    assert (options["sources"], options["exercises"]) == (["a", "b.zip"], ["expert/04", "week-1/1"])
    assert (options["keep_roster"], options["attempts"], options["naming"]) == (
        *(False, "all", "moodle"),
    )
    assert (options["target"], options["issue"]) == ("app", "ISSUE-7")
    assert (options["strict"], options["course"], options["gradebook"]) == (True, "mine", "g.db")
    assert (options["resume"], options["jobs"]) == (False, 4)
    assert (options["quiet"], options["exports"]) == (True, [("csv", "g.csv")])


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--exercise", "expert/04"], "the following arguments are required: SOURCE"),
        (["cohort"], "the following arguments are required: --exercise"),
        (["c", "--exercise", "4"], "4 is not an exercise (expected LEVEL/NN, such as expert/04)"),
        (["c", "--exercise", "a/b/c"], "a/b/c is not an exercise"),
        (["c", "--exercise", "e/1", "--jobs", "0"], "0 is no number of processes (expected 1 to"),
        (["c", "--exercise", "e/1", "--jobs", "9" * 99], "is no number of processes"),
        (["c", "--exercise", "e/1", "--jobs", "\u0663"], "is no number of processes"),
        (["c", "--exercise", "e/1", "--target", "../x"], "is not a folder within the submission"),
        (["c", "--exercise", "e/1", "--issue", "../x"], "../x is not an issue id"),
        (["c", "--exercise", "e/1", "--naming", "x"], "invalid choice"),
        (
            ["c", "--exercise", "e/1", "--jobs", "2", "--scheduler", "tcp://x"],
            "not allowed with argument",
        ),
        (
            ["c", "--exercise", "e/1", "--roster", "r", "--no-roster"],
            "not allowed with argument",
        ),
    ],
)
def test_what_makes_no_sense_is_refused(
    parsed: Parsed, capsys: pytest.CaptureFixture[str], words: list[str], told: str
) -> None:
    with pytest.raises(SystemExit) as ended:
        parsed(add_batch, "batch", *words)
    line = capsys.readouterr().err

    assert (ended.value.code, told in line, line.count("\n")) == (2, True, 1)


def test_names_and_counts_are_read_as_they_are_written() -> None:
    assert (exercise_name("expert/4"), job_count("007"), job_count("1024")) == ("expert/4", 7, 1024)
