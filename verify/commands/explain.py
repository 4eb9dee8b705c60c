"""`verify explain`: one check in words, as its page in the reference has it."""

from __future__ import annotations

import sys
import textwrap
from typing import TYPE_CHECKING

from pipeline.terminal.display import did_you_mean, inert, visible
from pipeline.terminal.exit_codes import PASSED
from pipeline.terminal.streams import columns, deliver
from verify.commands.options import add_course
from verify.course import catalog
from verify.learner.check import UsageError, command
from verify.learner.request import in_course
from verify.reporters.table import INDENT, filled

if TYPE_CHECKING:
    from pipeline.terminal.arguments import Arguments
    from verify.grading.model import Check, Exercise


def add_options(parser: Arguments) -> None:
    """Add the options of `verify explain`."""
    parser.set_defaults(command=explain)
    code = "the check's code in the table of the exercise, such as F01.3"
    parser.add_argument("code", metavar="CHECK", help=code)
    add_course(parser)


@command
def explain(*, code: str, course: str) -> int:
    """Print what a check asks and how to fix it; return the exit code."""
    exercise, check = _find(code.upper(), course)
    places = in_course(exercise.page, course), in_course(exercise.explained(check), course)
    text = explanation(exercise, check, *places, columns(sys.stdout))
    deliver("\n".join(map(inert, text.split("\n"))))
    return PASSED


def _find(code: str, course: str) -> tuple[Exercise, Check]:
    known = catalog.exercises(course)
    exercises = (catalog.asking(exercise, course) for exercise in known)
    checks = {check.code: (e, check) for e in exercises for check in e.checks}
    if code in checks:
        return checks[code]
    expected = f"(expected a code such as F01.3){did_you_mean(code, checks)}"
    raise UsageError(f"{visible(code)} is not the code of a check {expected}")


def explanation(exercise: Exercise, check: Check, lesson: str, page: str, width: int) -> str:
    """Return a check in words, with the places of its lesson and of the page that explains it."""
    points = f"{check.points} point{'s' * (check.points != 1)}"
    worth = "advisory" if check.advisory else points
    lines = filled(f"{check.code}  {check.title}", width, INDENT * 3)
    lines += filled(f"{exercise.name} - {exercise.title} - {worth}", width)
    why = f"{check.why} {condition(check)}"
    for label, text in {"": why, "Look at: ": check.look_at, "Change: ": check.hint}.items():
        if text.strip():
            shown = visible(f"{label}{text}".strip(), 1_000)
            lines += ["", *filled(shown, width, INDENT * bool(label))]
    if check.example:
        lines += ["", "For example:", *textwrap.indent(check.example, INDENT).split("\n")]
    return "\n".join([*lines, "", f"Lesson: {lesson}", f"Checks: {page}"]) + "\n"


def condition(check: Check) -> str:
    """Return when the check counts and what it waits for, empty for an ordinary check."""
    parts = ["can fail the exercise only with `--strict`"] if check.advisory else []
    if check.requires:
        verb = "passes" if len(check.requires) == 1 else "pass"
        parts.append(f"runs only if {' and '.join(check.requires)} {verb}")
    return f"This check {', and '.join(parts)}." if parts else ""
