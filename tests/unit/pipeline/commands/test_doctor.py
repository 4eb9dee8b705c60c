"""What is found on machines that have what a test says."""

from __future__ import annotations

import os
import re
import subprocess
from importlib.metadata import requires
from typing import TYPE_CHECKING

import pytest

from pipeline.commands import doctor
from pipeline.commands.doctor import (
    HEADLESS,
    OWN,
    Requirement,
    client,
    jail,
    node_modules,
    packages,
    programs,
    token,
    work_tree,
)
from pipeline.drivers.environment import FORGE_TOKENS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from pipeline.terminal.programs import Version

    Make = Callable[..., None]
    Git = Callable[..., None]
    Found = tuple[str, str, str]

VERSIONS: dict[str, Version | None] = {
    "python": (3, 12),
    "node": (20, 9),
    "npm": (10, 1),
    "git": (2, 43),
}


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., None]:
    """Return a function that makes a machine which has everything but what is said."""

    def make(
        versions: Mapping[str, Version | None] | None = None,
        programs: tuple[str, ...] = (),
        lacking: tuple[str, ...] = (),
        **variables: str,
    ) -> None:
        answers = VERSIONS | dict(versions or {})
        monkeypatch.setattr(doctor, "installed_version", answers.get)
        monkeypatch.setattr(doctor, "find_spec", lambda name: name not in lacking or None)
        for name in programs:
            (tmp_path / name).touch(mode=0o755)
        for name in FORGE_TOKENS:
            monkeypatch.delenv(name, raising=False)
        for name, value in {"PATH": str(tmp_path), **variables}.items():
            monkeypatch.setenv(name, value)

    return make


@pytest.fixture
def git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Return a function that runs git in an empty folder, with no settings but its own."""
    names = [f"GIT_{who}_{what}" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")]
    for name in (*names, "EMAIL", "GIT_CONFIG_COUNT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    (tmp_path / "gitconfig").write_text("[user]\n\tuseConfigOnly = true\n")

    def run_git(*words: str) -> None:
        subprocess.run(["git", "-C", str(tmp_path), *words], check=True, capture_output=True)

    return run_git


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
    statuses = []
    for version in (oldest, before, None):
        machine({code: version})
        statuses += [each.status for each in programs() if each.code == code]

    assert statuses == ["ok", "missing", "missing"]


def test_missing_packages_are_named_with_the_command_that_sets_up(machine: Make) -> None:
    machine(lacking=("filelock", "pydantic", "acp"))
    own, headless = packages()

    assert (own.status, own.found) == ("missing", "not installed: filelock, pydantic")
    assert own.advice == "python3 start.py setup"
    assert (headless.status, headless.found) == ("note", "not installed: acp")
    assert headless.advice.endswith(": python3 start.py headless")


def test_the_packages_are_those_that_the_project_declares() -> None:
    declared = requires("issue-pipeline-course") or []
    names = {re.split(r"[^\w-]", line)[0].replace("-", "_"): line for line in declared}
    own = {name for name, line in names.items() if "extra ==" not in line} - {"tomli"}
    headless = {name for name, line in names.items() if re.search("extra == .headless", line)}
    modules = {"pyyaml": "yaml", "agent_client_protocol": "acp"}

    assert {modules.get(name.lower(), name.lower()) for name in own} == set(OWN) - {"tomli"}
    assert {modules.get(name, name) for name in headless} == set(HEADLESS)


def test_clients_are_named_with_the_names_of_their_keys(machine: Make) -> None:
    variables = {"OPENAI_API_KEY": "s3cr3t", "OPENAI_BASE_URL": " ", "GEMINI_API_KEY": ""}
    machine(programs=("qwen", "gemini"), **variables)
    found = client()

    assert (found.status, found.found) == ("ok", "gemini (no key set), qwen (OPENAI_API_KEY set)")
    assert found.advice == (
        "if gemini is not logged in: run `gemini` once and log in, or set GEMINI_API_KEY"
    )
    assert token()[2:4] == ("note", "none is set")


def lock(folder: Path) -> None:
    """Leave a lock file."""
    folder.mkdir(exist_ok=True)
    (folder / "package-lock.json").write_text("{}")


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
        Requirement(
            code="dependencies",
            name="npm packages",
            status="missing",
            found="not installed",
            advice="npm ci --prefix .",
        ),
        Requirement(
            code="dependencies", name="npm packages of sandbox", status="ok", found="installed"
        ),
    ]


def test_a_project_without_a_lock_file_has_no_finding(tmp_path: Path) -> None:
    assert node_modules(str(tmp_path)) == []


def found(path: Path) -> dict[str, Found]:
    """Return how each finding stands, what was found, and the advice."""
    findings = work_tree(str(path))
    return {each.code: (each.status, each.found, each.advice) for each in findings}


def test_an_empty_repository_wants_a_commit_a_name_and_no_remote(git: Git, tmp_path: Path) -> None:
    git("init")

    assert found(tmp_path) == {
        "repository": (
            "missing",
            f"{os.path.realpath(tmp_path)} has no commits",
            'make a first commit: git commit --allow-empty -m "chore: begin"',
        ),
        "identity": (
            "missing",
            "user.name or user.email is not set in git",
            'git config --global user.name "…" and git config --global user.email …',
        ),
        "remote": (
            "note",
            "none",
            "the local forge needs no remote; for the others: git remote add origin URL",
        ),
    }


def test_a_repository_with_all_of_it_is_well_and_shows_no_address(git: Git, tmp_path: Path) -> None:
    git("init")
    git("config", "user.name", "Ada \x1b[2J")
    git("config", "user.email", "ada@example.org")
    git("commit", "--allow-empty", "-m", "chore: begin")
    git("remote", "add", "origin", "https://me:s3cr3t@git.example.org/a/b")

    assert found(tmp_path) == {
        "repository": ("ok", os.path.realpath(tmp_path), ""),
        "identity": ("ok", r"Ada \u{1b}[2J <ada@example.org>", ""),
        "remote": ("ok", '"origin"', ""),
    }


def test_a_bare_repository_is_no_place_to_work(git: Git, tmp_path: Path) -> None:
    git("init", "--bare")

    assert found(tmp_path)["repository"][:2] == (
        "missing",
        "fatal: this operation must be run in a work tree",
    )


def test_a_name_of_the_environment_will_do(
    git: Git, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git("init")
    for who in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{who}_NAME", "Ada")
        monkeypatch.setenv(f"GIT_{who}_EMAIL", "ada@example.org")

    assert found(tmp_path)["identity"] == ("ok", "Ada <ada@example.org>", "")


def test_a_folder_inside_another_that_agents_see_is_not_listed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen = ["/opt/tools/lib", "/opt/tools", "/opt/other"]
    monkeypatch.setattr(doctor, "missing", str)
    monkeypatch.setattr(doctor, "toolchains", lambda _path, _home: seen)

    assert jail() == Requirement("jail", "jail", "ok", "agents also see /opt/tools, /opt/other")
