"""The list of exercises, of a level or of all: each with its state, and the next one to do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tabulate import tabulate

from verify.reporters.columns import NARROW, title_room, wrapped
from verify.reporters.marks import Mark, painted

if TYPE_CHECKING:
    from verify.model import Report
    from verify.reporters.base import Run, View


def overview(run: Run, view: View) -> str:
    """Return the table of the exercises and the command for the next one to do."""
    narrow = view.width < NARROW
    rows = [_row(report, view, narrow=narrow) for report in run.reports]
    headers = ["exercise", "state", "title", *([] if narrow else ["issue", "points"])]
    names = [report.exercise.name for report in run.reports]
    room = title_room(view.width, (names, ["not begun"]), headers)
    for row in rows:
        row[2] = wrapped(row[2], room - (0 if narrow else len("ISSUE-101") - len("issue  ")))
    table = tabulate(
        rows,
        headers=headers,
        tablefmt="simple",
        disable_numparse=True,
        colalign=["left", "left", "left", *([] if narrow else ["left", "right"])],
    )
    done = sum(report.passed for report in run.reports)
    level = f"{run.level}: " if run.level else ""
    lines = [f"{level}{done} of {len(run.reports)} exercises passed", "", table, ""]
    so_far = [] if narrow else _so_far(run, view)
    lines += [wrapped(f"So far: {'; '.join(so_far)}.", view.width), ""] if so_far else []
    todo = next((report for report in run.reports if not report.passed), None)
    if todo is not None:
        exercise = todo.exercise
        lines.append(
            f"Next, {exercise.name} - {exercise.title}:\n  {view.command(exercise.level, exercise)}"
        )
    elif view.following is not None:
        level = view.following.level
        lines.append(f"The level is done. Next, {level}:\n  {view.command(level, None)}")
    else:
        lines.append("The course is done.")
    return "\n".join(lines) + "\n"


def _row(report: Report, view: View, *, narrow: bool) -> list[str]:
    exercise = report.exercise
    if report.unresolved is not None:
        mark, state = Mark.ERROR, "unresolved"
    elif report.crashed:
        mark, state = Mark.ERROR, "ERROR"
    elif report.passed:
        mark, state = Mark.PASS, "passed"
    elif report.begun:
        mark, state = Mark.FAIL, "begun"
    else:
        mark, state = Mark.SKIP, "not begun"
    row = [exercise.name, painted(state, mark, colour=view.colour), exercise.title]
    return row + ([] if narrow else [exercise.issue or "-", _points(report)])


def _points(report: Report) -> str:
    return "-" if report.unresolved else f"{report.score}/{report.points}"


def _so_far(run: Run, view: View) -> list[str]:
    """Return what the learner's record adds to the states: runs, and when first passed."""
    known = [view.progress.get(report.exercise.name) for report in run.reports]
    return [
        f"{line.name} {line.runs} run{'s' * (line.runs != 1)}"
        + (f", first passed {line.passed}" if line.passed else "")
        for line in known
        if line
    ]
