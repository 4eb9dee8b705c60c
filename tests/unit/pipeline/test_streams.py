"""Writing to a standard stream never ends in a traceback."""

from __future__ import annotations

import io
import subprocess
import sys

import pytest

from pipeline.streams import can_show, columns, guarded, tell

PREPARED = (
    "from pipeline.streams import deliver, guarded, printable_streams, tell\nprintable_streams()\n"
)


def run_shell(program: str, redirection: str, **environment: str) -> tuple[int, str, str]:
    """Run a Python program by a POSIX shell that redirects its streams."""
    command = f'exec "$0" -c "$1" {redirection}'
    done = subprocess.run(
        ["sh", "-c", command, sys.executable, PREPARED + program],
        capture_output=True,
        timeout=10,
        check=False,
        env={"PATH": "/usr/bin:/bin", **environment},
    )
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def test_the_code_of_the_command_is_returned() -> None:
    assert guarded(lambda: 7) == 7


def test_an_interrupted_command_says_so_and_returns_130(
    capsys: pytest.CaptureFixture[str],
) -> None:
    def interrupted() -> int:
        raise KeyboardInterrupt

    code = guarded(interrupted)

    assert (code, *capsys.readouterr()) == (130, "", "interrupted\n")


def test_a_mistake_of_the_program_is_not_hidden() -> None:
    with pytest.raises(ZeroDivisionError):
        guarded(lambda: 1 // 0)


def test_a_character_that_the_encoding_lacks_is_escaped() -> None:
    program = "import sys\nprint('\\u2713 \\ud800')\nprint('\\u2713', file=sys.stderr)"

    assert run_shell(program, "", PYTHONIOENCODING="ascii") == (
        0,
        "\\u2713 \\ud800\n",
        "\\u2713\n",
    )


@pytest.mark.parametrize("redirection", [">&-", "2>&-", ">&- 2>&-"])
def test_a_closed_stream_takes_everything_and_shows_nothing(redirection: str) -> None:
    program = (
        "import sys\n"
        "def both():\n"
        "    print('out')\n"
        "    print('err', file=sys.stderr)\n"
        "    return 5\n"
        "sys.exit(guarded(both))"
    )
    out = "" if ">&-" in redirection.split() else "out\n"
    err = "" if "2>&-" in redirection.split() else "err\n"

    assert run_shell(program, redirection) == (5, out, err)


def test_a_reader_that_has_gone_is_no_fault() -> None:
    program = (
        "import os, sys\n"
        "reading, writing = os.pipe()\n"
        "os.close(reading)\n"
        "os.dup2(writing, 1)\n"
        "def answer():\n"
        "    deliver('x' * 100)\n"
        "    return 5\n"
        "sys.exit(guarded(answer))"
    )

    assert run_shell(program, "") == (0, "", "")


def test_a_reader_that_has_gone_before_the_command_ends_leaves_the_code_0() -> None:
    program = (
        "import os, sys\n"
        "reading, writing = os.pipe()\n"
        "os.close(reading)\n"
        "os.dup2(writing, 1)\n"
        "def answer():\n"
        "    deliver('x' * 1_000_000)\n"
        "    return 5\n"
        "sys.exit(guarded(answer))"
    )

    assert run_shell(program, "") == (0, "", "")


def test_a_full_disk_is_told_in_one_line() -> None:
    program = "import sys\nsys.exit(guarded(lambda: deliver('x') or 5))"

    assert run_shell(program, ">/dev/full") == (
        3,
        "",
        "cannot write the output: No space left on device\n",
    )


CLOSED_PIPE = (
    "import os, sys\nreading, writing = os.pipe()\nos.close(reading)\nos.dup2(writing, 2)\n"
)


@pytest.mark.parametrize(
    ("start", "redirection"), [("import sys\n", "2>/dev/full"), (CLOSED_PIPE, "")]
)
def test_a_line_that_nobody_takes_changes_no_exit_code(start: str, redirection: str) -> None:
    program = f"{start}def answer():\n    tell('a line')\n    return 5\nsys.exit(guarded(answer))"

    assert run_shell(program, redirection) == (5, "", "")


@pytest.mark.parametrize(
    ("encoding", "text", "shown"),
    [
        ("utf-8", "✓ é", True),
        ("utf-8", "\ud800", False),
        ("latin-1", "é", True),
        ("latin-1", "✓", False),
        ("ascii", "a", True),
        ("ascii", "é", False),
    ],
)
def test_a_stream_can_show_what_its_encoding_has(encoding: str, text: str, shown: bool) -> None:  # noqa: FBT001  # a table's column
    assert can_show(io.TextIOWrapper(io.BytesIO(), encoding=encoding), text) is shown


@pytest.mark.parametrize(("text", "shown"), [("a", True), ("é", False)])
def test_a_stream_without_an_encoding_shows_ascii(text: str, shown: bool) -> None:  # noqa: FBT001  # a table's column
    assert can_show(io.StringIO(), text) is shown


@pytest.mark.parametrize(
    ("wanted", "width"),
    [
        ("100", 100),
        ("1", 1),
        ("201", 200),
        ("9" * 5000, 200),
        ("0", 80),
        ("-5", 80),
        ("", 80),
        ("wide", 80),
        ("\u0661", 80),
        ("1.5", 80),
    ],
)
def test_the_width_is_the_one_asked_for_or_80_away_from_a_terminal(
    monkeypatch: pytest.MonkeyPatch, wanted: str, width: int
) -> None:
    monkeypatch.setenv("COLUMNS", wanted)

    assert columns(io.StringIO()) == width


def test_the_width_has_an_upper_end_that_the_caller_names(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", "100")

    assert columns(io.StringIO(), most=60) == 60


def test_a_line_on_stderr_commands_no_runner(capsys: pytest.CaptureFixture[str]) -> None:
    tell("  ::error::forged ##[group]x")

    assert capsys.readouterr().err == "  \\u{3a}:error::forged #\\u{23}[group]x\n"
