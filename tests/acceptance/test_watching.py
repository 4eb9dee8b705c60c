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

    Run = Callable[..., subprocess.CompletedProcess[str]]
    PathOf = Callable[[str], str]
    Environment = Callable[..., dict[str, str]]

HOME = "\x1b[H\x1b[J"
LIMIT = 30  # s after which what is waited for does not come
QUIET = 1.0  # s without output after which nothing more comes: two looks without a notice
ISSUE = os.path.join("sandbox", ".pipeline", "ISSUE-101")
NOTE = re.compile(r"\n(?:Passed at |)\d\d:\d\d:\d\d(?:\.|  )[^\x1b]*Ctrl-C\s+ends\.\n")


class Terminal:
    """A command on a pseudo-terminal of its own, and what it has drawn there."""

    def __init__(self, words: list[str], env: dict[str, str], columns: int = 80) -> None:
        self._ours, theirs = os.openpty()
        self.resize(columns)
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

    def resize(self, columns: int) -> None:
        """Give the terminal 40 rows of some columns."""
        fcntl.ioctl(self._ours, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))

    def drawings(self) -> list[str]:
        """Return what was drawn from the first to the last, without notes that carry a time."""
        _, *drawn = self.shown.replace("\r\n", "\n").split(HOME)
        return [NOTE.sub("", text) for text in drawn]

    def until(self, number: int) -> str:
        """Return a drawing when it is complete: the first is number 1."""
        deadline = time.monotonic() + LIMIT
        while not (len(self.drawings()) >= number and self.shown.endswith("ends.\r\n")):
            assert self._more(deadline - time.monotonic()), self.shown
        return self.drawings()[number - 1]

    def until_last(self, drawing: str) -> int:
        """Wait until a drawing is the last one; return its number."""
        deadline = time.monotonic() + LIMIT
        while self.drawings()[-1] != drawing:
            assert self._more(deadline - time.monotonic()), self.shown
        return len(self.drawings())

    def settled(self) -> list[str]:
        """Return all drawings when no more come."""
        while self._more(QUIET):
            pass
        return self.drawings()

    def press_ctrl_c(self) -> int:
        """End the command as a person does; return its exit code."""
        os.write(self._ours, b"\x03")
        deadline = time.monotonic() + LIMIT
        while self.process.poll() is None and time.monotonic() < deadline:
            self._more(0.05)
        while self._more(0):
            pass
        return self.process.wait(0)

    def still_has_its_modes(self) -> bool:
        """Tell whether the terminal is as it was before."""
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


def test_each_drawing_is_what_a_single_run_prints(
    terminal: Terminal, project: Path, once: Callable[[], str]
) -> None:
    expected = [once()]
    terminal.until(1)
    worker(project).write_text("{}\n")
    expected.append(once())
    terminal.until(2)

    assert terminal.settled() == expected
    assert "PASSED" in expected[0]
    assert "NOT YET" in expected[1]


def test_what_was_on_the_terminal_is_scrolled_up_and_the_note_tells_how_to_end(
    terminal: Terminal,
) -> None:
    terminal.until(1)
    before, _, drawing = terminal.shown.partition(HOME)

    assert before == "\r\n" * 40
    assert re.search(
        r"\r\n\r\nPassed at \d\d:\d\d:\d\d\. Still watching\r\n"
        r"sandbox/\.pipeline/ISSUE-101/worker-result\.json\. Ctrl-C ends\.\r\n\Z",
        drawing,
    )


def test_a_plan_that_an_exercise_reads_besides_its_own_file_is_watched_too(
    terminal: Terminal, project: Path, once: Callable[[], str]
) -> None:
    terminal.until(1)
    (project / ISSUE / "plan.json").write_text("{}\n")
    second = once()

    assert terminal.until(2) == second
    assert "NOT YET" in second


def written_in_parts(file: Path, text: str) -> bool:
    """Write a file as a slow editor does; tell whether it was whole before the watch gives it up.

    A machine that is busy may keep us from writing for longer than that.
    """
    begun = time.monotonic()
    with file.open("w") as stream:
        for part in (text[:20], text[20:40], text[40:]):
            stream.write(part)
            stream.flush()
            time.sleep(0.06)  # the pauses of an editor, longer than a burst
    return time.monotonic() - begun < 0.24


def test_a_file_that_is_truncated_and_then_written_is_drawn_when_it_is_whole(
    terminal: Terminal, project: Path, once: Callable[[], str]
) -> None:
    terminal.until(1)
    text, number, seen = worker(project).read_text(), 1, len(terminal.shown)
    for name in ("x-other", "x-worker") * 10:
        if written_in_parts(worker(project), text.replace("x-worker", name)):
            break
        number, seen = terminal.until_last(once()), len(terminal.shown)

    assert terminal.until(number + 1) == once()
    assert len(terminal.settled()) == number + 1
    assert "is strict JSON" in terminal.drawings()[number]
    assert "To do: Mend the JSON" not in terminal.shown[seen:]


def test_a_file_that_stays_half_is_drawn_in_the_end(
    terminal: Terminal, project: Path, once: Callable[[], str]
) -> None:
    terminal.until(1)
    worker(project).write_text('{"status": ')

    assert terminal.until(2) == once()


def test_a_save_by_rename_is_drawn_once(
    terminal: Terminal, project: Path, once: Callable[[], str]
) -> None:
    terminal.until(1)
    new = worker(project).with_suffix(".tmp")
    new.write_text(worker(project).read_text().replace("completed", "blocked"))
    worker(project).rename(worker(project).with_suffix(".json~"))
    new.rename(worker(project))

    assert terminal.until(2) == once()
    assert len(terminal.settled()) == 2


@pytest.mark.parametrize("folder", [ISSUE, os.path.dirname(ISSUE), "sandbox", "."])
def test_a_folder_may_be_removed_and_made_again(
    terminal: Terminal, project: Path, tmp_path: Path, once: Callable[[], str], folder: str
) -> None:
    first = terminal.until(1)
    elsewhere = tmp_path / "elsewhere"
    shutil.copytree(project / folder, elsewhere)
    shutil.rmtree(project / folder)
    gone = terminal.settled()[-1]
    shutil.copytree(elsewhere, project / folder)
    back = terminal.settled()[-1]
    worker(project).write_text("{}\n")  # in the new folder, not in the one that has gone

    assert "worker-result.json is missing" in gone or "--project" in gone
    assert back == first
    assert terminal.settled()[-1] == once() != first


def test_folders_that_are_not_there_yet_are_waited_for(
    words: list[str], project: Path, tmp_path: Path, environment: Environment
) -> None:
    solved = (project / "sandbox").rename(tmp_path / "solved")
    terminal = Terminal([*words, "--watch"], environment(TERM="xterm", NO_COLOR="1"))
    try:
        begun = terminal.until(1)
        solved.rename(project / "sandbox")
        done = terminal.until(2)
    finally:
        terminal.close()

    assert ("NOT YET  0 of 10 points" in begun, "PASSED  10 of 10" in done) == (True, True)


def test_a_burst_of_saves_is_one_drawing(
    terminal: Terminal, project: Path, once: Callable[[], str]
) -> None:
    terminal.until(1)
    terminal.process.send_signal(signal.SIGSTOP)  # so that it sees the burst at once
    for number in range(50):
        worker(project).write_text(f'{{"status": "{number}"}}\n')
    terminal.process.send_signal(signal.SIGCONT)

    assert terminal.until(2) == once()
    assert len(terminal.settled()) == 2


def test_what_is_not_looked_at_draws_nothing(terminal: Terminal, project: Path) -> None:
    terminal.until(1)
    (project / "sandbox" / "node_modules").mkdir()
    (project / "sandbox" / "node_modules" / "index.js").touch()
    (project / ISSUE / "notes.txt").touch()

    assert len(terminal.settled()) == 1


def test_a_link_is_not_followed_to_what_it_leads_to(
    terminal: Terminal, project: Path, tmp_path: Path
) -> None:
    terminal.until(1)
    outside = (project / ISSUE).rename(tmp_path / "outside")
    (project / ISSUE).symlink_to(outside)
    second = terminal.until(2)
    (outside / "worker-result.json").write_text("{}\n")

    assert "is reached through a link, which is not followed" in " ".join(second.split())
    assert len(terminal.settled()) == 2


def test_the_width_is_that_of_the_terminal_at_the_time(
    terminal: Terminal, run: Run, words: list[str]
) -> None:
    terminal.until(1)
    terminal.resize(50)
    second = terminal.until(2)

    assert second == run(*words, env={"COLUMNS": "50", "NO_COLOR": "1"}).stdout


def test_ctrl_c_ends_with_130_one_word_and_the_terminal_as_it_was(terminal: Terminal) -> None:
    terminal.until(1)
    code = terminal.press_ctrl_c()
    rest = terminal.shown.rpartition("ends.\r\n")[2]

    assert (code, rest) == (130, "^Cinterrupted\r\n")
    assert terminal.still_has_its_modes()


def test_in_a_pipe_the_tables_follow_one_another(
    words: list[str], project: Path, once: Callable[[], str], environment: Environment
) -> None:
    first = once()
    with subprocess.Popen(
        [sys.executable, *words, "--watch"],
        cwd=ROOT,
        env=environment(COLUMNS="80"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        shown = "".join(process.stdout.readline() for _ in first.splitlines())
        note = process.stderr.readline() + process.stderr.readline()
        worker(project).write_text("{}\n")
        separator = "".join(process.stdout.readline() for _ in range(3))
        second = once()
        shown_next = "".join(process.stdout.readline() for _ in second.splitlines())
        process.send_signal(signal.SIGINT)
        rest, errors = process.communicate(timeout=LIMIT)

    assert (shown, shown_next, rest, process.returncode) == (first, second, "", 130)
    assert re.fullmatch(r"\n-{8} \d\d:\d\d:\d\d -{8}\n\n", separator)
    assert note.endswith("worker-result.json. Ctrl-C ends.\n")
    assert errors.endswith(" Ctrl-C ends.\ninterrupted\n")


CRASHING = """
import signal
from verify import command
from verify.request import Request

signal.signal(signal.SIGINT, signal.default_int_handler)
graded, grade = [], command.grade

def crash(attempt, *, strict):
    graded.append(attempt)
    return {}["lost"] if len(graded) > 1 else grade(attempt, strict=strict)

command.grade = crash
raise SystemExit(command.execute(
    Request(level="foundation", number="02", project=%r, watch=True)
))
"""


def test_a_harness_that_crashes_while_watching_ends_as_a_single_run_does(
    project: Path, tmp_path: Path, environment: Environment
) -> None:
    logs = tmp_path / "logs"
    logs.mkdir()
    with subprocess.Popen(
        [sys.executable, "-c", CRASHING % str(project)],
        cwd=ROOT,
        env=environment(TMPDIR=str(logs)),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stderr is not None
        note = process.stderr.readline() + process.stderr.readline()
        worker(project).write_text("{}\n")
        _, errors = process.communicate(timeout=LIMIT)

    assert note.endswith("Ctrl-C ends.\n")
    assert errors.startswith("verify: verify itself failed (KeyError): this is our fault; ")
    assert (process.returncode, errors.count("\n"), len(os.listdir(logs))) == (3, 1, 1)
