"""Commands on a gradebook end in one line: theirs, the gradebook's, or ours."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pipeline.terminal.fault import Fault
from verify.child.limits import Interrupted, StopRun
from verify.commands.gradebook_command import gradebook_command, unknown_name
from verify.course.catalog import UnknownExercise
from verify.gradebook.store import writing
from verify.intake.table import Unusable
from verify.learner.check import UsageError

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def gradebook(tmp_path: Path) -> str:
    """Return a sound gradebook."""
    path = str(tmp_path / "g.db")
    with writing(path):
        pass
    return path


def ended(error: Exception, gradebook: str) -> int:
    @gradebook_command
    def work(**_: str) -> int:
        raise error

    return work(gradebook=gradebook)


@pytest.mark.parametrize(
    "error",
    [
        Fault,
        UsageError,
        Unusable,
        UnknownExercise,
    ],
)
def test_what_cannot_be_done_is_one_line_and_exit_code_2(
    error: type[Exception], gradebook: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code = ended(error("why\x1b[2J not"), gradebook)

    assert (code, capsys.readouterr()) == (2, ("", "verify: why\\u{1b}[2J not\n"))


@pytest.mark.parametrize(
    ("options", "kept"),
    [
        ({}, "the gradebook keeps the results so far; to continue, run the same command again"),
        (
            {"apply": True},
            "the gradebook keeps the results so far; to continue, run the same command again",
        ),
        ({"apply": False}, "nothing was written"),
        ({"gradebook": ""}, "nothing was written"),  # as `match`, which has none
    ],
)
@pytest.mark.parametrize(
    ("error", "code", "what"),
    [
        (Interrupted("2 of 3 are graded", 130), 130, "interrupted: 2 of 3 are graded"),
        (StopRun("the collection is gone"), 3, "the collection is gone"),
    ],
)
def test_a_run_that_ends_early_says_what_is_kept(
    error: Exception,
    code: int,
    what: str,
    options: dict[str, Any],
    kept: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    @gradebook_command
    def work(**_: object) -> int:
        raise error

    assert work(**{"gradebook": "g.db", **options}) == code
    assert capsys.readouterr() == ("", f"verify: {what}; {kept}\n")


def test_what_fails_on_a_sound_gradebook_is_our_fault(
    gradebook: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code = ended(KeyError("z"), gradebook)

    assert code == 3
    assert capsys.readouterr().err.startswith("verify: verify itself failed (KeyError): this is")


@pytest.mark.parametrize(
    ("name", "names", "line"),
    [
        ("zoee", ["abe", "zoe"], 'this gradebook has no learner zoee (expected "zoe")'),
        ("q", ["abe", "zoe"], 'this gradebook has no learner q (expected one of "abe", "zoe")'),
        ("q", [f"x{n}" for n in range(13)], "this gradebook has no learner q"),
        (
            "X1",
            [f"x{n}0" for n in range(13)],
            'this gradebook has no learner X1 (expected one of "x10", "x100", "x110")',
        ),
        ("\x1b", ["abe"], 'this gradebook has no learner \\u{1b} (expected "abe")'),
    ],
)
def test_a_name_that_is_not_there_is_reported_with_those_near_it(
    name: str, names: list[str], line: str
) -> None:
    assert str(unknown_name("learner", name, iter(names))) == line
