"""`--watch` on a real terminal: real files are saved, replaced and removed under a real process."""

from __future__ import annotations

import fcntl
import os
import re
import select
import shutil
import signal
import struct
import subprocess
import sys
import termios
import time
from typing import TYPE_CHECKING

import pytest

from pipeline.bootstrap import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.acceptance.conftest import Environment, PathOf, Run

HOME = "\x1b[H\x1b[J"
LIMIT = 60  # s after which what is waited for does not come
ISSUE = os.path.join("sandbox", ".pipeline", "ISSUE-101")
NOTE = re.compile(r"\n(?:Passed at |)\d\d:\d\d:\d\d(?:\.|  )[^\x1b]*q\s+quit\.\n")


class Terminal:
    """A command on a pseudo-terminal of its own, and what it has drawn there."""

    def __init__(self, words: list[str], env: dict[str, str], rows: int = 90) -> None:
        self._ours, theirs = os.openpty()
        fcntl.ioctl(self._ours, termios.TIOCSWINSZ, struct.pack("HHHH", rows, 80, 0, 0))
        self.modes = termios.tcgetattr(theirs)
        self._theirs = theirs
        # The first terminal that a session opens is its own: Ctrl-C on it then reaches the command.
        shell = 'exec "$@" <"$0" >"$0" 2>&1'
        self.process = subprocess.Popen(
            ["sh", "-c", shell, os.ttyname(theirs), sys.executable, *words],
            cwd=ROOT,
            env=env,
            start_new_session=True,
        )
        self.shown = ""

    def drawings(self) -> list[str]:
        """Return what was drawn from the first to the last, without notes that carry a time.

        A hint is asked for by a key there: the drawings have the words of a single run.
        """
        text = self.shown.replace("\r\n", "\n").replace("press h, or", "add --hint, or")
        _, *drawn = text.split(HOME)
        return [NOTE.sub("", text) for text in drawn]

    def until(self, number: int) -> str:
        """Return a drawing when it is complete: the first is number 1."""
        deadline = time.monotonic() + LIMIT
        while not (len(self.drawings()) >= number and self.shown.endswith("quit.\r\n")):
            assert self._more(deadline - time.monotonic()), self.shown
        return self.drawings()[number - 1]

    def until_last(self, drawing: str) -> int:
        """Wait until a drawing is the last one; return its number."""
        deadline = time.monotonic() + LIMIT
        while self.drawings()[-1] != drawing:
            assert self._more(deadline - time.monotonic()), self.shown
        return len(self.drawings())

    def resize(self, rows: int) -> None:
        """Give the window another height."""
        fcntl.ioctl(self._ours, termios.TIOCSWINSZ, struct.pack("HHHH", rows, 80, 0, 0))

    def press(self, keys: bytes) -> None:
        """Press keys."""
        os.write(self._ours, keys)

    def ended(self) -> int:
        """Return the exit code of the command, which is about to end."""
        deadline = time.monotonic() + LIMIT
        while self.process.poll() is None and time.monotonic() < deadline:
            self._more(0.05)
        while self._more(0):
            pass
        return self.process.wait(0)

    def still_has_its_modes(self) -> bool:
        """Return whether the terminal is as it was before."""
        return termios.tcgetattr(self._theirs) == self.modes

    def close(self) -> None:
        """End what is left."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGCONT)
            self.process.kill()
        self.process.wait()
        os.close(self._ours)
        os.close(self._theirs)

    def _more(self, seconds: float) -> bool:
        ready, _, _ = select.select([self._ours], [], [], max(0.0, min(seconds, LIMIT)))
        if ready:
            self.shown += os.read(self._ours, 65_536).decode()
        return bool(ready)


@pytest.fixture
def project(fixture: PathOf, tmp_path: Path) -> Path:
    """Return a submission that solves foundation 02."""
    return shutil.copytree(fixture("foundation/02-implement/solved"), tmp_path / "work")


@pytest.fixture
def words(script: PathOf, project: Path) -> list[str]:
    """Return the command line that grades it once."""
    return [script("foundation"), "--exercise", "02", "--project", str(project)]


@pytest.fixture
def once(run: Run, words: list[str]) -> Callable[[], str]:
    """Return a function that tells what a single run prints."""
    env = {"COLUMNS": "80", "NO_COLOR": "1"}
    return lambda: run(*words, env=env).stdout


@pytest.fixture
def terminal(words: list[str], environment: Environment) -> Iterator[Terminal]:
    """Return the terminal on which the submission is watched."""
    opened = Terminal([*words, "--watch"], environment(TERM="xterm", NO_COLOR="1"))
    yield opened
    opened.close()


def worker(project: Path) -> Path:
    return project / ISSUE / "worker-result.json"


def test_each_drawing_is_what_a_single_run_prints_and_ctrl_c_ends(
    terminal: Terminal, project: Path, once: Callable[[], str]
) -> None:
    expected = [once()]
    terminal.until(1)
    before, _, drawing = terminal.shown.partition(HOME)
    worker(project).write_text("{}\n")
    expected.append(once())
    terminal.until(2)
    terminal.press(b"\x03")
    code = terminal.ended()

    assert before == "\r\n" * 90
    assert re.search(
        r"\r\n\r\nPassed at \d\d:\d\d:\d\d\. Still watching\r\n"
        r"sandbox/\.pipeline/ISSUE-101/worker-result\.json\. Keys: n next exercise, q quit\.\r\n\Z",
        drawing,
    )
    assert ["PASSED" in expected[0], "NOT YET" in expected[1]] == [True, True]
    assert terminal.drawings() == [expected[0], f"{expected[1]}interrupted\n"]
    assert (code, terminal.still_has_its_modes()) == (130, True)


def test_a_folder_may_be_removed_and_made_again(
    terminal: Terminal, project: Path, tmp_path: Path, once: Callable[[], str]
) -> None:
    first = terminal.until(1)
    elsewhere = tmp_path / "elsewhere"
    shutil.copytree(project / ISSUE, elsewhere)
    shutil.rmtree(project / ISSUE)
    terminal.until_last(once())
    shutil.copytree(elsewhere, project / ISSUE)
    terminal.until_last(first)
    worker(project).write_text("{}\n")  # in the new folder, not in the one that has gone
    last = once()

    assert terminal.until_last(last) > 3
    assert last != first


def test_keys_show_a_hint_continue_to_the_next_exercise_and_end(
    terminal: Terminal, project: Path
) -> None:
    solved = worker(project).read_text()
    terminal.until(1)
    worker(project).write_text("{}\n")
    failed = terminal.until(2)
    terminal.press(b"nh")  # there is no next one before a pass
    hinted = terminal.until(4)
    worker(project).write_text(solved)
    terminal.until(5)
    terminal.press(b"n")
    following = terminal.until(6)
    terminal.press(b"q")

    assert ("Look at: " in failed, "Look at: " in hinted) == (False, True)
    assert following.startswith("foundation/03 - Publish the work")
    assert (terminal.ended(), terminal.still_has_its_modes()) == (1, True)


def test_m11_a_window_of_another_size_is_drawn_again_with_what_to_do(
    terminal: Terminal, project: Path
) -> None:
    worker(project).write_text("{}\n")
    tall = terminal.until(terminal.until_last(terminal.until(1)))
    while "To do: " not in tall:
        tall = terminal.until(len(terminal.drawings()) + 1)
    drawn = len(terminal.drawings())
    terminal.resize(12)
    small = terminal.until(drawn + 1)
    terminal.press(b"q")

    assert terminal.ended() == 1
    assert len(tall.splitlines()) > 12 > len(small.splitlines())
    assert "  To do: " in small


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT])
def test_a_signal_that_ends_it_leaves_the_terminal_as_it_was(
    terminal: Terminal, number: signal.Signals
) -> None:
    terminal.until(1)
    while terminal.still_has_its_modes():
        time.sleep(0.01)
    terminal.process.send_signal(number)

    assert (terminal.ended(), terminal.still_has_its_modes()) == (-number, True)
