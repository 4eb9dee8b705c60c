"""The table that a learner looks at all day: results, then the failures, the first of them last."""

from __future__ import annotations

import textwrap
from collections import Counter
from itertools import groupby, zip_longest
from typing import TYPE_CHECKING, Any

from tabulate import tabulate

from pipeline.terminal.display import aligned, inert, visible, width_of
from verify.grading.model import Outcome
from verify.reporters.base import Rendered, Sign, place, provenance_lines, run_line, sign_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from verify.grading.model import Exercise, Finding, Report, Result
    from verify.reporters.base import GradedRun, View

NARROWEST = 40  # columns; in a narrower terminal the lines are this wide all the same
INDENT = "  "
NARROW = 60  # below this many columns the figures give way to the titles
_GAP = 2  # between columns, and what tabulate adds to the width of a header
_BRIEFEST = 3
_ORDER = "Fix the failure at the bottom first."
_LEFT_OUT = "(lines left out: the window is too small)"
_COUNTED = (
    *((Sign.FAIL, "failed"), (Sign.SKIP, "skipped")),
    *((Sign.NOT_CHECKED, "not checked"), (Sign.ERROR, "not graded")),
)


def render(run: GradedRun, view: View) -> Rendered:
    """Return the table of one exercise, or the overview of a level."""
    if run.overview:
        return Rendered(_overview(run, view))
    (report,) = run.reports
    for brevity in range(_BRIEFEST + 1):
        lines = inert(_text(report, view, brevity)).splitlines()
        if not view.rows or _height(lines, view.width) <= view.rows:
            return Rendered("\n".join(lines) + "\n")
    places = [at for at, line in enumerate(lines) if line.startswith(f"{INDENT}To do: ")]
    last = len(lines) - places[0] if places else 0  # so many lines, from what to do on
    while len(lines) > 1 and _height([_LEFT_OUT, *lines], view.width) > view.rows:
        lines.pop(0 if len(lines) > last else -2)  # what to do stays, then where there is more
    return Rendered("\n".join([_LEFT_OUT, *lines]) + "\n")


def _text(report: Report, view: View, brevity: int) -> str:
    """Return the report; for a small screen, 1 folds passes and has one failure, 2 no table.

    3 has one finding of it and the last hint that was asked for.
    """
    exercise = report.exercise
    facts = [exercise.name, exercise.title, *([exercise.issue] if exercise.issue else [])]
    parts = ["\n".join(filled(" - ".join(facts), view.width, ""))]
    if report.unresolved is not None:  # no check was run: there is no table
        texts = (report.unresolved.reason, report.unresolved.step)
        lines = [line for text in texts for line in filled(visible(text, 1_000), view.width, "")]
        word = _painted("UNRESOLVED", Sign.ERROR, view)
        return "\n\n".join([*parts, "\n".join([word, *lines])]) + "\n"
    parts += [_table(report, view, folds=brevity > 0)] if brevity < 2 else []  # noqa: PLR2004
    parts.append("\n".join(_closing(report, view, folds=brevity > 0)))
    failures = _failures(report, view)
    for result in reversed(failures[:1] if brevity else failures):
        first, brief = result is failures[0], brevity == _BRIEFEST
        parts.append("\n".join(failure_lines(result, view, first=first, brief=brief)))
    if report.passed and not view.is_past:
        parts.append("\n".join(_after_pass(report.exercise, view)))
    return "\n\n".join(parts) + "\n"


def _failures(report: Report, view: View) -> list[Result]:
    """Return the failures in the checks' order, then the notes where they are shown."""
    signs = [(sign_of(result, strict=report.strict), result) for result in report.results]
    failures = [result for sign, result in signs if sign in (Sign.FAIL, Sign.ERROR)]
    shows_notes = view.verbose or not (failures or report.passed)
    return failures + [result for sign, result in signs if sign is Sign.NOTE and shows_notes]


def _table(report: Report, view: View, *, folds: bool) -> str:
    """Return the table; checks that wait for the same check, or are not asked, share a row."""
    groups: dict[str, list[Result]] = {}
    for result in _shown(report, view):
        folded = folds and result.outcome is Outcome.PASS
        shared = "" if view.verbose else _why(result) or "passed" * folded
        groups.setdefault(shared or result.check.code, []).append(result)
    rows = [_row(group, report, view) for group in groups.values()]
    return _tabulated(("check", "result", "what is checked", "points"), rows, view)


def _shown(report: Report, view: View) -> Sequence[Result]:
    """Return the results without criteria that nothing was asked: a line says so instead."""
    hidden = report.ran is None and not view.verbose
    return [r for r in report.results if not (hidden and r.check.asks_service)]


def _why(result: Result) -> str:
    """Return why a check has no answer: what it waits for, or why it is not asked."""
    if result.outcome is Outcome.NOT_CHECKED:
        return visible(result.findings[0].message, 300)
    return f"waits for {result.waits_for}" if result.waits_for else ""


def _row(group: Sequence[Result], report: Report, view: View) -> list[str]:
    """Return the cells of one row: its checks, outcome, title and points."""
    first, sign, why = group[0], sign_of(group[0], strict=report.strict), _why(group[0])
    title = first.check.title if len(group) == 1 else f"{len(group)} checks"
    if why:
        title = f"{title} ({why})" if view.verbose else why
    prefix = first.check.code.rpartition(".")[0]
    spans = _spans([int(result.check.code.rpartition(".")[2]) for result in group])
    dash = "\N{EN DASH}" if view.symbols else "-"
    code = dash.join(f"{prefix}.{number}" for number in spans[0])
    apart = [dash.join(map(str, span)) for span in spans[1:]]
    title += f" (also {', '.join(apart)})" if apart else ""
    word = f"{sign.symbol} {sign.word}" if view.symbols else sign.word
    return [code, _painted(word, sign, view), title, _points(group)]


def _spans(numbers: Sequence[int]) -> list[list[int]]:
    """Return the first and the last of each run of neighbours, a single number once."""
    runs = groupby(enumerate(numbers), lambda pair: pair[1] - pair[0])
    found = [[number for _, number in run] for _, run in runs]
    return [[*span[:1], *span[1:][-1:]] for span in found]


def _points(group: Sequence[Result]) -> str:
    if group[0].outcome is Outcome.NOT_CHECKED:
        return "-"
    if all(result.check.advisory for result in group):
        return "advisory"
    return f"{sum(r.score or 0 for r in group)}/{sum(r.check.points for r in group)}"


def _closing(report: Report, view: View, *, folds: bool) -> list[str]:
    verdict, sign = ("PASSED", Sign.PASS) if report.passed else ("NOT YET", Sign.FAIL)
    signs = Counter(sign_of(result, strict=report.strict) for result in _shown(report, view))
    notes = f"{signs[Sign.NOTE]} note{'s' * (signs[Sign.NOTE] != 1)}"
    counted = [f"{signs[Sign.PASS]} passed"]
    counted += [f"{signs[sign]} {word}" for sign, word in _COUNTED if signs[sign]]
    counted += [notes] if signs[Sign.NOTE] else []
    score = f"{verdict}  {report.score} of {report.points} points ({', '.join(counted)})"
    lines = filled(score, view.width, "")
    lines[0] = lines[0].replace(verdict, _painted(verdict, sign, view))
    failed = signs[Sign.FAIL] + signs[Sign.ERROR]
    lines += [_ORDER] if failed > 1 and not folds else []
    lines += [] if folds and report.ran is None else filled(run_line(report), view.width)
    hidden = [] if view.verbose or not signs[Sign.NOTE] else [notes]
    if report.provenance is not None and view.provenance:
        levels, *reasons = provenance_lines(report.provenance)
        lines += filled(levels, view.width)
        for reason in reasons:
            lines += filled(reason, view.width, INDENT * 2, first=INDENT)
    elif report.provenance is not None:
        level = report.provenance.level
        hidden.append(f"who wrote the artifacts ({level.code}, {level.words})")
    return [*lines, *filled(f"More with -v: {', '.join(hidden)}", view.width)] if hidden else lines


def failure_lines(
    result: Result, view: View, *, first: bool = False, brief: bool = False
) -> list[str]:
    """Return the lines of a check that failed or crashed.

    Only the first failure has hints, as many as were asked for, and says where there is more. In
    brief, it has the first finding, and the last of these hints.
    """
    check, findings = result.check, result.findings
    if brief:
        findings = tuple(f._replace(expected="" if f.action else f.expected) for f in findings[:1])
    lines = filled(f"{check.code}  {check.title}", view.width, INDENT * 3)
    for finding, later in zip_longest(findings, findings[1:]):
        lines += _finding_lines(finding, view.width)
        if finding.action and (later is None or later.action != finding.action):
            lines += _advice("To do", finding.action, view.width)
    if more := result.verdict.more + len(result.findings) - len(findings):
        lines.append(f"{INDENT}and {more} more like {'this' if brief else 'these'}")
    if first and result.outcome is Outcome.FAIL:
        lines += _hint_lines(result, view, brief=brief)
    return lines


def _finding_lines(finding: Finding, width: int) -> list[str]:
    lines = [f"{INDENT}{place(finding)}"] if finding.file else []
    lines += filled(visible(finding.message, 1_000), width, first=INDENT)
    for label, text in (("expected", finding.expected), ("found", finding.found)):
        if text:
            head = f"{INDENT * 2}{label:<10}"
            lines += filled(visible(text, 1_000), width, " " * len(head), first=head)
    return lines


def _hint_lines(result: Result, view: View, *, brief: bool) -> list[str]:
    """Return the requested hints, and how to get more; an action of a finding is one already."""
    check = result.check
    hints = [_advice("Look at", check.look_at, view.width)] if check.look_at else []
    if not all(finding.action for finding in result.verdict.findings):
        hints.append(_advice("Change", check.hint, view.width))
    if check.example:
        example = textwrap.indent(check.example, INDENT * 2)
        hints.append([f"{INDENT}Example:", *example.split("\n")])
    ask = "press h" if view.keys else f"add --hint{' once more' * bool(view.hints)}"
    more = f"{ask}, or run: " if view.hints < len(hints) and not view.is_past else ""
    shown = hints[: view.hints]
    lines = [line for hint in (shown[-1:] if brief else shown) for line in hint]
    return [*lines, f"{INDENT}More: {more}{view.explain(check.code)}"]


def _advice(label: str, text: str, width: int) -> list[str]:
    return filled(f"{INDENT}{label}: {visible(text, 1_000)}", width, INDENT * 2)


def _after_pass(exercise: Exercise, view: View) -> list[str]:
    """Return what a pass does not show, the solution to compare with, and what is next."""
    lines = []
    if exercise.not_shown:
        lines += filled(f"A pass does not show {exercise.not_shown}.", view.width)
    if solution := view.solution(exercise):
        lines.append(f"Compare with a solution:\n  {solution}")
    return [*lines, _next(view)]


def _next(view: View) -> str:
    following = view.following
    if following is None:
        return "That was the last exercise of the course."
    command = view.command(following.level, following)
    return f"Next, {following.name} - {following.title}:\n  {command}"


def _overview(run: GradedRun, view: View) -> str:
    """Return the table of the exercises and the command for the next one to do."""
    rows = [_exercise_row(report, view) for report in run.reports]
    table = _tabulated(("exercise", "state", "title", "issue", "points"), rows, view)
    done = sum(report.passed for report in run.reports)
    level = f"{run.level}: " if run.level else ""
    lines = [f"{level}{done} of {len(run.reports)} exercises passed", "", table, ""]
    todo = next((report.exercise for report in run.reports if not report.passed), None)
    if todo is not None:
        lines.append(_next(view._replace(following=todo)))
    elif view.following is not None:
        level = view.following.level
        lines.append(
            f"You have passed this level. Next level, {level}:\n  {view.command(level, None)}"
        )
    else:
        lines.append("You have passed the last level of the course.")
    return "\n".join(lines) + "\n"


def _exercise_row(report: Report, view: View) -> list[str]:
    exercise = report.exercise
    states = (
        (report.unresolved, Sign.ERROR, "unresolved"),
        (report.crashed, Sign.ERROR, "ERROR"),
        (report.passed, Sign.PASS, "passed"),
        (report.begun, Sign.FAIL, "begun"),
        (True, Sign.SKIP, "not begun"),
    )
    sign, state = next((sign, state) for applies, sign, state in states if applies)
    points = "-" if report.unresolved else f"{report.score}/{report.points}"
    state = _painted(state, sign, view)
    return [exercise.name, state, exercise.title, exercise.issue or "-", points]


def _tabulated(headers: Sequence[str], rows: Sequence[Sequence[str]], view: View) -> str:
    """Return a table as wide as the terminal: titles, the third column, take what others leave."""
    count = 3 if view.width < NARROW else len(headers)
    align = ["left"] * 3 + ["right" if header == "points" else "left" for header in headers[3:]]
    columns = list(zip(headers, zip(*rows, strict=True), strict=True))[:count]
    room = max(view.width, NARROWEST) - sum(
        max(len(header) + _GAP, *map(width_of, cells)) + _GAP
        for header, cells in [*columns[:2], *columns[3:]]
    )
    titles = ["\n".join(_wrapped(row[2], max(room, 8))) for row in rows]
    cells = [[*row[:2], title, *row[3:count]] for row, title in zip(rows, titles, strict=True)]
    return _laid_out([headers[:count], *cells], colalign=align[:count])


def _wrapped(text: str, width: int) -> list[str]:
    """Return the lines of a title; one with wide letters has half as many on a line."""
    letters = width // 2 if width_of(text) > len(text) else width
    return textwrap.wrap(text, letters, break_on_hyphens=False)


def _laid_out(rows: Sequence[Sequence[str]], **options: Any) -> str:
    """Return a table of which the first row is the header."""
    return aligned(
        rows, lambda cells: tabulate(cells, headers="firstrow", disable_numparse=True, **options)
    )


def grid(headers: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the lines of a table of texts, whatever its width."""
    return [line.rstrip() for line in _laid_out([headers, *rows]).splitlines()]


def filled(text: str, width: int, indent: str = INDENT, *, first: str = "") -> list[str]:
    """Return a paragraph in lines of at most `width` columns, the first with its own indent."""
    return textwrap.wrap(
        text,
        max(width, NARROWEST),
        initial_indent=first,
        subsequent_indent=indent,
        break_on_hyphens=False,  # a name stays in one piece where it can
    )


def _painted(text: str, sign: Sign, view: View) -> str:
    return f"\x1b[{sign.colour}m{text}\x1b[0m" if view.colour else text


def _height(lines: Iterable[str], width: int) -> int:
    """Return how many lines of a screen these lines take."""
    return sum(max(1, -(-width_of(line) // width)) for line in lines)
