"""What a run tells at its end: a table of the exercises, and what could not be graded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tabulate import tabulate

from pipeline.terminal.display import inert, visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from verify.gradebook.reading import Cohort, Counts
    from verify.gradebook.records import Mark

_MOST = 20  # lines of one kind: a gradebook and its exports have them all
_MISSING = "missing"


def table(counts: Counts, points: Sequence[int], *, rostered: bool, attempts: bool) -> str:
    """Return the table: a row an exercise. Who is missing is told where there is a roster.

    `points` are the most that each exercise is worth; the mean is of what was graded.
    """
    who = "attempts" if attempts else "learners"
    headers = ["exercise", who, "passed", "failed", "unresolved", "error", _MISSING, "mean"]
    rows = [
        [
            one.exercise,
            f"{counts.standings:,}",
            f"{one.passed:,}",
            f"{one.failed:,}",
            f"{one.unresolved:,}",
            f"{one.error:,}",
            f"{one.missing:,}",
            "-" if one.mean is None else f"{one.mean:.2f}/{most}",
        ]
        for one, most in zip(counts.exercises, points, strict=True)
    ]
    if not rostered:
        at = headers.index(_MISSING)
        for row in (headers, *rows):
            row.pop(at)
    rule = ["-" * max(map(len, column)) for column in zip(headers, *rows, strict=True)]
    grid = tabulate(  # headers of its own would be padded: the table has 80 columns at most
        [headers, rule, *rows],
        tablefmt="plain",
        disable_numparse=True,
        colalign=("left", *["right"] * (len(headers) - 1)),
    )
    return grid + "\n"


def error_lines(cohort: Cohort) -> Iterator[str]:
    """Yield a line for each result that is an error: whose, of which exercise, why, the step."""
    shown = left_out = 0
    for standing in cohort.standings():
        for what, why, step in dict.fromkeys(map(_why, standing.marks)):
            if not what:
                continue
            if shown == _MOST:
                left_out += 1
                continue
            shown += 1
            who = visible(f"{standing.learner.key} {standing.attempt}".strip())
            then = f". {visible(step, 300)}" if step else ""
            yield line(f"{who}, {what}: {visible(why, 600)}{then}")
    if left_out:
        yield line(f"and {left_out:,} more: an export such as --csv lists them all")


def _why(mark: Mark) -> tuple[str, str, str]:
    """Return what has no score for now, why, and what to do; empty texts for any other mark."""
    if mark.outcome != "error":
        return "", "", ""
    findings = [finding for check in mark.results for finding in check.findings]
    if not findings:
        return mark.exercise.name, "not graded", ""
    return mark.exercise.name, findings[0].message, findings[0].action


def line(text: str) -> str:
    """Return a line of ours for stderr."""
    return inert(f"verify: {text}")
