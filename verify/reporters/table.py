"""The table that a learner looks at all day: results, then the failures, then what to do next."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tabulate import tabulate

from pipeline.display import visible
from verify.reporters.base import Rendered
from verify.reporters.columns import INDENT, NARROW, NARROWEST, filled, title_room, wrapped
from verify.reporters.failures import failure_lines, unasked_lines
from verify.reporters.hints import offer
from verify.reporters.marks import Mark, mark_of, painted
from verify.verdicts import Outcome

if TYPE_CHECKING:
    from verify.files import Unresolved
    from verify.model import Exercise, Report, Result
    from verify.reporters.base import Run, View


def render(run: Run, view: View) -> Rendered:
    """Return the table of one exercise, or the overview of a level."""
    if run.overview:
        from verify.reporters.overview import overview

        return Rendered(overview(run, view))
    (report,) = run.reports
    room = max(view.width, NARROWEST)
    if report.unresolved is not None:
        return Rendered(_unresolved(report, report.unresolved, view, room))
    parts = [wrapped(_heading(report), room), _table(report, view)]
    parts += [
        "\n".join(lines)
        for result in report.results
        if (lines := failure_lines(result, view, view.page(report.exercise)))
    ]
    parts += ["\n".join(lines)] if (lines := unasked_lines(report, room)) else []
    parts.append(_closing(report, view))
    return Rendered("\n\n".join(parts) + "\n")


def _unresolved(report: Report, found: Unresolved, view: View, room: int) -> str:
    """Return what a person has to look at: no check was asked, so there is no table."""
    word = painted("UNRESOLVED", Mark.ERROR, colour=view.colour)
    texts = [wrapped(visible(text, 1_000), room) for text in (found.reason, found.step)]
    return "\n\n".join([wrapped(_heading(report), room), "\n".join([word, *texts])]) + "\n"


def _heading(report: Report) -> str:
    exercise = report.exercise
    facts = [exercise.name, exercise.title, *([exercise.issue] if exercise.issue else [])]
    return " - ".join(facts)


def _table(report: Report, view: View) -> str:
    narrow = view.width < NARROW
    marks = [mark_of(result, report) for result in report.results]
    labels = [mark.word if narrow else mark.label(symbols=view.symbols) for mark in marks]
    codes = [result.check.code for result in report.results]
    headers = ["check", "result", "what is checked", *([] if narrow else ["points"])]
    room = title_room(view.width, (codes, labels), headers)
    rows = [
        [code, painted(label, mark, colour=view.colour), wrapped(_title(result), room)]
        + ([] if narrow else [_points(result)])
        for code, label, mark, result in zip(codes, labels, marks, report.results, strict=True)
    ]
    return tabulate(
        rows,
        headers=headers,
        tablefmt="simple",
        disable_numparse=True,
        colalign=["left", "left", "left", *([] if narrow else ["right"])],
    )


def _title(result: Result) -> str:
    advisory = " (advisory)" if result.check.advisory else ""
    waiting = f" (after {result.waits_for})" if result.waits_for else ""
    return result.check.title + advisory + waiting


def _points(result: Result) -> str:
    uncounted = result.check.advisory or result.outcome is Outcome.UNASKED
    return "-" if uncounted else f"{result.score}/{result.check.points}"


def _closing(report: Report, view: View) -> str:
    mark = Mark.PASS if report.passed else Mark.FAIL
    verdict = painted("PASSED" if report.passed else "NOT YET", mark, colour=view.colour)
    counts = f"({_counts(report)})"
    score = f"{verdict}  {report.score} of {report.points} points"
    short = view.width >= len("NOT YET  99 of 99 points ") + len(counts)
    lines = [f"{score} {counts}"] if short else [score, counts]
    if report.provenance is not None:
        from verify.reporters.provenance import provenance_lines  # most runs tell of no level

        lines += provenance_lines(report.provenance, max(view.width, NARROWEST))
    again = view.command(report.exercise.level, report.exercise)
    if not report.passed:
        lines.append(f"Fix the first failure, then run again:\n  {again}")
        lines += [line] if (line := offer(report.results, view)) else []
        return "\n".join(lines)
    lines += _beyond(report.exercise, view)
    if view.following is not None:
        following = view.following
        command = view.command(following.level, following)
        lines.append(f"Next, {following.name} - {following.title}:\n  {command}")
    else:
        lines.append("That was the last exercise of the course.")
    return "\n".join(lines)


def _beyond(exercise: Exercise, view: View) -> list[str]:
    """Return what a pass does not show, and the solution to compare with."""
    lines = []
    if exercise.unproven:
        width = max(view.width, NARROWEST)
        lines += filled(
            f"A pass does not show {exercise.unproven}.", width, subsequent_indent=INDENT
        )
    if solution := view.solution(exercise):
        lines.append(f"Compare with a solution:\n  {solution}")
    return lines


def _counts(report: Report) -> str:
    required = [r for r in report.results if report.strict or not r.check.advisory]
    notes = sum(mark_of(result, report) is Mark.NOTE for result in report.results)
    words = {"passed": Outcome.PASS, "failed": Outcome.FAIL, "skipped": Outcome.SKIP}
    counted = [
        f"{number} {word}"
        for word, outcome in words.items()
        if (number := sum(r.outcome is outcome for r in required)) or word == "passed"
    ]
    counted += [f"{notes} note{'s' * (notes != 1)}"] if notes else []
    counted += [f"{len(report.crashed)} not graded"] if report.crashed else []
    return ", ".join(counted)
