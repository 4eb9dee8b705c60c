"""The machine of a learner has the programs and the installed dependencies."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from verify.checks.prerequisites import has_folder, has_program
from verify.verdicts import PASSED, Finding, failed

if TYPE_CHECKING:
    from collections.abc import Callable

    from verify.attempt import Attempt
    from verify.model import Exercise

    AttemptOn = Callable[..., Attempt[Exercise]]


@pytest.mark.spec("1.19", "1.20")
@pytest.mark.parametrize(
    ("version", "found"), [((19, 9), "19.9"), ((3, 20), "3.20"), (None, "none on PATH")]
)
def test_an_older_or_missing_program_is_named_and_no_newer_one(
    attempt_on: AttemptOn, version: tuple[int, int] | None, found: str
) -> None:
    check = has_program("node", (20, 0))

    assert check(attempt_on({}, versions={"node": (20, 0)})) is PASSED
    assert check(attempt_on({}, versions={"node": (100, 0)})) is PASSED
    assert check(attempt_on({}, versions={"node": version})) == failed(
        Finding(
            *("node is missing or too old", "node 20.0 or newer", found),
            action="Install node 20.0 or newer, and open a new terminal.",
        )
    )


@pytest.mark.spec("1.21")
def test_a_missing_folder_is_named_with_its_place(
    attempt_on: AttemptOn, toy_exercise: Callable[..., Exercise]
) -> None:
    check, exercise = has_folder("node_modules"), toy_exercise(target="sandbox")
    there = attempt_on({"sandbox/node_modules/a/package.json": "{}"}, exercise=exercise)
    message, expected = "node_modules is missing or empty", "the installed dependencies"

    assert check(there) is PASSED
    assert check(attempt_on({}, exercise=exercise)) == failed(
        Finding(
            *(message, expected, "nothing", "sandbox/node_modules"),
            action="Run npm ci in the folder sandbox.",
        )
    )
