"""The learner's own record, `progress.txt`: one line for each exercise, to read and keep."""

from __future__ import annotations

import os
import re
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, NamedTuple

from pipeline.bootstrap import ROOT
from pipeline.files import MISSING, Unreadable, read_file, reason_of, writing_whole
from pipeline.terminal.streams import tell

if TYPE_CHECKING:
    from collections.abc import Iterator

FILE = os.path.join(ROOT, "progress.txt")

_HEADING = "# Your progress in the course. verify.py updates only the lines of exercises.\n"
_LIMIT = 64 << 10  # bytes; twelve lines take one kilobyte
_LINE = re.compile(
    r"(\S+) (?:passed ([0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2})|begun -)"
    r" ([0-9]{1,6}) of ([0-9]{1,6}) points runs ([0-9]{1,6})(?: reset .*)?"
)


class ProgressLine(NamedTuple):
    """What is known of one exercise."""

    name: str
    passed: str = ""  #: when it was first passed, or empty
    best: int = 0  #: points
    points: int = 0
    runs: int = 0  #: how often it was graded

    def __str__(self) -> str:
        """Return the line as it is in the file."""
        state = f"passed  {self.passed}" if self.passed else f"begun   {'-':<16}"
        score = f"{self.best} of {self.points} points"
        return f"{self.name:<15}  {state}  {score:<15}  runs {self.runs}"

    def with_run(self, *, passed: bool, score: int, points: int, now: str) -> ProgressLine:
        """Return the line after one more run: the first pass and the best score stay."""
        return self._replace(
            passed=self.passed or (now if passed else ""),
            best=min(max(self.best, score), points),  # the exercise may have lost points since
            points=points,
            runs=self.runs + 1,
        )


def parse(text: str) -> ProgressLine | None:
    """Return the values of a line, None if it is not ours."""
    match = _LINE.fullmatch(" ".join(text.split()))
    if match is None:
        return None
    name, passed, *numbers = match.groups("")
    return ProgressLine(name, passed, *map(int, numbers))


def note_run(name: str, *, passed: bool, score: int, points: int) -> None:
    """Count a run of an exercise; a file that cannot be written is one line on stderr."""
    try:
        with _alone():
            _note(name, passed=passed, score=score, points=points)
    except Unreadable as error:
        tell(f"verify: progress.txt {error}, so this run is not recorded")
    except OSError as error:
        why = reason_of(error)
        tell(f"verify: progress.txt cannot be written: {why}, so this run is not recorded")


@contextmanager
def _alone() -> Iterator[None]:
    """Let one run at a time change the record, where the system has locks."""
    with open(__file__, "rb") as file:  # not the record, which each run replaces
        with suppress(ImportError, OSError):
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _note(name: str, *, passed: bool, score: int, points: int) -> None:
    lines = (_read() or _HEADING).removesuffix("\n").split("\n")
    ours = [(at, line) for at, line in enumerate(map(parse, lines)) if line]
    same = ((at, line) for at, line in ours if line.name == name)
    at, line = next(same, (len(lines), ProgressLine(name)))  # the first of several, else a new one
    line = line.with_run(passed=passed, score=score, points=points, now=_now())
    lines[at : at + 1] = [f"{line}"]
    with writing_whole(FILE, synced=False) as file:  # it need not be on the disk at once
        file.write("\n".join([*lines, ""]).encode("utf-8", "surrogateescape"))


def _read() -> str:
    """Return the file's text, empty if it is missing; bytes that are not UTF-8 are kept."""
    try:
        return read_file(FILE, _LIMIT, follow=False).decode("utf-8", "surrogateescape")
    except Unreadable as error:
        if error.reason != MISSING:
            raise
        return ""


def _now() -> str:
    return time.strftime("%Y-%m-%d %H:%M")
