"""Writing to a standard stream never ends in a traceback."""

from __future__ import annotations

import io
import subprocess
import sys
from typing import TextIO

import pytest

from pipeline.terminal.streams import can_show, columns, tell

PREPARED = (
    "import os, sys\n"
    "from pipeline.terminal.streams import deliver, guarded, printable_streams, tell\n"
    "printable_streams()\n"
)
ANSWER = "sys.exit(guarded(lambda: %s or 5))"


def run_shell(program: str, redirection: str = "", **environment: str) -> tuple[int, str, str]:
    """Run a Python program by a POSIX shell that redirects its streams."""
    command = f'exec "$0" -c "$1" {redirection}'
    done = subprocess.run(
        ["sh", "-c", command, sys.executable, PREPARED + program],
        capture_output=True,
        timeout=60,
        check=False,
        env={"PATH": "/usr/bin:/bin", **environment},
    )
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def test_a_character_that_the_encoding_lacks_is_escaped() -> None:
    program = "print('\\u2713 \\ud800')\nprint('\\u2713', file=sys.stderr)"

    assert run_shell(program, PYTHONIOENCODING="ascii") == (0, "\\u2713 \\ud800\n", "\\u2713\n")


@pytest.mark.parametrize("redirection", [">&-", "2>&-", ">&- 2>&-"])
def test_a_closed_stream_takes_everything_and_shows_nothing(redirection: str) -> None:
    program = ANSWER % "(print('out'), print('err', file=sys.stderr)) and 5"
    out = "" if ">&-" in redirection.split() else "out\n"
    err = "" if "2>&-" in redirection.split() else "err\n"

    assert run_shell(program, redirection) == (5, out, err)


CLOSED_PIPE = "reading, writing = os.pipe()\nos.close(reading)\nos.dup2(writing, %d)\n"


@pytest.mark.parametrize("size", [100, 1_000_000])
def test_a_reader_that_has_gone_is_no_fault(size: int) -> None:
    program = CLOSED_PIPE % 1 + ANSWER % f"deliver('x' * {size})"

    assert run_shell(program) == (0, "", "")


def test_a_full_disk_is_reported_in_one_line() -> None:
    assert run_shell(ANSWER % "deliver('x')", ">/dev/full") == (
        3,
        "",
        "cannot write the output: No space left on device\n",
    )


@pytest.mark.parametrize(("start", "redirection"), [("", "2>/dev/full"), (CLOSED_PIPE % 2, "")])
def test_a_line_that_no_one_takes_changes_no_exit_code(start: str, redirection: str) -> None:
    assert run_shell(start + ANSWER % "tell('a line')", redirection) == (5, "", "")


def test_a_stream_can_show_what_its_encoding_has() -> None:
    streams: dict[str, TextIO] = {
        name: io.TextIOWrapper(io.BytesIO(), encoding=name) for name in ("utf-8", "latin-1")
    }
    streams["none"] = io.StringIO()
    shown = {
        name: [text for text in ("a", "é", "✓", "\ud800") if can_show(stream, text)]
        for name, stream in streams.items()
    }

    assert shown == {"utf-8": ["a", "é", "✓"], "latin-1": ["a", "é"], "none": ["a"]}


@pytest.mark.parametrize(
    ("wanted", "width"),
    [
        *(("100", 100), ("1", 1), ("201", 200), ("9" * 5000, 200)),
        *((wanted, 80) for wanted in ("0", "-5", "", "wide", "\u0661", "1.5")),
    ],
)
def test_the_width_is_the_one_asked_for_or_80_away_from_a_terminal(
    monkeypatch: pytest.MonkeyPatch, wanted: str, width: int
) -> None:
    monkeypatch.setenv("COLUMNS", wanted)

    assert columns(io.StringIO()) == width


def test_a_line_on_stderr_commands_no_runner(capsys: pytest.CaptureFixture[str]) -> None:
    tell("  ::error::forged ##[group]x")

    assert capsys.readouterr().err == "  \\u{3a}:error::forged #\\u{23}[group]x\n"
