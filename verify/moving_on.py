"""The commands between exercises: which one is next, and beginning one again."""

from __future__ import annotations

import os
import sys
import textwrap
from typing import TYPE_CHECKING

from pipeline.bootstrap import ROOT, called_as, from_here, interruptible
from pipeline.protocol.layout import is_issue_id
from pipeline.terminal.crash import broken
from pipeline.terminal.display import visible
from pipeline.terminal.exit_codes import PASSED
from pipeline.terminal.streams import columns, deliver
from verify import catalog
from verify.aside import NotMoved, set_aside
from verify.check import report_of
from verify.command import carried_out, root_of, shown, task_of
from verify.progress import note_reset
from verify.request import Request, UsageError
from verify.submission import open_folder

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verify.model import Exercise, Report


def show_next(project: str | None) -> int:
    """Show the first exercise of the course that is not passed; return the exit code."""
    return carried_out(lambda: _show_next(project), project)


def reset(level: str, number: str, project: str | None) -> int:
    """Move the artifacts of an exercise aside; return the exit code."""
    return carried_out(lambda: _reset(catalog.find(level, number), project), project)


def _show_next(project: str | None) -> int:
    for level in catalog.LEVELS:
        for exercise in catalog.level(level):
            report = report_of(task_of(_request(exercise, project), str(exercise.number)))
            if report.unresolved is not None:
                raise UsageError(f"{report.unresolved.reason}. {report.unresolved.step}")
            if report.crashed:
                crash = report.crashed[0]
                return broken(f"the check {crash.check.code} crashed", crash.verdict.crash)
            if not report.passed:
                deliver("\n".join(_next_lines(report, project)) + "\n")
                return PASSED
    deliver(f"The course is done. What to submit: {called_as('verify')} pack\n")
    return PASSED


def _next_lines(report: Report, project: str | None) -> Iterator[str]:
    exercise = report.exercise
    state = f"{report.score} of {report.points} points" if report.begun else "not begun"
    heading = f"{exercise.name} - {exercise.title} - {state}"
    yield textwrap.fill(heading, max(columns(sys.stdout), 40), break_on_hyphens=False)
    for issue in _issues(exercise):
        yield f"  task      {_from_here('sandbox', 'issues', f'{issue}.md')}"
    yield f"  tutorial  {_from_here(*exercise.page.split('/'))}"
    yield f"  grade     {_command(exercise, project)}"


def _issues(exercise: Exercise) -> list[str]:
    """Return the issues of an exercise: its own, or those that its artifacts belong to."""
    if exercise.issue:
        return [exercise.issue]
    names = [os.path.basename(os.path.dirname(path)) for path in exercise.paths]
    return list(dict.fromkeys(filter(is_issue_id, names)))


def _reset(exercise: Exercise, project: str | None) -> int:
    interruptible()  # what was moved is moved back
    root = root_of(project)
    open_folder(root).close()  # raises where there is no submission
    label = f"{exercise.level}-{exercise.number:02}"
    try:
        moves = set_aside(root, exercise.paths, label, keep=exercise.target or "")
    except NotMoved as error:
        raise UsageError(visible(str(error), 1_000)) from None
    if not moves:
        deliver(f"{exercise.name}: nothing is there yet, so nothing was moved.\n")
        return PASSED
    lines = [f"moved {move.source}\n   to {move.destination}" for move in moves]
    lines += [
        "Code and branches stay as they are.",
        f"{exercise.name} begins again:",
        f"  {_command(exercise, project)}",
    ]
    deliver("\n".join(lines) + "\n")
    if project is None:
        note_reset(exercise.name)
    return PASSED


def _command(exercise: Exercise, project: str | None) -> str:
    words = _request(exercise, project).words_for(exercise.level, exercise)
    return shown(words)


def _request(exercise: Exercise, project: str | None) -> Request:
    number = f"{exercise.number:02}"
    return Request(level=exercise.level, number=number, project=project, console=True)


def _from_here(*names: str) -> str:
    return from_here(os.path.join(ROOT, *names))
