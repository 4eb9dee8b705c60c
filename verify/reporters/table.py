"""The table that a learner looks at all day: results, then the failures, the first of them last."""

from __future__ import annotations

import re
import textwrap
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from tabulate import tabulate

from pipeline.terminal.display import inert, visible
from verify.model import Outcome
from verify.reporters.base import Rendered, Sign, place, provenance_lines, sign_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from verify.files import Unresolved
    from verify.model import Exercise, Finding, Report, Result
    from verify.reporters.base import Run, View

NARROWEST = 40  # columns; in a narrower terminal the lines are this wide all the same
INDENT = "  "
NARROW = 60  # below this many columns symbols and figures give way to the titles
_GAP = 2  # between columns, and what tabulate adds to the width of a header
_COLOUR = re.compile("\x1b\\[[0-9;]*m")
_LEFT_OUT = "(lines left out: the window is too small)"
_COUNTED = (
    *((Sign.FAIL, "failed"), (Sign.SKIP, "skipped")),
    *((Sign.UNASKED, "unasked"), (Sign.ERROR, "not graded")),
)


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
        return Rendered(_overview(run, view))
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
    """Return what a person has to look at; no check was run, so there is no table."""
    texts = [_wrapped(visible(text, 1_000), view.width) for text in (found.reason, found.step)]
    word = _painted("UNRESOLVED", Sign.ERROR, view)
    return "\n".join([_heading(report, view), "", word, *texts]) + "\n"


def _text(report: Report, view: View, shape: _Shape) -> str:
    parts = [_heading(report, view)]
    parts += [_table(report, view, shape)] if shape.table else []
    parts.append("\n".join(_closing(report, view)))
    failures = _failures(report, view)
    for result in reversed(failures if shape.failures else failures[:1]):
        first = result is failures[0]
        parts.append("\n".join(failure_lines(result, view, first=first)))
    if report.passed:
        parts.append("\n".join([*_beyond(report.exercise, view), _next(view)]))
    return "\n\n".join(parts) + "\n"


def _heading(report: Report, view: View) -> str:
    exercise = report.exercise
    facts = [exercise.name, exercise.title, *([exercise.issue] if exercise.issue else [])]
    return _wrapped(" - ".join(facts), view.width)


def _failures(report: Report, view: View) -> list[Result]:
    """Return the failures in the checks' order, then the notes where they are shown."""
    signs = [(sign_of(result, report), result) for result in report.results]
    failures = [result for sign, result in signs if sign in (Sign.FAIL, Sign.ERROR)]
    shows_notes = view.verbose or not (failures or report.passed)
    return failures + [result for sign, result in signs if sign is Sign.NOTE and shows_notes]


def _table(report: Report, view: View, shape: _Shape) -> str:
    """Return the table; checks that wait for the same check, or are not asked, share a row."""
    groups: dict[str, list[int]] = {}
    for at, result in enumerate(report.results):
        if not shape.rows:
            shared = sign_of(result, report).word
        else:
            shared = "" if view.verbose else _shared(result, shape)
        groups.setdefault(shared or result.check.code, []).append(at)
    rows = [_row(places, report, view) for places in groups.values()]
    return _tabulated(("check", "result", "what is checked", "points"), rows, view)


def _shared(result: Result, shape: _Shape) -> str:
    """Return what results in one row share: what they wait for, or why they are not asked."""
    if result.outcome is Outcome.UNASKED:
        return result.verdict.findings[0].message
    if result.waits_for:
        return f"after {result.waits_for}"
    return "passed" if result.outcome is Outcome.PASS and not shape.passes else ""


def _row(places: Sequence[int], report: Report, view: View) -> list[str]:
    """Return the cells of one row: the codes of its checks, how they ended, title and points."""
    group = [report.results[at] for at in places]
    first, dash = group[0], "\u2013" if view.symbols else "-"
    spans = [[report.results[at].check.code for at in ends] for ends in _spans(places)]
    blocker, *different = {result.waits_for for result in group}
    waits = f"waits for {blocker}" if blocker and not different else ""
    if view.verbose and waits:
        title = f"{first.check.title} ({waits})"
    else:
        title = waits or (first.check.title if len(group) == 1 else f"{len(group)} checks")
    others = [dash.join(code.rpartition(".")[2] for code in span) for span in spans[1:]]
    title += f" (also {', '.join(others)})" if others else ""
    sign = sign_of(first, report)
    plain = view.width < NARROW or not view.symbols
    word = sign.word if plain else f"{sign.symbol} {sign.word}"
    return [dash.join(spans[0]), _painted(word, sign, view), title, _points(group)]


def _spans(places: Iterable[int]) -> list[list[int]]:
    """Return the first and the last place of each run of neighbours, a single one once."""
    spans: list[list[int]] = []
    for at in places:
        if spans and spans[-1][-1] == at - 1:
            spans[-1][1:] = [at]
        else:
            spans.append([at])
    return spans


def _points(group: Sequence[Result]) -> str:
    if group[0].outcome is Outcome.UNASKED:
        return "-"
    if all(result.check.advisory for result in group):
        return "advisory"
    return f"{sum(r.score or 0 for r in group)}/{sum(r.check.points for r in group)}"


def _closing(report: Report, view: View) -> list[str]:
    sign = Sign.PASS if report.passed else Sign.FAIL
    verdict = _painted("PASSED" if report.passed else "NOT YET", sign, view)
    signs = [sign_of(result, report) for result in report.results]
    notes = f"{signs.count(Sign.NOTE)} note{'s' * (signs.count(Sign.NOTE) != 1)}"
    counted = [f"{signs.count(Sign.PASS)} passed"]
    counted += [f"{signs.count(sign)} {word}" for sign, word in _COUNTED if sign in signs]
    counts = f"({', '.join([*counted, *([notes] if Sign.NOTE in signs else [])])})"
    score = f"{verdict}  {report.score} of {report.points} points"
    short = view.width >= len("NOT YET  99 of 99 points ") + len(counts)
    lines = [f"{score} {counts}"] if short else [score, _wrapped(counts, view.width)]
    lines += _unasked_lines(report, view.width)
    hidden = [] if view.verbose or Sign.NOTE not in signs else [notes]
    if report.provenance is not None and not view.provenance:
        hidden.append(f"provenance {report.provenance.level.code}")
    lines += [f"More with -v: {', '.join(hidden)}"] if hidden else []
    if report.provenance is not None and view.provenance:
        levels, *reasons = provenance_lines(report.provenance)
        provenance = filled(levels, view.width)
        for reason in reasons:
            provenance += filled(reason, view.width, INDENT * 2, first=INDENT)
        lines += map(inert, provenance)
    return lines


def _unasked_lines(report: Report, width: int) -> list[str]:
    """Return a line for each reason why checks were not asked; the table has their rows."""
    codes: dict[str, list[str]] = {}
    for result in report.unasked:
        codes.setdefault(result.verdict.findings[0].message, []).append(result.check.code)
    return [
        inert(line)
        for reason, group in codes.items()
        for line in filled(visible(f"Not asked, {', '.join(group)}: {reason}", 1_000), width)
    ]


def failure_lines(result: Result, view: View, *, first: bool = False) -> list[str]:
    """Return the lines of a check that failed or crashed, none for another.

    Only the first failure has hints, as many as were asked for, and says where there is more.
    """
    if result.outcome not in (Outcome.FAIL, Outcome.ERROR):
        return []
    check, verdict = result.check, result.verdict
    lines = filled(f"{check.code}  {check.title}", view.width, INDENT * 3)
    for finding, later in zip(verdict.findings, [*verdict.findings[1:], None], strict=True):
        lines += _finding_lines(finding, view.width)
        if finding.action and (later is None or later.action != finding.action):
            lines += _advice("To do", finding.action, view.width)
    if verdict.more:
        lines.append(f"{INDENT}and {verdict.more} more like these")
    if first and result.outcome is Outcome.FAIL:
        lines += _hint_lines(result, view)
    return [inert(line) for line in lines]


def _finding_lines(finding: Finding, width: int) -> list[str]:
    lines = [f"{INDENT}{place(finding)}"] if finding.file else []
    lines += filled(visible(finding.message, 1_000), width, first=INDENT)
    for label, text in (("expected", finding.expected), ("found", finding.found)):
        if text:
            head = f"{INDENT * 2}{label:<10}"
            lines += filled(visible(text, 1_000), width, " " * len(head), first=head)
    return lines


def _hint_lines(result: Result, view: View) -> list[str]:
    """Return the requested hints, and how to get more.

    What to change is not among them where each finding has an action, made from what was
    found.
    """
    check = result.check
    hints = [_advice("Look at", check.look_at, view.width)] if check.look_at else []
    if not all(finding.action for finding in result.verdict.findings):
        hints.append(_advice("Change", check.hint, view.width))
    if check.example:
        example = textwrap.indent(check.example, INDENT * 2)
        hints.append([f"{INDENT}Example:", *example.split("\n")])
    ask = "press h" if view.keys else f"add --hint{' once more' * bool(view.hints)}"
    more = f"{ask}, or run: " if view.hints < len(hints) else ""
    lines = [line for hint in hints[: view.hints] for line in hint]
    return [*lines, f"{INDENT}More: {more}{view.explain(check.code)}"]


def _advice(label: str, text: str, width: int) -> list[str]:
    return filled(f"{INDENT}{label}: {visible(text, 1_000)}", width, INDENT * 2)


def _next(view: View) -> str:
    following = view.following
    if following is None:
        return "That was the last exercise of the course."
    command = view.command(following.level, following)
    return f"Next, {following.name} - {following.title}:\n  {command}"


def _beyond(exercise: Exercise, view: View) -> list[str]:
    """Return what a pass does not show, and the solution to compare with."""
    lines = []
    if exercise.not_shown:
        lines += filled(f"A pass does not show {exercise.not_shown}.", view.width)
    if solution := view.solution(exercise):
        lines.append(f"Compare with a solution:\n  {solution}")
    return lines


def _overview(run: Run, view: View) -> str:
    """Return the table of the exercises and the command for the next one to do."""
    rows = [_exercise_row(report, view) for report in run.reports]
    table = _tabulated(("exercise", "state", "title", "issue", "points"), rows, view)
    done = sum(report.passed for report in run.reports)
    level = f"{run.level}: " if run.level else ""
    lines = [f"{level}{done} of {len(run.reports)} exercises passed", "", table, ""]
    so_far = [] if view.width < NARROW else _so_far(run, view)
    lines += [_wrapped(f"So far: {'; '.join(so_far)}.", view.width), ""] if so_far else []
    todo = next((report.exercise for report in run.reports if not report.passed), None)
    if todo is not None:
        lines.append(_next(view._replace(following=todo)))
    elif view.following is not None:
        level = view.following.level
        lines.append(f"The level is done. Next, {level}:\n  {view.command(level, None)}")
    else:
        lines.append("The course is done.")
    return "\n".join(lines) + "\n"


def _exercise_row(report: Report, view: View) -> list[str]:
    exercise = report.exercise
    if report.unresolved is not None:
        sign, state = Sign.ERROR, "unresolved"
    elif report.crashed:
        sign, state = Sign.ERROR, "ERROR"
    elif report.passed:
        sign, state = Sign.PASS, "passed"
    elif report.begun:
        sign, state = Sign.FAIL, "begun"
    else:
        sign, state = Sign.SKIP, "not begun"
    points = "-" if report.unresolved else f"{report.score}/{report.points}"
    state = _painted(state, sign, view)
    return [exercise.name, state, exercise.title, exercise.issue or "-", points]


def _so_far(run: Run, view: View) -> list[str]:
    """Return what the learner's record adds to the states: runs, and when first passed."""
    known = [view.progress.get(report.exercise.name) for report in run.reports]
    return [
        f"{line.name} {line.runs} run{'s' * (line.runs != 1)}"
        + (f", first passed {line.passed}" if line.passed else "")
        for line in known
        if line
    ]


def _tabulated(headers: Sequence[str], rows: Sequence[Sequence[str]], view: View) -> str:
    """Return a table as wide as the terminal: the third column, titles, takes what others leave.

    In a narrow terminal the columns after it are left out.
    """
    count = 3 if view.width < NARROW else len(headers)
    align = ["left"] * 3 + ["right" if header == "points" else "left" for header in headers[3:]]
    columns = list(zip(headers, zip(*rows, strict=True), strict=True))[:count]
    room = max(view.width, NARROWEST) - sum(
        max(len(header) + _GAP, *(len(_COLOUR.sub("", cell)) for cell in cells)) + _GAP
        for header, cells in [*columns[:2], *columns[3:]]
    )
    wrap = partial(textwrap.wrap, width=max(room, 8), break_on_hyphens=False)
    titles = ["\n".join(wrap(row[2])) for row in rows]
    return tabulate(
        [[*row[:2], title, *row[3:count]] for row, title in zip(rows, titles, strict=True)],
        headers=headers[:count],
        tablefmt="simple",
        disable_numparse=True,
        colalign=align[:count],
    )


def filled(text: str, width: int, indent: str = INDENT, *, first: str = "") -> list[str]:
    """Return a paragraph in lines of at most `width` columns, the first with its own indent."""
    return textwrap.wrap(
        text,
        max(width, NARROWEST),
        initial_indent=first,
        subsequent_indent=indent,
        break_on_hyphens=False,  # a name stays in one piece where it can
    )


def _wrapped(text: str, width: int) -> str:
    return "\n".join(filled(text, width, ""))


def _painted(text: str, sign: Sign, view: View) -> str:
    return f"\x1b[{sign.colour}m{text}\x1b[0m" if view.colour else text


def _height(lines: Iterable[str], width: int) -> int:
    """Return how many lines of a screen these lines take."""
    return sum(max(1, -(-len(_COLOUR.sub("", line)) // width)) for line in lines)
