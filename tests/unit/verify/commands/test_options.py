"""The words of the cohort's commands become what is asked for, or one line that refuses them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    Parsed = Callable[..., dict[str, Any]]

BATCH = ("batch", "c", "--exercise", "e/1")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ("batch", "a", "b.zip", "--exercise", "expert/4", "--exercise", "week-1/1"),
            {"sources": ["a", "b.zip"], "exercises": [("expert", "4"), ("week-1", "1")]},
        ),
        (
            (*BATCH, "--no-roster", "--attempts", "all", "--layout", "moodle", "--no-resume"),
            {"keep_roster": False, "attempts": "all", "layout": "moodle", "resume": False},
        ),
        (
            (*BATCH, "--target", "./app/", "--issue", "ISSUE-7", "--strict", "--course", "mine"),
            {"target": "app", "issue": "ISSUE-7", "strict": True, "course": "mine"},
        ),
        (
            (*BATCH, "--gradebook", "g.db", "--jobs", "007", "--quiet", "--csv", "g.csv"),
            {"gradebook": "g.db", "jobs": 7, "quiet": True, "exports": [("csv", "g.csv")]},
        ),
        (
            ("regrade", "--exercise", "expert/04", "--apply", "--jobs", "1"),
            {"exercises": [("expert", "04")], "apply": True, "jobs": 1},
        ),
        (
            (
                "override",
                "zoe",
                "--exercise",
                "e/1",
                "--score",
                "4.5",
                "--reason",
                "x",
                "--by",
                "a",
            ),
            {"learner": "zoe", "exercise": ("e", "1"), "score": 4.5, "reason": "x", "by": "a"},
        ),
        (("override", "zoe", "--withdraw"), {"learner": "zoe", "withdraw": True}),
        (("export", "--csv", "a.csv"), {"exports": [("csv", "a.csv")]}),
        (("new-course", "mine"), {"folder": "mine"}),
    ],
    ids=" ".join,
)
def test_everything_can_be_said(
    parsed: Parsed, words: tuple[str, ...], said: dict[str, Any]
) -> None:
    options = parsed(*words)

    assert {name: options[name] for name in said} == said


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((*BATCH, "--assignment", "expert/04=X (1)"), "use --canvas-column"),
        (
            ("batch", "c", "--exercise", "a/b/c"),
            "a/b/c is not an exercise (expected LEVEL/NN, such",
        ),
        ((*BATCH, "--jobs", "0"), "0 is not a number of processes (expected 1 to 1024)"),
        ((*BATCH, "--jobs", "9" * 99), "is not a number of processes"),
        ((*BATCH, "--target", "../x"), "is not a folder within the submission"),
        ((*BATCH, "--issue", "../x"), "../x is not an issue id"),
        ((*BATCH, "--jobs", "2", "--scheduler", "tcp://x"), "not allowed with argument"),
        ((*BATCH, "--roster", "r", "--no-roster"), "not allowed with argument"),
        (
            (*BATCH, "--time-limit", "1e9"),
            "1e9 is not a time limit (expected 0.1 to 99999 seconds)",
        ),
        (
            (*BATCH, "--memory-limit", "1"),
            "1 is not a memory limit (expected 30 to 999999 megabytes)",
        ),
        (
            ("override", "zoe", "--score", "nan"),
            "nan is not a score (expected at least 0, such as 4.5)",
        ),
        (("override", "zoe", "--score", "1_5"), "1_5 is not a score"),
        ((*BATCH, "--jobs", "1_0"), "1_0 is not a number of processes"),
        (("override", "zoe", "--score", "1e999"), "1e999 is not a score"),
        (("override", "zoe", "--score=-1"), "-1 is not a score"),
        (("override", "zoe", "--score", "1", "--withdraw"), "not allowed with argument"),
        (("new-course",), "the following arguments are required"),
    ],
)
def test_what_makes_no_sense_is_refused(
    parsed: Parsed, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], message: str
) -> None:
    with pytest.raises(SystemExit) as ended:
        parsed(*words)
    line = capsys.readouterr().err

    assert (ended.value.code, message in line, line.count("\n")) == (2, True, 1)
