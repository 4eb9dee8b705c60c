"""Grades, shows, waits until what was looked at has changed, and grades again."""

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


class Task(NamedTuple):
    """What is graded again and again, and what is done with each report.

    `grade` takes what is to be put before the submission's door; `text` shows a report as a single
    run does; `lost` says that there is no submission; `keep` is told of each report with
    other outcomes than the one before: saving a file again and again is not running again.
    """

    root: str
    paths: tuple[str, ...]
    grade: Callable[[Callable[[Submission], Submission]], Report]
    text: Callable[[Report], str]
    lost: Callable[[NoSubmission], str]
    keep: Callable[[Report], None]


class Notified(Protocol):
    """Tells when something may have changed."""

    def wait(self, folders: frozenset[str], seconds: float) -> None:
        """Return when something may have changed in the folders, or after some seconds."""

    def now(self) -> float:
        """Return the seconds of a clock that only goes forward."""


class Shown(Protocol):
    """Shows texts to a person."""

    def width(self) -> int:
        """Return the columns to write for, as they are now."""

    def show(self, text: str, note: str) -> None:
        """Show a text, and a note under it."""


class Look(NamedTuple):
    """One grading, or why there was none; what it looked at, and which of that was incomplete."""

    report: Report | None
    sentence: str
    stamps: dict[str, Stamp]
    incomplete: frozenset[str] = frozenset()

    def may_be_half_written(self, before: Look) -> bool:
        """Tell whether a file that is incomplete has changed since an earlier look."""
        return any(
            self.stamps.get(path, ()) != before.stamps.get(path, ()) for path in self.incomplete
        )


def watch(task: Task, screen: Shown, notices: Notified) -> Report:
    """Show a grading after each change, until a check of ours crashes: return that report.

    Raises:
        NoSubmission: there is none at the start; one that goes later may come back.
        KeyboardInterrupt: Ctrl-C, the usual end.
    """
    look, last = _look(task), None
    while True:
        width, report = screen.width(), look.report
        if report is None:
            screen.show(f"{look.sentence}\n", _note(task, passed=False))
        elif report.crashed:
            screen.show(task.text(report), "")
            return report
        else:
            screen.show(task.text(report), _note(task, passed=report.passed))
            outcomes = [result.outcome for result in report.results]
            if outcomes != last:
                task.keep(report)
            last = outcomes
        while screen.width() == width and not changed(task.root, look.stamps):
            notices.wait(folders(task.root, look.stamps), TICK)
        look = _settled(task, look, notices)


def _settled(task: Task, before: Look, notices: Notified) -> Look:
    """Grade again, and once more where an editor was in the middle of writing."""
    deadline = notices.now() + PATIENCE
    look = _looked_again(task, before)
    while look.may_be_half_written(before) and (left := deadline - notices.now()) > 0:
        notices.wait(folders(task.root, look.stamps), left)
        if changed(task.root, look.stamps):
            look = _looked_again(task, look)
    return look


def _look(task: Task) -> Look:
    sights: list[Sight] = []

    def door(submission: Submission) -> Submission:
        sights.append(Sight(submission, task.paths))
        return sights[-1]

    report = task.grade(door)
    (sight,) = sights
    return Look(report, "", sight.stamps, frozenset(sight.incomplete))


def _looked_again(task: Task, before: Look) -> Look:
    # before the try: what is there now may be no folder, or one that cannot be opened
    there = {path: stamp(task.root, path) for path in before.stamps}
    try:
        return _look(task)
    except NoSubmission as error:
        return Look(None, task.lost(error), there)


def _note(task: Task, *, passed: bool) -> str:
    path, *others = task.paths
    more = f" and {len(others)} more" if others else ""
    start = f"Passed at {clock()}. Still watching" if passed else f"{clock()}  Watching"
    return f"{start} {path}{more}. Ctrl-C ends."
