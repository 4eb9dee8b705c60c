"""What a run tells at its end: a table of the exercises, and what could not be graded."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from tabulate import tabulate

from pipeline.display import inert, listed, visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from verify.gradebook.counting import Counts
    from verify.gradebook.reading import Cohort

_MOST = 20  # lines of one kind: a gradebook and its exports have them all
_MISSING = "missing"


def table(counts: Counts, points: Sequence[int], *, rostered: bool, attempts: bool) -> str:
    """Return the table: a row an exercise. Who is missing is told where there is a roster.

    `points` are the most that each exercise is worth; the mean is of what was graded.
    """
    who = "attempts" if attempts else "learners"
    headers = ["exercise", who, "passed", "failed", "error", _MISSING, "mean score"]
    rows = [
        [
            one.exercise,
            f"{counts.standings:,}",
            f"{one.passed:,}",
            f"{one.failed:,}",
            f"{one.error:,}",
            f"{one.missing:,}",
            "-" if one.mean is None else f"{one.mean:.2f} of {most}",
        ]
        for one, most in zip(counts.exercises, points, strict=True)
    ]
    if not rostered:
        at = headers.index(_MISSING)
        headers.pop(at)
        for row in rows:
            row.pop(at)
    grid = tabulate(
        rows,
        headers=headers,
        tablefmt="simple",
        disable_numparse=True,
        colalign=("left", *["right"] * (len(headers) - 1)),
    )
    return grid + "\n"


def error_lines(cohort: Cohort) -> Iterator[str]:
    """Yield a line for each result that is an error: whose, of which exercise, why, what to do."""
    told = left_out = 0
    for learner, marks in cohort.standings():
        for mark in marks:
            if mark.outcome != "error":
                continue
            if told == _MOST:
                left_out += 1
                continue
            told += 1
            findings = [finding for check in mark.checks for finding in check.findings]
            why = findings[0].message if findings else "not graded"
            step = f"; {findings[0].next_step}" if findings and findings[0].next_step else ""
            who = visible(f"{learner.key} {mark.attempt}".strip())
            yield line(f"{who}, {mark.exercise.name}: {visible(why, 300)}{visible(step, 300)}")
    if left_out:
        yield line(f"and {left_out:,} more errors: an export such as --csv lists them all")


def unknown_lines(
    names: Iterable[str], several: Mapping[str, Sequence[str]], count: int
) -> Iterator[str]:
    """Yield who is not on the roster; `names` are the first of them.

    `several` has those who may be more than one learner of the roster, with their keys.
    """
    for name in islice(names, _MOST):
        why = "is not on the roster"
        if name in several:
            why = f"may be {listed(several[name])} of the roster"
        yield line(f"{visible(name)} {why}: graded under that name")
    if count > _MOST:
        yield line(f"and {count - _MOST:,} more who are not on the roster")


def line(text: str) -> str:
    """Return a line of ours for stderr."""
    return inert(f"verify: {text}")
