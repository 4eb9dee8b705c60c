"""The report suits the terminal, the encoding and the reader that it is written to."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from pipeline.bootstrap import ROOT

if TYPE_CHECKING:
    from pathlib import Path

    from tests.acceptance.conftest import Environment, PathOf, Run

BROKEN = "practitioner/02-delegate/broken-order"
COLOUR = re.compile(r"\x1b\[[0-9;]*m")


@pytest.fixture
def words(script: PathOf, fixture: PathOf) -> list[str]:
    """Return the command line that grades a submission with one failure."""
    return [script("practitioner"), "--exercise", "02", "--project", fixture(BROKEN)]


def table_width(report: str) -> int:
    table = report.split("\n\n")[1]
    return max(map(len, table.splitlines()))


@pytest.mark.parametrize(("columns", "width"), [("60", 60), ("10", 40), ("wide", 80)])
def test_the_table_is_as_wide_as_the_terminal_says(
    run: Run, words: list[str], columns: str, width: int
) -> None:
    done = run(*words, env={"COLUMNS": columns})

    assert width - 12 <= table_width(done.stdout) <= width
    assert (done.returncode, done.stderr) == (1, "")


@pytest.mark.parametrize(
    ("format_", "begins"),
    [
        ("table", "practitioner/02 - Delegate the plan"),
        ("json", '{\n  "schema": "urn:issue-pipeline:report:1"'),
        ("junit", '<?xml version="1.0" encoding="utf-8"?>\n<testsuites'),
        ("github", "::error file="),
    ],
)
def test_an_encoding_of_ascii_is_enough_for_every_report(
    run: Run, words: list[str], tmp_path: Path, format_: str, begins: str
) -> None:
    odd = tmp_path / "\u00e9t\u00e9-\u2713"
    odd.symlink_to(words[-1])
    env = {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
    done = run(*words[:-1], os.fspath(odd), "--format", format_, env=env)

    assert done.stdout.isascii()
    assert done.stdout.startswith(begins)
    assert format_ != "table" or "P02.5    FAIL      steps in order" in done.stdout
    assert (done.returncode, done.stderr) == (1, "")


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_reader_that_has_gone_is_no_error(
    words: list[str], environment: Environment, unbuffered: str
) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as closed:
        done = subprocess.run(
            [sys.executable, *words],
            env=environment(PYTHONUNBUFFERED=unbuffered),
            stdout=closed,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )

    assert done.stderr == ""
    assert done.returncode in (0, 1)


def on_a_terminal(words: list[str], env: dict[str, str]) -> str:
    """Return what a command writes to a pseudo-terminal of its own."""
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [sys.executable, *words], cwd=ROOT, env=env, stdout=theirs, stderr=theirs
    ) as process:
        os.close(theirs)
        shown = b""
        while chunk := _read(ours):
            shown += chunk
        process.wait()
    os.close(ours)
    return shown.decode().replace("\r\n", "\n")


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 4096)
    except OSError:  # Linux's way to say that the other side is closed
        return b""


def test_colour_is_for_terminals(words: list[str], run: Run, environment: Environment) -> None:
    shown = on_a_terminal(words, environment(COLUMNS="80", TERM="xterm"))

    assert "\x1b[1;31m✗ FAIL\x1b[0m" in shown
    assert COLOUR.sub("", shown) == run(*words, env={"COLUMNS": "80"}).stdout


@pytest.mark.parametrize("change", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_colour_is_left_out_where_it_is_not_wanted(
    words: list[str], environment: Environment, change: dict[str, str]
) -> None:
    env = environment(COLUMNS="80", **{"TERM": "xterm"} | change)

    assert COLOUR.findall(on_a_terminal(words, env)) == []


def test_the_step_summary_is_appended_to_the_page(
    run: Run, words: list[str], tmp_path: Path
) -> None:
    page = tmp_path / "summary.md"
    page.write_text("before\n")
    env = {"GITHUB_STEP_SUMMARY": str(page), "GITHUB_WORKSPACE": ROOT}
    done = run(*words, "--format", "github", cwd=str(tmp_path), env=env)
    where = f"fixtures/submissions/{BROKEN}/sandbox/.pipeline/ISSUE-201/plan.json"

    assert done.stdout.startswith(f"::error file={where},line=18,col=16,title=P02.5 ")
    assert done.stdout.count("\n") == 1
    assert page.read_text().startswith("before\n```text\npractitioner/02 - Delegate the plan")
    assert (done.returncode, done.stderr) == (1, "")
