"""`pipeline doctor`, run as people run it, on machines that have what a test gives them."""

from __future__ import annotations

import json
import os
import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pipeline.bootstrap import ROOT
from tests.stubs.repositories import UserRepository, git

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.acceptance.conftest import Run

    Doctor = Callable[..., tuple[int, str, str]]

PAGE = os.path.join(ROOT, "docs", "how-to", "check-your-machine.md")
TOKENS = ("GH_TOKEN", "GITHUB_TOKEN", "GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN")
OTHER_TOKENS = ("GITLAB_TOKEN", "CI_JOB_TOKEN", "GITEA_TOKEN", "FORGEJO_TOKEN")
SECRET = "s3cr3t-0123456789"  # noqa: S105  # of the test
LOCK = '{"lockfileVersion": 3, "packages": {"node_modules/ajv": {"version": "8.20.0"}}}'


def program(folder: Path, name: str, script: str) -> None:
    """Put a program on the PATH of the machine."""
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return the only folder on PATH: Node.js and npm by their versions, the real git."""
    folder = tmp_path / "bin"
    folder.mkdir()
    program(folder, "node", "echo v22.11.0")
    program(folder, "npm", "echo 10.9.0")
    (folder / "git").symlink_to(shutil.which("git") or "/usr/bin/git")
    return folder


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Return a repository with a commit, an identity and a sandbox without its npm packages."""
    user = UserRepository(tmp_path / "course")
    user.git("config", "user.name", "Ada Example")
    user.git("config", "user.email", "ada@example.org")
    user.commit(**{"sandbox/package.json": "{}", "sandbox/package-lock.json": LOCK})
    return user.folder


@pytest.fixture
def doctor(run: Run, project: Path, path: Path) -> Doctor:
    """Return a function that runs the command in the project and returns what came of it."""

    def run_doctor(*words: str, **variables: str) -> tuple[int, str, str]:
        blank = dict.fromkeys((*TOKENS, *OTHER_TOKENS), "")
        env = {**blank, "PATH": str(path), "PYTHONPATH": ROOT, **variables}
        done = run("-m", "pipeline", "doctor", *words, cwd=str(project), env=env)
        return done.returncode, done.stdout, done.stderr

    return run_doctor


def install(project: Path) -> None:
    """Leave what npm leaves behind when it has installed the sandbox's packages."""
    (project / "sandbox/node_modules/ajv").mkdir(parents=True)
    (project / "sandbox/node_modules/.package-lock.json").write_text(LOCK)


def test_the_output_on_the_page_is_that_of_the_command(doctor: Doctor, project: Path) -> None:
    code, out, err = doctor()
    text = Path(PAGE).read_text(encoding="utf-8")
    (shown,) = re.findall(r"```console\n\$ python3 -m pipeline doctor\n(.*?)```", text, re.DOTALL)
    real = out.replace(os.path.realpath(project), "/home/ada/course")
    real = re.sub("agents also see .*", "agents see the system's programs", real)

    assert (code, err) == (1, "")
    assert re.sub(r"\d+\.\d+$", "N.N", real, flags=re.MULTILINE) == (
        re.sub(r"\d+\.\d+$", "N.N", shown, flags=re.MULTILINE)
    )


def test_notes_alone_end_with_0(doctor: Doctor, project: Path) -> None:
    install(project)
    code, out, err = doctor()

    assert (code, err) == (0, "")
    assert [line.split()[0] for line in out.splitlines() if line.startswith("note")] == ["note"] * 3
    assert out.endswith("\nNothing required is missing.\n")


def test_no_secret_is_printed(doctor: Doctor, project: Path, path: Path) -> None:
    program(path, "qwen", f"echo {SECRET}")
    address = f"https://ada:{SECRET}@git.example.org/course"
    git(project, "remote", "add", "origin", address)
    variables = {"GH_TOKEN": SECRET, "GITLAB_TOKEN": SECRET, "OPENAI_API_KEY": SECRET}
    table, document = doctor(**variables), doctor("--json", **variables)

    assert SECRET not in "".join((*table[1:], *document[1:]))
    assert "GH_TOKEN and GITLAB_TOKEN set" in table[1]
    assert 'remote                   "origin"' in table[1]


def test_a_program_that_prints_what_it_likes_drives_no_terminal(doctor: Doctor, path: Path) -> None:
    program(path, "node", r"printf '\033[2J::error::no version'")
    code, out, _ = doctor()

    assert (code, "\x1b" in out) == (1, False)
    assert "on PATH, but did not print a version within 5 seconds; 20.0 or newer is needed" in out


def test_clients_are_looked_for_and_not_started(doctor: Doctor, project: Path, path: Path) -> None:
    program(path, "opencode", f"touch {project}/started")
    _, out, _ = doctor()

    assert re.search(r"^ok +agent client +opencode \(", out, re.MULTILINE)
    assert not (project / "started").exists()


def test_the_document_for_machines_is_described_on_its_page(doctor: Doctor) -> None:
    code, out, err = doctor("--json")
    document = json.loads(out)
    rows = re.findall(r"^\| (`\w+`) \|", Path(PAGE).read_text(encoding="utf-8"), re.MULTILINE)
    documented = {row.strip("`") for row in rows}

    assert (code, err, document["version"], document["ready"]) == (1, "", 1, False)
    assert documented == {
        *document,
        *document["findings"][0],
        *(each["code"] for each in document["findings"]),
    }
