"""The machine that grades answers for its programs, and never for long."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pipeline.terminal.programs import installed_version

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Return the only folder on PATH; what the host was told before is forgotten, and after."""
    monkeypatch.setenv("PATH", str(tmp_path))
    installed_version.cache_clear()  # the answers of this process are kept there
    yield tmp_path
    installed_version.cache_clear()


def install(folder: Path, name: str, script: str) -> None:
    program = folder / name
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)


def test_a_program_is_asked_for_its_version(programs: Path) -> None:
    answers = {
        "exit 3": None,
        "echo nothing of the kind": None,
        "echo v20.11.1": (20, 11),
        "echo git version 2.43.0": (2, 43),
    }
    for number, script in enumerate(answers):
        install(programs, f"program{number}", script)
    (programs / "broken").write_text("#!/no/such/interpreter\n")
    (programs / "broken").chmod(0o755)

    assert [installed_version(f"program{number}") for number in range(4)] == list(answers.values())
    assert installed_version("broken") is None
    assert installed_version("missing") is None


def test_a_program_that_does_not_answer_is_given_up(
    programs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(programs, "node", "exec /bin/sleep 60")
    monkeypatch.setattr("pipeline.terminal.programs._SECONDS", 0.05)

    assert installed_version("node") is None


def test_a_program_is_asked_once(programs: Path) -> None:
    install(programs, "node", f"echo asked >> {programs}/log\necho v20.1.0")
    answers = [installed_version("node"), installed_version("node")]

    assert answers == [(20, 1), (20, 1)]
    assert (programs / "log").read_text() == "asked\n"
