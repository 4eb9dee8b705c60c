"""`verify next`: the first exercise of the course that is not passed."""

from __future__ import annotations

import os
import sys
import textwrap
from typing import TYPE_CHECKING

from pipeline.bootstrap import called
from pipeline.protocol.layout import is_issue_id
from pipeline.terminal.exit_codes import PASSED
from pipeline.terminal.streams import columns, deliver
from verify.commands.options import add_project
from verify.course import catalog
from verify.learner.check import command, exit_code, report_of
from verify.learner.request import GradingRequest, in_course, option_words, shown
from verify.reporters.base import GradedRun

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pipeline.terminal.arguments import Arguments
    from verify.grading.model import Exercise, Report


def add_options(parser: Arguments) -> None:
    """Add the options of `verify next`."""
    parser.set_defaults(command=show_next)
    add_project(parser)


@command
def show_next(*, project: str | None) -> int:
    """Show the first exercise of the course that is not passed; return the exit code."""
    for exercise in catalog.exercises():
        report = report_of(_request(exercise, project))
        if report.unresolved is not None:
            raise report.unresolved
        if report.crashed:
            return exit_code(GradedRun(exercise.level, (report,)), "")
        if not report.passed:
            deliver("\n".join(_lines(report, project)) + "\n")
            return PASSED
    pack = shown([*called("verify"), "pack", *option_words({"--project": project})])
    deliver(f"You have finished the course. To create the zip to submit: {pack}\n")
    return PASSED


def _lines(report: Report, project: str | None) -> Iterator[str]:
    exercise = report.exercise
    state = f"{report.score} of {report.points} points" if report.begun else "not begun"
    heading = f"{exercise.name} - {exercise.title} - {state}"
    yield textwrap.fill(heading, max(columns(sys.stdout), 40), break_on_hyphens=False)
    for issue in _issues(exercise):
        yield f"  task      {in_course(f'sandbox/issues/{issue}.md')}"
    yield f"  tutorial  {in_course(exercise.page)}"
    yield f"  grade     {grading_command(exercise, project)}"


def _issues(exercise: Exercise) -> list[str]:
    """Return the issues of an exercise: its own, or those that its artifacts belong to."""
    if exercise.issue:
        return [exercise.issue]
    names = [os.path.basename(os.path.dirname(path)) for path in exercise.paths]
    return list(dict.fromkeys(filter(is_issue_id, names)))


def grading_command(exercise: Exercise, project: str | None) -> str:
    """Return the command line that grades an exercise."""
    return shown(_request(exercise, project).words_for(exercise.level, exercise))


def _request(exercise: Exercise, project: str | None) -> GradingRequest:
    number = f"{exercise.number:02}"
    return GradingRequest(level=exercise.level, number=number, project=project, console=True)
