"""`--watch`: grades an exercise again when something that grading read has changed."""

from __future__ import annotations

import json
import os
import select
import signal
import sys
import textwrap
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from pipeline.files import Unreadable
from pipeline.terminal.streams import columns, deliver, tell
from verify.batch.cache import AccessRecorder, changed_files, digests_of
from verify.course import catalog
from verify.gradebook.columns import reads_of
from verify.gradebook.records import CacheKey
from verify.learner.check import (
    UsageError,
    carried_out,
    exit_code,
    graded,
    keep,
    with_seed,
)
from verify.learner.request import rendered
from verify.reporters.base import GradedRun
from verify.submissions.submission import OpenSubmission, open_content, open_folder

with suppress(ImportError):  # Windows: keys are neither read nor offered
    import termios
    import tty

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

    from typing_extensions import Self

    from verify.grading.model import Exercise, Outcome, Report
    from verify.learner.request import GradingRequest

TICK = 0.25  # s between looks without a notice: some file systems send none
STEP, BURST = 20, 200  # ms without a notice that end a burst of them, and its longest
PATIENCE = 0.5  # s that an editor has to write a file that it has emptied
MAX_READS = 256  # a plan may name thousands of files; the exercise's own come first
_ROWS = 24  # of a terminal of unknown size
HINT, NEXT, QUIT = "h", "n", "q"

_OF_HISTORY = (".git/HEAD", ".git/logs/HEAD", ".pipeline/history.bundle")  # change with a commit
_HOME, _CLEAR_BELOW = "\x1b[H", "\x1b[J"


def watch(request: GradingRequest) -> int:
    """Watch what a request asks for; return the exit code of the last grading, 2, 3 or 130."""
    return carried_out(lambda: _watched(request), request.project)


def _watched(request: GradingRequest) -> int:
    """Show an exercise after each change, then the next one if asked to; return the exit code."""
    if request.number is None:
        raise UsageError("--watch needs one exercise: add --exercise NN")
    if request.format != "table":
        raise UsageError("--watch works only with the table: remove --format")
    screen = Screen()
    with Keys() as keys:
        while True:
            run = with_seed(request, request.exercise())
            report, following = Watching(run, screen, keys).run()
            if following is None:
                return exit_code(GradedRun(request.level, (report,)), request.course)
            level, number = following.level, f"{following.number:02}"
            request = request._replace(level=level, number=number, target=None, issue=None, hint=0)


class Watching:
    """One exercise that is watched: its last grading, what is shown of it, and what keys do."""

    def __init__(self, request: GradingRequest, screen: Screen, keys: Keys) -> None:
        self._request, self._screen, self._keys = request, screen, keys
        self._exercise = request.exercise()
        self._root = _root_to_watch(request, self._exercise)
        self._outcomes: list[Outcome] = []
        self._report = self._grade()

    def run(self) -> tuple[Report, Exercise | None]:
        """Return the last report, and the exercise that follows if the user wants it.

        A key ends it, or a check of ours that crashes.
        """
        while True:
            self._show()
            key = QUIT if self._report.crashed else self._wait()
            if key:
                return self._report, self._following if key == NEXT else None
            self._report = self._grade()

    @property
    def _following(self) -> Exercise | None:
        passed = self._report.passed
        return catalog.following(self._exercise, self._request.course) if passed else None

    def _grade(self) -> Report:
        with open_folder(self._root) as submission:
            recorder = AccessRecorder(submission)
            for path in (*self._exercise.paths, *_OF_HISTORY):
                with suppress(Unreadable):
                    recorder.read(path)
            report = graded(self._request, self._exercise, recorder)
        self._seen = CacheKey(recorder.reads, recorder.digests)
        outcomes = [result.outcome for result in report.results]
        if outcomes != self._outcomes:  # saving a file again and again does not count as runs
            keep(self._request, report)
        self._outcomes = outcomes
        return report

    def _changed(self) -> tuple[str, ...]:
        """Return the paths, among the first that were read, whose content has changed."""
        reads = [read for read in reads_of(self._seen.reads) if read[0] != "history"]
        looked = json.dumps(reads[:MAX_READS])
        with open_folder(self._root) as submission:
            now = CacheKey(looked, digests_of(looked, submission))
        return changed_files(self._seen, now)

    def _is_half_saved(self) -> bool:
        """Return whether a file that has changed is missing or empty: an editor may still write."""
        for path in self._changed():
            with suppress(OSError):
                if os.lstat(os.path.join(self._root, path)).st_size:
                    continue
            return True
        return False

    def _show(self) -> None:
        note = "" if self._report.crashed else self._note()
        run, rows = GradedRun(self._request.level, (self._report,)), self._screen.room(note)
        text = rendered(self._request, run, rows=rows, keys=self._keys.active).text
        self._screen.show(text, note)

    def _wait(self) -> str:
        """Return when something has changed, or with the key that ends this exercise."""
        for _ in notices_of(self._folders(), self._keys):
            key = self._keys.pressed()
            if key == QUIT or (key == NEXT and self._following):
                return key
            if self._changed():
                end = time.monotonic() + PATIENCE
                while self._is_half_saved() and time.monotonic() < end:
                    time.sleep(STEP / 1000)
                break
            if key == HINT and not self._report.passed:
                self._request = self._request._replace(hint=self._request.hint + 1)
            if key or self._screen.has_new_size:
                self._show()
        return ""

    def _folders(self) -> list[str]:
        """Return the folders that are there on the way to what was read, the root among them."""
        places = {self._root}
        for _, path in reads_of(self._seen.reads):
            names = path.split("/")
            if not {"", ".", ".."}.intersection(names):
                places.update(os.path.join(self._root, *names[:end]) for end in range(len(names)))
        return sorted(filter(os.path.isdir, places))

    def _note(self) -> str:
        path, *rest = self._exercise.paths
        more = f" and {len(rest)} more" if rest else ""
        passed, now = self._report.passed, clock()
        start = f"Passed at {now}. Still watching" if passed else f"{now}  Watching"
        keys = "n next exercise, " if self._following else "" if passed else "h hint, "
        ways_on = f"Keys: {keys}q quit." if self._keys.active else "Press Ctrl-C to stop."
        return f"{start} {path}{more}. {ways_on}"


def _root_to_watch(request: GradingRequest, exercise: Exercise) -> str:
    """Return the submission's root, which is looked for once; raises `UsageError`, `Unresolved`."""
    if request.project is None:
        return request.root
    if os.path.isfile(request.root):
        raise UsageError("--watch needs a folder: unpack the archive first")
    with OpenSubmission(open_content(request.root), exercise.paths) as submission:
        return os.path.join(request.root, submission.located())


def notices_of(places: list[str], keys: Keys) -> Iterator[None]:
    """Yield when it is time to look: files changed, a key was pressed, or `TICK` is over."""
    from watchfiles import watch  # it takes as long as the first table

    while True:
        with suppress(Exception):  # a folder has gone, or the system is out of watches
            for _ in watch(
                *places,
                watch_filter=None,
                debounce=BURST,
                step=STEP,
                stop_event=keys,
                rust_timeout=int(TICK * 1000),
                yield_on_timeout=True,
                recursive=False,  # node_modules and the like are not watched
            ):
                yield
        if not keys.is_set():
            time.sleep(TICK)
        yield


class Screen:
    """Standard output: one place of a terminal, or one text after the other in a pipe."""

    def __init__(self) -> None:
        self._in_place = sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
        self._size = _size()
        # what was there before is scrolled up, not written over
        self._start = "\n" * _rows() + _HOME if self._in_place else ""

    def room(self, note: str) -> int:
        """Return the rows that are left above a note, 0 for any number."""
        return max(1, _rows() - _folded(note).count("\n") - 1) if self._in_place else 0

    def show(self, text: str, note: str) -> None:
        """Show a text in the place of the one before, and under it a note, unless that is empty.

        In a pipe a line with the time is between two texts, and the notes go to stderr.
        """
        self._size = _size()
        if self._in_place:
            deliver(f"{self._start}{_CLEAR_BELOW}{text}{_folded(note)}")
            self._start = _HOME
        else:
            deliver(f"{self._start}{text}")
            self._start = f"\n-------- {clock()} --------\n\n"
            if note:
                tell(note)

    @property
    def has_new_size(self) -> bool:
        """Return whether the terminal has another size than for the last text."""
        return self._in_place and _size() != self._size


def clock() -> str:
    """Return the time of day."""
    return time.strftime("%H:%M:%S")


def _folded(note: str) -> str:
    width = max(columns(sys.stdout), 40)
    folded = textwrap.fill(note, width, break_on_hyphens=False, break_long_words=False)
    return f"\n{folded}\n" if note else ""


def _rows() -> int:
    return _size()[1] or _ROWS


def _size() -> tuple[int, int]:
    """Return the columns and lines of the terminal, 0 where they are not known."""
    with suppress(OSError, ValueError):  # not a terminal, or closed
        return os.get_terminal_size(sys.stdout.fileno())
    return 0, 0


class Keys:
    """Keys without Enter, where both ends are a terminal in the foreground.

    The terminal's modes are put back at the end of the `with`, and on a signal that ends the
    process. `active` says whether keys are read.
    """

    def __init__(self) -> None:
        self.active = False
        self._modes: list[Any] = []
        self._handlers: dict[int, Any] = {}

    def __enter__(self) -> Self:
        self.active = _is_terminal()
        if self.active:
            self._modes = termios.tcgetattr(sys.stdin)
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
                self._handlers[number] = signal.signal(number, self._on_signal)
            tty.setcbreak(sys.stdin, termios.TCSADRAIN)
        return self

    def __exit__(self, *_: object) -> None:
        if self._modes:
            with suppress(termios.error):  # the terminal has gone
                termios.tcsetattr(sys.stdin, termios.TCSADRAIN, self._modes)

    def is_set(self) -> bool:
        """Return whether there is a key to read; `watch` asks."""
        return self.active and bool(select.select([sys.stdin], [], [], 0)[0])

    def pressed(self) -> str:
        """Return the next key, in lower case, empty where none was pressed; never waits."""
        if not self.is_set():
            return ""
        key = b""
        with suppress(OSError):
            key = os.read(sys.stdin.fileno(), 1)
        self.active = bool(key)  # a terminal that has gone sends nothing
        return key.decode("ascii", "replace").lower()

    def _on_signal(self, number: int, _: FrameType | None) -> None:
        self.__exit__()
        signal.signal(number, self._handlers[number])
        signal.raise_signal(number)


def _is_terminal() -> bool:
    """Return whether keys can be read: from a terminal, in the foreground, one that can redraw."""
    try:
        both = sys.stdin.isatty() and sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
        return both and os.tcgetpgrp(sys.stdin.fileno()) == os.getpgrp()
    except (AttributeError, OSError, ValueError):  # closed, on Windows, or of another session
        return False
