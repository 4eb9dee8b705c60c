"""The Python packages, looked for and not imported."""

from __future__ import annotations

import re
from importlib.metadata import requires
from typing import TYPE_CHECKING

from pipeline.doctor.packages import HEADLESS, OWN, packages

if TYPE_CHECKING:
    from collections.abc import Callable

    from pipeline.doctor import Machine

    Make = Callable[..., Machine]


def test_packages_that_are_there_are_well(machine: Make) -> None:
    found = [(each.code, each.standing, each.advice) for each in packages(machine())]

    assert found == [("packages", "ok", ""), ("headless", "ok", "")]


def test_missing_packages_are_named_with_the_command_that_sets_up(machine: Make) -> None:
    own = packages(machine(lacking=("filelock", "pydantic")))[0]

    assert (own.standing, own.found) == ("missing", "not installed: filelock, pydantic")
    assert own.advice == "python3 start.py setup"


def test_the_extra_for_headless_runs_is_a_note(machine: Make) -> None:
    headless = packages(machine(lacking=("acp",)))[1]

    assert (headless.standing, headless.found) == ("note", "not installed: agent-client-protocol")
    assert headless.advice.endswith(": python3 start.py headless")


def test_the_packages_are_those_that_the_project_declares() -> None:
    declared = requires("issue-pipeline-course") or []
    names = {re.split(r"[^\w-]", line)[0].replace("-", "_"): line for line in declared}
    own = {name for name, line in names.items() if "extra ==" not in line} - {"tomli"}
    headless = {name for name, line in names.items() if re.search("extra == .headless", line)}

    assert {name.lower() for name in own} == {name.lower() for name in OWN.values()} - {"tomli"}
    assert headless == {package.replace("-", "_") for package in HEADLESS.values()}
