"""What is found on machines that have what a test says."""

from __future__ import annotations

import re
from importlib.metadata import requires
from typing import TYPE_CHECKING

import pytest

from pipeline.doctor import Finding, Machine
from pipeline.doctor.clients import clients
from pipeline.doctor.node_modules import node_modules
from pipeline.doctor.packages import HEADLESS, OWN, packages
from pipeline.doctor.programs import programs

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Make = Callable[..., Machine]


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
        for version in (oldest, before, None)
    ]

    assert standings == ["ok", "missing", "missing"]


def test_missing_packages_are_named_with_the_command_that_sets_up(machine: Make) -> None:
    own, headless = packages(machine(lacking=("filelock", "pydantic", "acp")))

    assert (own.standing, own.found) == ("missing", "not installed: filelock, pydantic")
    assert own.advice == "python3 start.py setup"
    assert (headless.standing, headless.found) == ("note", "not installed: agent-client-protocol")
    assert headless.advice.endswith(": python3 start.py headless")


def test_the_packages_are_those_that_the_project_declares() -> None:
    declared = requires("issue-pipeline-course") or []
    names = {re.split(r"[^\w-]", line)[0].replace("-", "_"): line for line in declared}
    own = {name for name, line in names.items() if "extra ==" not in line} - {"tomli"}
    headless = {name for name, line in names.items() if re.search("extra == .headless", line)}

    assert {name.lower() for name in own} == {name.lower() for name in OWN.values()} - {"tomli"}
    assert headless == {package.replace("-", "_") for package in HEADLESS.values()}


def test_clients_are_named_with_the_names_of_their_keys(machine: Make) -> None:
    variables = {"OPENAI_API_KEY": "s3cr3t", "OPENAI_BASE_URL": " ", "GEMINI_API_KEY": ""}
    client, token = clients(machine(variables=variables, programs=("qwen", "gemini")))

    assert (client.standing, client.found) == (
        "ok",
        "gemini (gemini; no key set), qwen (qwen; OPENAI_API_KEY set)",
    )
    assert client.advice == (
        "if gemini is not logged in: run `gemini` once and log in, or set GEMINI_API_KEY"
    )
    assert (token.standing, token.found) == ("note", "none is set")


def lock(folder: Path, packages: str = '{"node_modules/ajv": {}}') -> None:
    """Leave a lock file that names these packages."""
    folder.mkdir(exist_ok=True)
    (folder / "package-lock.json").write_text(f'{{"packages": {packages}}}')


@pytest.mark.spec("1.21")
def test_packages_are_installed_where_npm_has_left_its_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    lock(tmp_path)
    lock(tmp_path / "sandbox")
    (tmp_path / "node_modules").mkdir()
    lock(tmp_path / "sandbox/node_modules")
    (tmp_path / "sandbox/node_modules/.package-lock.json").write_text("{}")

    assert node_modules(".") == [
        Finding(
            code="dependencies",
            name="npm packages",
            standing="missing",
            found="not installed",
            advice="npm ci --prefix .",
        ),
        Finding(
            code="dependencies", name="npm packages of sandbox", standing="ok", found="installed"
        ),
    ]


def test_a_project_whose_lock_file_names_no_package_has_no_finding(tmp_path: Path) -> None:
    lock(tmp_path, packages='{"": {}}')

    assert node_modules(str(tmp_path)) == []
