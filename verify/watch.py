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
from verify import catalog
from verify.batch.cache import AccessRecorder, changed_files, digests_of
from verify.check import (
    UsageError,
    carried_out,
    exit_code,
    graded,
    keep,
    no_submission,
    rendered,
)
from verify.files import NoSubmission, Unresolved
from verify.gradebook.records import CacheKey, reads_of
from verify.reporters.base import Run
from verify.submission import open_folder, open_submission

try:
    import termios
    import tty

    HAS_MODES = True
except ImportError:  # Windows: keys are not read, and not offered
    HAS_MODES = False

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from types import FrameType

    from typing_extensions import Self

    from verify.check import Request
    from verify.model import Exercise, Outcome, Report

TICK = 0.25  # s between looks without a notice: some file systems send none
PATIENCE = 0.25  # s in which a file that has just changed may become whole
STEP, BURST = 20, 200  # ms without a notice that end a burst of them, and its longest
MAX_READS = 256  # a plan may name thousands of files; the exercise's own come first
MOST_HINTS = 3
HINT, NEXT, QUIT, REDRAW = "h", "n", "q", "\f"

_OF_HISTORY = (".git/HEAD", ".git/logs/HEAD", ".pipeline/history.bundle")  # change with a commit
_SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGTSTP")  # end or suspend the process
_HOME, _CLEAR_BELOW = "\x1b[H", "\x1b[J"
_ROWS = 24  # of a terminal of unknown size


def watch(request: Request) -> int:
    """Watch what a request asks for; return the exit code of the last grading, 2, 3 or 130."""
    return carried_out(lambda: _watched(request), request.project)


def _watched(request: Request) -> int:
    """Show an exercise after each change, then the next one if asked to; return the exit code.

    Raises:
        UsageError: what is asked for cannot be watched.
        NoSubmission: it is missing at the start or at the end; in between it may come back.
    """
    if request.number is None:
        raise UsageError("--watch needs one exercise: add --exercise NN")
    if request.format != "table":
        raise UsageError("--watch works only with the table: the other formats are for programs")
    screen = Screen()
    with Keys() as keys:
        while True:
            report, following = Watching(request, screen, keys).run()
            if following is None:
                return exit_code(Run(request.level, (report,)), request.course)
            level, number = following.level, f"{following.number:02}"
            request = request._replace(level=level, number=number, target=None, issue=None, hint=0)


class Watching:
    """One exercise that is watched: the last grading, what is shown of it, and what keys do."""

    def __init__(self, request: Request, screen: Screen, keys: Keys) -> None:
        self._request, self._screen, self._keys = request, screen, keys
        self._exercise = request.exercise()
        self._root = _root_to_watch(request, self._exercise)
        self._report: Report | None = None
        self._lost = NoSubmission("does not exist")  # why there is no report
        self._recorder: AccessRecorder | None = None  # of what grading read
        self._outcomes: list[Outcome] = []

    def run(self) -> tuple[Report, Exercise | None]:
        """Return the last report, and the exercise that follows; raises as `_watched`.

        It ends by a key, or where a check of ours crashes.
        """
        self._grade()
        key = "" if self._report else QUIT
        while not key:
            self._show()
            if self._report and self._report.crashed:
                break
            key = self._wait()
            if not key:
                self._grade()
        if self._report is None:
            raise self._lost
        return self._report, self._following if key == NEXT else None

    @property
    def _passed(self) -> bool:
        return self._report is not None and self._report.passed

    @property
    def _following(self) -> Exercise | None:
        return catalog.following(self._exercise, self._request.course) if self._passed else None

    def _grade(self) -> None:
        try:
            with open_folder(self._root) as submission:
                recorder = self._recorder = AccessRecorder(submission)
                _read_all(recorder, self._exercise.paths)
                report = graded(self._request, self._exercise, recorder)
                if any(operation == "history" for operation, _ in reads_of(recorder.reads)):
                    _read_all(recorder, _OF_HISTORY)
        except NoSubmission as error:
            self._report, self._lost, self._recorder = None, error, None
            return
        self._report = report
        outcomes = [result.outcome for result in report.results]
        if outcomes != self._outcomes:  # saving a file again and again does not count as runs
            keep(self._request, report)
        self._outcomes = outcomes

    def _changed(self) -> tuple[str, ...]:
        """Return the paths whose content has changed; the root if it came or went."""
        try:
            if self._recorder is not None:
                return changed(self._root, self._recorder)
            open_folder(self._root).close()
        except NoSubmission:
            return () if self._recorder is None else ("",)
        return ("",)

    def _show(self) -> None:
        note = self._note()
        if self._report is None:
            text = f"{no_submission(self._request.project, self._lost)}\n"
        else:
            note = "" if self._report.crashed else note
            run, rows = Run(self._request.level, (self._report,)), self._screen.room(note)
            text = rendered(self._request, run, rows=rows, keys=self._keys.active).text
        self._screen.show(text, note)

    def _wait(self) -> str:
        """Return when something has changed, or with the key that ends this exercise."""
        paths = [path for _, path in reads_of(self._recorder.reads)] if self._recorder else []
        notices = notices_of(folders(self._root, paths), self._keys)
        size = self._screen.size()
        while not self._changed():
            key = self._keys.pressed()
            if key == QUIT or (key == NEXT and self._following):
                return key
            if key == HINT and not self._passed:
                hints = min(self._request.hint + 1, MOST_HINTS)
                self._request = self._request._replace(hint=hints)
            if key or self._screen.size() != size:
                size = self._screen.size()
                self._show()
            else:
                next(notices)
        deadline = time.monotonic() + PATIENCE  # an editor may still be writing
        while time.monotonic() < deadline and any(
            is_half_written(self._root, path) for path in self._changed()
        ):
            next(notices)
        return ""

    def _note(self) -> str:
        path, *others = self._exercise.paths
        more = f" and {len(others)} more" if others else ""
        start = f"Passed at {clock()}. Still watching" if self._passed else f"{clock()}  Watching"
        keys = "n next exercise, " if self._following else ""
        if self._report is not None and not self._passed:
            keys = "h hint, "
        ways_on = f"Keys: {keys}q quit." if self._keys.active else "Ctrl-C ends."
        return f"{start} {path}{more}. {ways_on}"


def _root_to_watch(request: Request, exercise: Exercise) -> str:
    """Return the submission's root, which is looked for once; raises as `_watched`."""
    if request.project is None:
        return request.root
    if os.path.isfile(request.root):
        raise UsageError("--watch needs a folder: an archive does not change")
    with open_submission(request.root, exercise.paths) as submission:
        try:
            return os.path.join(request.root, submission.located())
        except Unresolved as error:
            raise UsageError(f"{error.reason}. {error.step}") from None


def _read_all(recorder: AccessRecorder, paths: Iterable[str]) -> None:
    for path in paths:
        with suppress(Unreadable):
            recorder.read(path)


def changed(root: str, recorder: AccessRecorder) -> tuple[str, ...]:
    """Return the paths, among the first few, whose content has changed, without the history.

    Raises:
        NoSubmission: it is gone.
    """
    reads = [each for each in reads_of(recorder.reads) if each[0] != "history"]
    looked = json.dumps(reads[:MAX_READS])
    with open_folder(root) as submission:
        again = CacheKey(looked, digests_of(looked, submission))
    return changed_files(CacheKey(recorder.reads, recorder.digests), again)


def is_half_written(root: str, path: str) -> bool:
    """Return whether a file is missing, empty or incomplete JSON."""
    try:
        with open_folder(root) as submission:
            data = submission.read(path)
        if path.endswith(".json"):
            json.loads(data)
    except (NoSubmission, Unreadable, ValueError, RecursionError):
        return True
    return not data


def folders(root: str, paths: Iterable[str]) -> list[str]:
    """Return the folders that are there on the way to the paths, the root among them."""
    places = {root}
    for path in paths:
        names = path.split("/")
        if not {"", ".", ".."}.intersection(names):
            places.update(os.path.join(root, *names[:end]) for end in range(1, len(names)))
    return sorted(filter(os.path.isdir, places))


def notices_of(places: list[str], keys: Keys) -> Iterator[None]:
    """Yield when something may have changed in the folders, or a key was pressed.

    It is a hint that it is time to look, given at least every `TICK` seconds.
    """
    while True:
        with suppress(Exception):  # a folder has gone, or the system is out of watches
            from watchfiles import watch  # it takes as long as the first table

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
    """Standard output: one place of a terminal, or one text after the other in a pipe.

    What was on a terminal before is scrolled up, not written over.
    """

    def __init__(self) -> None:
        self._in_place = sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
        self._used = False

    def size(self) -> tuple[int, int]:
        """Return the current columns and rows; 0 rows mean any number."""
        return columns(sys.stdout), _rows() if self._in_place else 0

    def room(self, note: str) -> int:
        """Return the rows that are left above a note, 0 for any number."""
        lines = f"\n{_folded(note)}\n" if note else ""
        return max(1, _rows() - lines.count("\n") - 1) if self._in_place else 0

    def show(self, text: str, note: str) -> None:
        """Show a text in the place of the one before, and under it a note, unless that is empty.

        In a pipe the text is all that stdout carries, after a line with the time: the note goes to
        stderr.
        """
        note = _folded(note)
        if self._in_place:
            start = _HOME if self._used else "\n" * _rows() + _HOME
            deliver(f"{start}{_CLEAR_BELOW}{text}" + (f"\n{note}\n" if note else ""))
        else:
            deliver((f"\n-------- {clock()} --------\n\n" if self._used else "") + text)
            if note:
                tell(note)
        self._used = True


def clock() -> str:
    """Return the time of day."""
    return time.strftime("%H:%M:%S")


def _folded(note: str) -> str:
    width = max(columns(sys.stdout), 40)
    return textwrap.fill(note, width, break_on_hyphens=False, break_long_words=False)


def _rows() -> int:
    try:
        return os.get_terminal_size(sys.stdout.fileno()).lines or _ROWS
    except (OSError, ValueError):
        return _ROWS


class Keys:
    """Keys without Enter, where both ends are a terminal in the foreground.

    The terminal's modes are put back on every way out: the end of the `with`, a signal that ends or
    suspends the process. `active` says whether keys are read; `is_set` whether there is one.
    """

    def __init__(self) -> None:
        self.active = False
        self._modes: list[Any] = []
        self._handlers: dict[int, Any] = {}
        self._resumed = False

    def __enter__(self) -> Self:
        if not _is_terminal():
            return self
        self._input = sys.stdin.fileno()
        self._modes = termios.tcgetattr(self._input)
        self.active = True
        for name in _SIGNALS:
            number = getattr(signal, name)
            if signal.getsignal(number) is not signal.SIG_IGN:
                self._handlers[number] = signal.signal(number, self._on_signal)
        tty.setcbreak(self._input, termios.TCSADRAIN)
        return self

    def __exit__(self, *_: object) -> None:
        self._restore()
        for number, handler in self._handlers.items():
            signal.signal(number, handler)
        self.active = False

    def is_set(self) -> bool:
        """Return whether there is a key to read, or the terminal came back."""
        if not self.active:
            return False
        return self._resumed or bool(select.select([self._input], [], [], 0)[0])

    def pressed(self) -> str:
        """Return the next key, in lower case, empty where none was pressed; never waits."""
        if not self.is_set():
            return ""
        if self._resumed:
            self._resumed = False
            return REDRAW
        key = b""
        with suppress(OSError):
            key = os.read(self._input, 1)
        self.active = bool(key)  # a terminal that has gone sends nothing
        return key.decode("ascii", "replace").lower()

    def _restore(self) -> None:
        if self._modes:
            with suppress(termios.error):  # the terminal has gone
                termios.tcsetattr(self._input, termios.TCSADRAIN, self._modes)

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        self._restore()
        handler = self._handlers[number]
        if callable(handler):
            handler(number, frame)
            return
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
        # only a suspended process comes back
        signal.signal(number, self._on_signal)
        tty.setcbreak(self._input, termios.TCSADRAIN)
        self._resumed = True


def _is_terminal() -> bool:
    """Return whether keys can be read: from a terminal, in the foreground, one that can redraw."""
    if not HAS_MODES or os.environ.get("TERM") == "dumb":
        return False
    try:
        if not (sys.stdin.isatty() and sys.stdout.isatty()):
            return False
        return os.tcgetpgrp(sys.stdin.fileno()) == os.getpgrp()
    except (AttributeError, OSError, ValueError):  # closed, no file, or no terminal of this session
        return False
