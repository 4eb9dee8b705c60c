"""The part of a tutorial that explains the checks: a table, and a section with an anchor each."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from tools.markdown import fenced, plain
from verify.commands.explain import condition
from verify.model import Outcome
from verify.reporters.base import View
from verify.reporters.failures import failure_lines
from verify.selftest.course import submissions_of
from verify.selftest.fixtures import expectation, graded
from verify.selftest.shipped import the_course

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verify.model import Check, Exercise, Report

_VIEW = View(command=lambda level, _: level, width=88)


def check_table(exercise: Exercise) -> str:
    """Return the table of an exercise's checks, each with a link to its section."""
    lines = ["| check | what holds | points |", "| --- | --- | --- |"]
    for check in exercise.checks:
        points = "advisory" if check.advisory else str(check.points)
        lines.append(f"| [{check.code}](#{check.anchor}) | {plain(check.title)} | {points} |")
    return "\n".join(lines)


def check_sections(exercise: Exercise) -> str:
    """Return a section for each check: why, how it looks when it fails, how to fix it."""
    failures = _failures(exercise)
    return "\n\n".join(_section(check, failures[check.code]) for check in exercise.checks)


def _section(check: Check, failure: str) -> str:
    parts = [
        f'### <a id="{check.anchor}"></a>{check.code}: {plain(check.title)}',
        plain(f"{check.why} {condition(check)}".strip()),
        f"When it fails:\n\n{fenced(failure, 'text')}",
        f"- Look at: {plain(check.look)}\n- Change: {plain(check.hint)}",
    ]
    if check.example:
        parts.append(f"For example:\n\n{fenced(check.example)}")
    return "\n\n".join(parts)


def _failures(exercise: Exercise) -> dict[str, str]:
    """Return how each check looks when it fails, on the first submission that fails it."""
    shown: dict[str, str] = {}
    for report in _broken(exercise):
        for result in report.results:
            if result.outcome is Outcome.FAIL:
                lines = failure_lines(result, _VIEW)
                shown.setdefault(result.check.code, "\n".join(lines))
    return shown


def _broken(exercise: Exercise) -> Iterator[Report]:
    """Yield the reports on submissions that fail something, the broken ones before the unsolved."""
    course = the_course()
    for name in sorted(
        submissions_of(course, exercise), key=lambda name: (name == "unsolved", name)
    ):
        path = os.path.join(course.folder_of(exercise), name)
        yield graded(course, exercise, path, expectation(path))
