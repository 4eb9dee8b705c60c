"""The programs that the pipeline needs, by their versions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pipeline.doctor import Finding, Machine
from pipeline.doctor.programs import programs

if TYPE_CHECKING:
    from collections.abc import Callable

    Make = Callable[..., Machine]


def test_programs_that_are_new_enough_are_well(machine: Make) -> None:
    found = [(each.code, each.standing, each.found, each.advice) for each in programs(machine())]

    assert found == [
        ("python", "ok", "3.12", ""),
        ("node", "ok", "20.9", ""),
        ("npm", "ok", "10.1", ""),
        ("git", "ok", "2.43", ""),
    ]


@pytest.mark.parametrize(
    ("code", "oldest", "before"),
    [
        ("python", (3, 10), (3, 9)),
        ("node", (20, 0), (19, 9)),
        ("npm", (7, 0), (6, 14)),
        ("git", (2, 30), (2, 29)),
    ],
)
@pytest.mark.spec("1.18", "1.19", "1.20")
def test_the_oldest_version_will_do_and_the_one_before_will_not(
    machine: Make, code: str, oldest: tuple[int, int], before: tuple[int, int]
) -> None:
    standings = [
        {each.code: each.standing for each in programs(machine({code: version}))}[code]
        for version in (oldest, before)
    ]

    assert standings == ["ok", "missing"]


def test_a_program_that_is_missing_is_said_to_be_with_what_to_do(machine: Make) -> None:
    advice = "install Node.js 20.0 or newer: https://nodejs.org, or a version manager such as nvm"
    assert programs(machine({"node": None}))[1] == Finding(
        code="node",
        name="Node.js",
        standing="missing",
        found="not on PATH; 20.0 or newer is needed",
        advice=advice,
    )


def test_a_program_that_does_not_answer_is_told_apart(machine: Make) -> None:
    finding = programs(machine({"git": None}, programs=("git",)))[3]

    expected = "on PATH, but tells no version within some seconds; 2.30 or newer is needed"
    assert (finding.standing, finding.found) == ("missing", expected)
