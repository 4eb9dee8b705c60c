"""How long a learner who watches waits: from a save to the redrawn table, on a real terminal.

usage: python benchmarks/watching.py [--saves 50]

Prints the median and the 90th percentile in milliseconds, and as a ratio to the floor: how long the
library that gives the notice takes for the same save with the same settings, and nothing else. Both
hear of every save, the floor in a thread of this process.
"""

from __future__ import annotations

import argparse
import fcntl
import os
import pty
import shutil
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time
from typing import TYPE_CHECKING, NamedTuple

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[0] = ROOT

from watchfiles._rust_notify import RustNotify

from verify.learner.watch import BURST, STEP

if TYPE_CHECKING:
    from collections.abc import Callable

SOLVED = os.path.join(ROOT, "fixtures", "submissions", "practitioner", "02-delegate", "solved")
PLAN = os.path.join("sandbox", ".pipeline", "ISSUE-201", "plan.json")
VERIFY = os.path.join(ROOT, "docs", "practitioner", "tutorials", "verify.py")
END = b"stop."
PAUSE = 0.1  # s between saves, so that each is a change of its own
LIMIT = 60  # s after which nothing more is waited for


class Save(NamedTuple):
    """One save: seconds to the redrawn table, and to the library's bare notice."""

    redrawn: float
    noticed: float


class Watched:
    """A plan that the command watches on a pseudo-terminal, and a thread that only hears of it."""

    def __init__(self, project: str) -> None:
        self._plan = os.path.join(project, PLAN)
        with open(self._plan, encoding="utf-8") as file:
            self.text = file.read()
        self._terminal, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 100, 0, 0))
        words = [sys.executable, VERIFY, "--exercise", "02", "--project", project, "--watch"]
        self.process = subprocess.Popen(words, stdin=theirs, stdout=theirs, stderr=theirs)
        os.close(theirs)
        self._notify = RustNotify(
            [os.path.dirname(self._plan)],
            debug=False,
            force_polling=False,
            poll_delay_ms=0,
            recursive=False,
            ignore_permission_denied=False,
        )
        self._until_drawn()
        time.sleep(1)  # the command arms its watch after its first table

    def save(self, text: str) -> Save:
        """Write the plan as an editor does, whole and in place, and time what follows."""
        noticed: list[float] = []
        listener = threading.Thread(target=self._listen, args=(noticed,))
        listener.start()
        start = time.perf_counter()
        with open(self._plan, "w", encoding="utf-8") as file:
            file.write(text)
        self._until_drawn()
        redrawn = time.perf_counter() - start
        listener.join(LIMIT)
        time.sleep(PAUSE)
        return Save(redrawn, noticed[0] - start)

    def close(self) -> None:
        """End the command."""
        self.process.kill()
        self.process.wait()
        self._notify.close()
        os.close(self._terminal)

    def _listen(self, noticed: list[float]) -> None:
        self._notify.watch(BURST, STEP, LIMIT * 1000, None)
        noticed.append(time.perf_counter())

    def _until_drawn(self) -> None:
        shown = b""
        while END not in shown:
            shown += os.read(self._terminal, 65_536)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="From a save to the redrawn table.")
    parser.add_argument("--saves", type=int, default=50, help="saves of each kind")
    count = parser.parse_args().saves
    texts: dict[str, Callable[[str, int], str]] = {
        "a plan that passes (median at most 150)": lambda text, number: text + " " * number,
        "a plan that fails": lambda text, number: text.replace('"order": 1', f'"order": -{number}'),
        "a plan that is no JSON": lambda text, number: text[: -9 - number % 2],
    }
    print(f"{'what is saved':<42}{'median ms':>10}{'p90 ms':>8}{'floor ms':>10}{'ratio':>7}")
    with tempfile.TemporaryDirectory() as folder:
        watched = Watched(shutil.copytree(SOLVED, os.path.join(folder, "work")))
        try:
            for name, text_of in texts.items():
                saves = [watched.save(text_of(watched.text, n)) for n in range(1, count + 2)][1:]
                print_row(name, saves)
        finally:
            watched.close()


def print_row(name: str, saves: list[Save]) -> None:
    """Print the figures of one kind of save."""
    redrawn = sorted(save.redrawn * 1000 for save in saves)
    floor = statistics.median(save.noticed for save in saves) * 1000
    ratio = statistics.median(save.redrawn / save.noticed for save in saves)
    p90 = redrawn[len(redrawn) * 9 // 10]
    print(
        f"{name:<42}{statistics.median(redrawn):>10.0f}{p90:>8.0f}{floor:>10.0f}{ratio:>7.2f}",
        flush=True,
    )


if __name__ == "__main__":
    main()
