"""A small cohort in a folder of its own, and commands as the console script calls them."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING, Any

import pytest

from pipeline.bootstrap import ROOT
from tests.stubs.school import alone
from verify import cli

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

SOLVED = os.path.join(ROOT, "fixtures", "submissions", "foundation", "01-plan", "solved")
GRADE = ("batch", "cohort", "--exercise", "foundation/01", "--jobs", "1", "--quiet")
ROSTER = (
    "username,name,email,gitlab\nada,Ada Okafor,ada@x.org,0017\neve,Ann Lee,eve@x.org,0018\n"
    "ann,Ann Lee,ann@x.org,0019\n"
)


@pytest.fixture
def parsed() -> Callable[..., dict[str, Any]]:
    """Return what reads the words of a command line."""

    def parse(*words: str) -> dict[str, Any]:
        options = vars(cli.parser_of(words[0]).parse_args(words))
        assert callable(options.pop("command"))
        return options

    return parse


@pytest.fixture
def cohort(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder of two submissions, of which ada's is solved; it stands where we are."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(SOLVED, tmp_path / "cohort" / "ada")
    (tmp_path / "cohort" / "eve").mkdir()
    return tmp_path


@pytest.fixture
def verify(capfd: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """Return what runs a command line in this process: its code, stdout and stderr."""

    def run(*words: str) -> tuple[int, str, str]:
        capfd.readouterr()
        try:
            code = cli.main(list(words))
        except SystemExit as ended:
            code = int(ended.code or 0)
        return (code, *capfd.readouterr())

    return run


@pytest.fixture
def graded(
    verify: Callable[..., tuple[int, str, str]], cohort: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., tuple[int, str, str]]:
    """Return what runs a command line where the cohort is graded, with a roster of three."""
    monkeypatch.setattr("verify.child.workers.run", alone)
    (cohort / "roster.csv").write_text(ROSTER, "utf-8")
    verify(*GRADE, "--roster", "roster.csv")
    return verify
