"""The table that a learner looks at all day: results, then the failures, the first of them last."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from tabulate import tabulate

from pipeline.terminal.display import visible
from verify.model import Outcome
from verify.reporters.base import Rendered
from verify.reporters.columns import INDENT, NARROW, NARROWEST, filled, title_room, wrapped
from verify.reporters.failures import failure_lines, unasked_lines
from verify.reporters.marks import Mark, mark_of, painted

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from verify.files import Unresolved
    from verify.model import Exercise, Report, Result
    from verify.reporters.base import Run, View

_PAINT = re.compile("\x1b\\[[0-9;]*m")
_RARE = ((Mark.UNASKED, "unasked"), (Mark.ERROR, "not graded"))
_LEFT_OUT = "(lines left out: the window is too small)"


class _Shape(NamedTuple):
    """How much is shown: the table, its rows for passes and for the rest, all failures."""

    table: bool = True
    passes: bool = True
    rows: bool = True
    failures: bool = True


# what a screen that is too small goes without, step by step: never the first failure
_SHAPES = (
    _Shape(),
    _Shape(passes=False),
    _Shape(passes=False, failures=False),
    _Shape(passes=False, failures=False, rows=False),
    _Shape(table=False, failures=False),
)


def render(run: Run, view: View) -> Rendered:
    """Return the table of one exercise, or the overview of a level."""
    if run.overview:
        from verify.reporters.overview import overview

        return Rendered(overview(run, view))
    (report,) = run.reports
    if report.unresolved is not None:
        return Rendered(_unresolved(report, report.unresolved, view))
    for shape in _SHAPES:
        text = _text(report, view, shape)
        if not view.rows or _height(text.splitlines(), view.width) <= view.rows:
            return Rendered(text)
    lines = text.splitlines()
    while lines and _height([*lines, _LEFT_OUT], view.width) > view.rows:
        lines.pop()
    return Rendered("\n".join([*lines, _LEFT_OUT]) + "\n")


def _unresolved(report: Report, found: Unresolved, view: View) -> str:
    """Return what a person has to look at: no check was asked, so there is no table."""
    room = max(view.width, NARROWEST)
    word = painted("UNRESOLVED", Mark.ERROR, colour=view.colour)
    texts = [wrapped(visible(text, 1_000), room) for text in (found.reason, found.step)]
    return "\n\n".join([wrapped(_heading(report), room), "\n".join([word, *texts])]) + "\n"


def _text(report: Report, view: View, shape: _Shape) -> str:
    parts = [wrapped(_heading(report), max(view.width, NARROWEST))]
    parts += [_table(report, view, shape)] if shape.table else []
    parts.append("\n".join(_closing(report, view)))
    failures = _failures(report, view)
    for result in reversed(failures if shape.failures else failures[:1]):
        first = result is failures[0]
        parts.append("\n".join(failure_lines(result, view, first=first)))
    if report.passed:
        parts.append("\n".join([*_beyond(report.exercise, view), _next(view)]))
    return "\n\n".join(parts) + "\n"


def _heading(report: Report) -> str:
    exercise = report.exercise
    facts = [exercise.name, exercise.title, *([exercise.issue] if exercise.issue else [])]
    return " - ".join(facts)


def _failures(report: Report, view: View) -> list[Result]:
    """Return the failures in the checks' order, then the notes where they are shown."""
    marks = [(mark_of(result, report), result) for result in report.results]
    failures = [result for mark, result in marks if mark in (Mark.FAIL, Mark.ERROR)]
    shows_notes = view.verbose or not (failures or report.passed)
    return failures + [result for mark, result in marks if mark is Mark.NOTE and shows_notes]


def _table(report: Report, view: View, shape: _Shape) -> str:
    narrow = view.width < NARROW
    rows = _rows(report, view, shape)
    labels = [row.mark.word if narrow else row.mark.label(symbols=view.symbols) for row in rows]
    headers = ["check", "result", "what is checked", *([] if narrow else ["points"])]
    room = title_room(view.width, ([row.codes for row in rows], labels), headers)
    cells = [
        [row.codes, painted(label, row.mark, colour=view.colour), wrapped(row.title, room)]
        + ([] if narrow else [row.points])
        for label, row in zip(labels, rows, strict=True)
    ]
    return tabulate(
        cells,
        headers=headers,
        tablefmt="simple",
        disable_numparse=True,
        colalign=["left", "left", "left", *([] if narrow else ["right"])],
    )


class _Row(NamedTuple):
    """One row: the codes of its checks, how they ended, their title, their points."""

    codes: str
    mark: Mark
    title: str
    points: str


def _rows(report: Report, view: View, shape: _Shape) -> list[_Row]:
    """Return a row for each check, and one for all that wait for the same check."""
    groups: dict[str, list[int]] = {}
    for place, result in enumerate(report.results):
        if not shape.rows:
            shared = mark_of(result, report).word
        else:
            shared = "" if view.verbose else _shared(result, shape)
        groups.setdefault(shared or result.check.code, []).append(place)
    return [_row(places, report, view) for places in groups.values()]


def _shared(result: Result, shape: _Shape) -> str:
    """Return what a result shares its row by: the check it waits for, or why it is not asked."""
    if result.outcome is Outcome.UNASKED:
        return result.verdict.findings[0].message
    if result.waits_for:
        return f"after {result.waits_for}"
    return "passed" if result.outcome is Outcome.PASS and not shape.passes else ""


def _row(places: Sequence[int], report: Report, view: View) -> _Row:
    group = [report.results[place] for place in places]
    first, dash = group[0], "\N{EN DASH}" if view.symbols else "-"
    spans = [[report.results[place].check.code for place in run] for run in _runs(places)]
    blocker, *different = {result.waits_for for result in group}
    waits = f"waits for {blocker}" if blocker and not different else ""
    if view.verbose and waits:
        title = f"{first.check.title} ({waits})"
    else:
        title = waits or (first.check.title if len(group) == 1 else f"{len(group)} checks")
    others = [dash.join(code.rpartition(".")[2] for code in span) for span in spans[1:]]
    title += f" (also {', '.join(others)})" if others else ""
    return _Row(dash.join(spans[0]), mark_of(first, report), title, _points(group))


def _runs(places: Iterable[int]) -> list[list[int]]:
    """Return the first and the last place of each run of neighbours, a single one once."""
    runs: list[list[int]] = []
    for place in places:
        if runs and runs[-1][-1] == place - 1:
            runs[-1][1:] = [place]
        else:
            runs.append([place])
    return runs


def _points(group: Sequence[Result]) -> str:
    if group[0].outcome is Outcome.UNASKED:
        return "-"
    if all(result.check.advisory for result in group):
        return "advisory"
    return f"{sum(r.score or 0 for r in group)}/{sum(r.check.points for r in group)}"


def _closing(report: Report, view: View) -> list[str]:
    mark = Mark.PASS if report.passed else Mark.FAIL
    verdict = painted("PASSED" if report.passed else "NOT YET", mark, colour=view.colour)
    counts = f"({_counts(report)})"
    score = f"{verdict}  {report.score} of {report.points} points"
    short = view.width >= len("NOT YET  99 of 99 points ") + len(counts)
    lines = [f"{score} {counts}"] if short else [score, wrapped(counts, max(view.width, NARROWEST))]
    lines += unasked_lines(report, max(view.width, NARROWEST))
    hidden = [] if view.verbose else _notes(report)
    if report.provenance is not None and not view.provenance:
        hidden.append(f"provenance {report.provenance.level.code}")
    lines += [f"More with -v: {', '.join(hidden)}"] if hidden else []
    if report.provenance is not None and view.provenance:
        from verify.reporters.provenance import provenance_lines  # most runs have no level

        lines += provenance_lines(report.provenance, max(view.width, NARROWEST))
    return lines


def _notes(report: Report) -> list[str]:
    count = sum(mark_of(result, report) is Mark.NOTE for result in report.results)
    return [f"{count} note{'s' * (count != 1)}"] if count else []


def _next(view: View) -> str:
    following = view.following
    if following is None:
        return "That was the last exercise of the course."
    command = view.command(following.level, following)
    return f"Next, {following.name} - {following.title}:\n  {command}"


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
    """Return how many checks ended in which way: together they are all checks of the table."""
    marks = [mark_of(result, report) for result in report.results]
    counted = [f"{marks.count(Mark.PASS)} passed"]
    for mark, word in ((Mark.FAIL, "failed"), (Mark.SKIP, "skipped"), *_RARE):
        counted += [f"{number} {word}"] if (number := marks.count(mark)) else []
    return ", ".join(counted + _notes(report))


def _height(lines: Iterable[str], width: int) -> int:
    """Return how many lines of a screen these lines take."""
    return sum(max(1, -(-len(_PAINT.sub("", line)) // width)) for line in lines)
