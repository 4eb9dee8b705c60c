"""Gradings are shown in one place of a terminal, and one after the other in a pipe."""

from __future__ import annotations

import io
import sys
from typing import TYPE_CHECKING

import pytest

from verify.watching import screen as module
from verify.watching.screen import Screen

if TYPE_CHECKING:
    from collections.abc import Callable


class Terminal(io.StringIO):
    """A stream that says it is a terminal, of no known size."""

    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def _plain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(module, "clock", lambda: "19:03:12")


@pytest.fixture
def on_terminal(monkeypatch: pytest.MonkeyPatch) -> Callable[[], Terminal]:
    """Return a function that makes stdout a terminal, once pytest has set it for the test."""

    def make() -> Terminal:
        stream = Terminal()
        monkeypatch.setattr(sys, "stdout", stream)
        return stream

    return make


def test_a_terminal_keeps_what_was_there_before_and_is_then_written_over(
    on_terminal: Callable[[], Terminal], capsys: pytest.CaptureFixture[str]
) -> None:
    terminal, screen = on_terminal(), Screen()
    screen.show("one\n", "watching")
    screen.show("two\n", "")

    assert terminal.getvalue() == (
        "\n" * 24 + "\x1b[H\x1b[Jone\n\nwatching\n" + "\x1b[H\x1b[Jtwo\n"
    )
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("term", ["xterm", "dumb"])
def test_a_pipe_or_a_terminal_that_obeys_nothing_gets_one_text_after_the_other_and_stderr_the_notes(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    on_terminal: Callable[[], Terminal],
    term: str,
) -> None:
    monkeypatch.setenv("TERM", term)
    stream = on_terminal() if term == "dumb" else None
    screen = Screen()
    screen.show("one\n", "watching")
    screen.show("two\n", "")
    out, err = capsys.readouterr()

    assert (stream.getvalue() if stream else out) == "one\n\n-------- 19:03:12 --------\n\ntwo\n"
    assert err == "watching\n"


def test_a_note_is_as_wide_as_the_terminal_and_breaks_no_path(
    on_terminal: Callable[[], Terminal], monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal, screen = on_terminal(), Screen()
    widths = []
    for columns in ("30", "80"):
        monkeypatch.setenv("COLUMNS", columns)
        widths.append(screen.size())
        screen.show("", "Watching a-very-long-folder/.pipeline/ISSUE-7/plan.json. Ctrl-C ends.")

    assert widths == [(30, 24), (80, 24)]
    assert terminal.getvalue().lstrip("\n") == (
        "\x1b[H\x1b[J\nWatching\na-very-long-folder/.pipeline/ISSUE-7/plan.json.\nCtrl-C ends.\n"
        "\x1b[H\x1b[J\nWatching a-very-long-folder/.pipeline/ISSUE-7/plan.json. Ctrl-C ends.\n"
    )
