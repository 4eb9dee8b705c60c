"""Grades, shows, waits until what was looked at has changed or a key is pressed, and again."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

from verify.files import NoSubmission
from verify.watching.screen import clock
from verify.watching.sight import Sight, changed, folders, stamp

if TYPE_CHECKING:
    from collections.abc import Callable

    from verify.model import Report
    from verify.submission import Submission
    from verify.watching.sight import Stamp

TICK = 0.5  # s after which one looks even without a notice: some file systems give none
PATIENCE = 0.25  # s for a file that was just changed to become whole
MOST_HINTS = 3
HINT, NEXT, QUIT = "h", "n", "q"


class Task(NamedTuple):
    """What is graded again and again, and what is done with each report.

    `grade` takes what is to be put before the submission's door; `text` shows a report with some
    hints in some rows, 0 for any number; `lost` says that there is no submission; `keep` gets each
    report with other outcomes than the one before: saving a file again and again is not running
    again. `following` says whether there is an exercise after this one.
    """

    root: str
    paths: tuple[str, ...]
    grade: Callable[[Callable[[Submission], Submission]], Report]
    text: Callable[[Report, int, int], str]
    lost: Callable[[NoSubmission], str]
    keep: Callable[[Report], None]
    hints: int = 0
    following: bool = False


class Notified(Protocol):
    """Tells when something may have changed."""

    def wait(self, folders: frozenset[str], seconds: float) -> None:
        """Return when something may have changed in the folders, or after some seconds."""

    def now(self) -> float:
        """Return the seconds of a clock that only goes forward."""


class Shown(Protocol):
    """Shows texts to a person."""

    def size(self) -> tuple[int, int]:
        """Return the columns and rows to write for, as they are now; 0 rows are any number."""

    def room(self, note: str) -> int:
        """Return the rows that are left above a note, 0 for any number."""

    def show(self, text: str, note: str) -> None:
        """Show a text, and a note under it."""


class Pressed(Protocol):
    """Reads the keys of a person."""

    active: bool

    def pressed(self) -> str:
        """Return the next key, empty for none; never waits."""


class Look(NamedTuple):
    """One grading, or why there was none; what it looked at, and which of that was incomplete."""

    report: Report | None
    lost: NoSubmission | None
    stamps: dict[str, Stamp]
    incomplete: frozenset[str] = frozenset()

    @property
    def passed(self) -> bool:
        """Return whether there is a submission that passes."""
        return self.report is not None and self.report.passed

    def may_be_half_written(self, before: Look) -> bool:
        """Tell whether a file that is incomplete has changed since an earlier look."""
        return any(
            self.stamps.get(path, ()) != before.stamps.get(path, ()) for path in self.incomplete
        )


class Watching:
    """One exercise that is watched: what is shown of it, and what the keys do."""

    def __init__(self, task: Task, screen: Shown, notices: Notified, keys: Pressed) -> None:
        self._task, self._screen, self._notices, self._keys = task, screen, notices, keys
        self._hints = task.hints

    def run(self) -> tuple[Report, bool]:
        """Show a grading after each change; return the last, and whether the next is asked for.

        It ends by the keys, or where a check of ours crashes.

        Raises:
            NoSubmission: there is none at the start, or at the end; in between it may come back.
            KeyboardInterrupt: Ctrl-C.
        """
        look, last = _look(self._task), None
        while True:
            self._show(look)
            if look.report is not None and look.report.crashed:
                return look.report, False
            outcomes = look.report and [result.outcome for result in look.report.results]
            if look.report is not None and outcomes != last:
                self._task.keep(look.report)
                last = outcomes
            key = self._wait(look)
            if key:
                if look.report is None:
                    raise look.lost or NoSubmission("does not exist")
                return look.report, key == NEXT
            look = self._settled(look)

    def _show(self, look: Look) -> None:
        if look.report is None:
            sentence = self._task.lost(look.lost) if look.lost else ""
            self._screen.show(f"{sentence}\n", self._note(look))
            return
        note = "" if look.report.crashed else self._note(look)
        text = self._task.text(look.report, self._hints, self._screen.room(note))
        self._screen.show(text, note)

    def _wait(self, look: Look) -> str:
        """Return when something has changed, or with the key that ends this exercise."""
        size = self._screen.size()
        while not changed(self._task.root, look.stamps):
            key = self._keys.pressed()
            if key == QUIT or (key == NEXT and look.passed and self._task.following):
                return key
            if key == HINT and not look.passed:
                self._hints = min(self._hints + 1, MOST_HINTS)
            if key or self._screen.size() != size:
                size = self._screen.size()
                self._show(look)
            else:
                self._notices.wait(folders(self._task.root, look.stamps), TICK)
        return ""

    def _settled(self, before: Look) -> Look:
        """Grade again, and once more where an editor was in the middle of writing."""
        task, notices = self._task, self._notices
        deadline = notices.now() + PATIENCE
        look = _looked_again(task, before)
        while look.may_be_half_written(before) and (left := deadline - notices.now()) > 0:
            notices.wait(folders(task.root, look.stamps), left)
            if changed(task.root, look.stamps):
                look = _looked_again(task, look)
        return look

    def _note(self, look: Look) -> str:
        path, *others = self._task.paths
        more = f" and {len(others)} more" if others else ""
        start = f"Passed at {clock()}. Still watching" if look.passed else f"{clock()}  Watching"
        return f"{start} {path}{more}. {self._ways_on(look)}"

    def _ways_on(self, look: Look) -> str:
        if not self._keys.active:
            return "Ctrl-C ends."
        key = "h hint, " if look.report is not None else ""
        if look.passed:
            key = "n next exercise, " if self._task.following else ""
        return f"Keys: {key}q quit."


def _look(task: Task) -> Look:
    sights: list[Sight] = []

    def door(submission: Submission) -> Submission:
        sights.append(Sight(submission, task.paths))
        return sights[-1]

    report = task.grade(door)
    (sight,) = sights
    return Look(report, None, sight.stamps, frozenset(sight.incomplete))


def _looked_again(task: Task, before: Look) -> Look:
    # before the try: what is there now may be no folder, or one that cannot be opened
    there = {path: stamp(task.root, path) for path in before.stamps}
    try:
        return _look(task)
    except NoSubmission as error:
        return Look(None, error, there)
