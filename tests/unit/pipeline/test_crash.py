"""When the harness itself fails: one line, a log file with the trace, exit code 3."""

from __future__ import annotations

import re
import tempfile
from typing import TYPE_CHECKING

import pytest

from pipeline.terminal.streams import broken, guarded

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def logs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def raises(error: BaseException) -> int:
    raise error


def test_a_command_that_raises_ends_in_one_line_and_a_log(
    logs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = guarded(lambda: raises(KeyError("lost")))
    (log,) = logs.iterdir()

    assert code == 3
    assert capsys.readouterr().err == (
        "verify: verify itself failed (KeyError): this is a bug, not your mistake;"
        f" the details are in {log}\n"
    )
    assert re.fullmatch(
        r"Traceback \(most recent call last\):\n.*KeyError: 'lost'\n", log.read_text(), re.DOTALL
    )


def test_ctrl_c_and_an_exit_are_no_bugs(logs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code = guarded(lambda: raises(KeyboardInterrupt()))
    with pytest.raises(SystemExit):
        guarded(lambda: raises(SystemExit(2)))

    assert (code, capsys.readouterr().err) == (130, "interrupted\n")
    assert list(logs.iterdir()) == []


def test_without_details_there_is_no_log_and_a_sentence_cannot_drive_the_terminal(
    logs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = broken("\x1b[2J\nforged")

    assert (code, capsys.readouterr().err) == (
        3,
        "verify: \\u{1b}[2J\\nforged: this is a bug, not your mistake\n",
    )
    assert list(logs.iterdir()) == []


def test_a_log_shows_what_would_drive_a_terminal(logs: Path) -> None:
    broken("sentence", "file \udcff\nKeyError: \x1b[2J\rforged\x85\u202e\n")
    (log,) = logs.iterdir()

    assert log.read_text() == "file \\u{dcff}\nKeyError: \\u{1b}[2J\\rforged\\u{85}\\u{202e}\n"


def test_a_log_that_cannot_be_written_is_said_so(
    monkeypatch: pytest.MonkeyPatch, logs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(logs / "missing"))
    broken("sentence", "details")

    assert capsys.readouterr().err == (
        "verify: sentence: this is a bug, not your mistake;"
        " no log could be written (No such file or directory)\n"
    )
