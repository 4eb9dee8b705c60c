"""`verify override` sets a score by hand for somebody who is there, with who and why."""

from __future__ import annotations

import re
import sqlite3
from typing import TYPE_CHECKING

import pytest

from tests.unit.verify.commands.conftest import GRADE

if TYPE_CHECKING:
    from collections.abc import Callable

    Verify = Callable[..., tuple[int, str, str]]

ADA = ("override", "ada", "--exercise", "foundation/1")
WHEN = "[0-9-]{10}T[0-9:]{8}Z"


@pytest.fixture
def graded(verify: Verify, cohort: object) -> Verify:
    assert cohort
    verify(*GRADE)
    return verify


def test_a_score_is_set_replaced_withdrawn_and_listed(graded: Verify) -> None:
    first = graded(*ADA, "--score", "4.5", "--reason", "oral", "--by", "grace")
    second = graded(*ADA, "--score", "10", "--reason", " better\x1b ", "--by", "bob")
    withdrawn = graded(*ADA, "--withdraw", "--by", "eve")
    code, listed, _ = graded("override")

    assert re.fullmatch(rf"ada foundation/01: 4\.5 by grace, {WHEN}, oral\.\n", first[1])
    assert re.fullmatch(
        rf"ada foundation/01: 10 by bob, {WHEN}, better\\u\{{1b\}}\. The earlier override is"
        rf" withdrawn: 4\.5 by grace, {WHEN}, oral\.\n",
        second[1],
    )
    assert second[2] == (
        "verify: 10 is more than the 9 points of foundation/01, but counts in full\n"
    )
    assert withdrawn[1].endswith("); the score from the checks counts again.\n")
    assert (first[0], second[0], withdrawn[0], code) == (0, 0, 0, 0)
    assert [line.split(" by ")[0] for line in listed.splitlines()] == [
        "ada foundation/01: 4.5",
        "ada foundation/01: 10",
    ]
    assert [line.rpartition("(withdrawn by ")[2].split(",")[0] for line in listed.splitlines()] == [
        *("bob", "eve"),
    ]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["--score", "1", "--reason", "x"],
            "an override needs the key of a learner: verify override LEARNER",
        ),
        (["ada", "--exercise", "foundation/01"], "an override needs --exercise LEVEL/NN, and"),
        (["ada", "--score", "1"], "an override needs --exercise LEVEL/NN, and"),
        (["ada", "--withdraw"], "ada has no score set by hand, so there is nothing"),
        (
            ["ada", "--score", "1", "--exercise", "foundation/01", "--reason", " "],
            "--score needs --reason TEXT",
        ),
        (
            ["ada", "--withdraw", "--exercise", "foundation/01", "--reason", "x"],
            "--withdraw takes no --reason TEXT",
        ),
        (
            ["adda", "--score", "1", "--exercise", "foundation/01", "--reason", "x"],
            'this gradebook has no learner adda (expected "ada")',
        ),
        (
            ["ada", "--score", "1", "--exercise", "expert/04", "--reason", "x"],
            "this gradebook has no exercise expert/04",
        ),
        (
            ["ada", "--withdraw", "--exercise", "foundation/01"],
            "ada foundation/01 has no score set by hand, so there is nothing to withdraw",
        ),
    ],
)
def test_what_says_too_little_or_names_no_one_is_refused(
    graded: Verify, words: list[str], message: str
) -> None:
    code, out, err = graded("override", *words)

    assert (code, out, err.count("\n")) == (2, "", 1)
    assert message in err
    assert graded("override") == (0, "No scores have been set by hand.\n", "")


def test_an_override_that_nobody_has_withdrawn_is_listed(graded: Verify) -> None:
    graded("override", "eve", "--exercise", "foundation/01", "--score", "1", "--reason", "r")
    with sqlite3.connect("gradebook.db") as connection:
        connection.execute("UPDATE override SET withdrawn = 'x\x1b'")
    code, out, _ = graded("override")

    assert (code, out.rstrip().endswith("r (withdrawn by nobody, x\\u{1b})")) == (0, True)
