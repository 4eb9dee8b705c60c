"""Feedback: a Markdown page for each learner, for instructors to return."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pipeline.terminal.display import inert, visible
from verify.exports.base import Format, write_each
from verify.gradebook.reading import by_learner
from verify.gradebook.records import score_text
from verify.reporters.github import failure_items, longest_fence, plain, span

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verify.exports.base import Settings
    from verify.gradebook.reading import Cohort
    from verify.gradebook.records import Mark, Standing
    from verify.model import CheckInfo, Finding, Result

_LINES = re.compile(r"\r\n|\r|\n")
_WORDS = {
    "pass": "passed",
    "fail": "not passed",
    "missing": "missing",
    "unresolved": "unresolved",
    "error": "not graded",
}


def _write(cohort: Cohort, target: str, _settings: Settings) -> None:
    pages = ((each[0].learner.key, page(each)) for each in by_learner(cohort))
    write_each(target, ".md", pages)


def page(attempts: Sequence[Standing]) -> str:
    """Return a learner's page: the attempt that counts first, then those before it."""
    learner = attempts[-1].learner
    lines = [f"# {plain(learner.name or learner.key)}", ""]
    for number, standing in enumerate(reversed(attempts)):
        attempt, when = standing.attempt, standing.submitted
        if attempt:
            counts = "" if number else ", which counts"
            lines += [f"**Attempt {span(attempt)}{counts}**", ""]
        if when or standing.late:
            late = ", late" if standing.late else ""
            lines += [f"Submitted {span(when)}{late}." if when else "Submitted late.", ""]
        lines += [_total(standing), ""]
        for mark in standing.marks:
            lines += _mark_lines(mark)
    return "\n".join(map(inert, lines)).rstrip() + "\n"


def _total(standing: Standing) -> str:
    score = standing.total
    if score is None:
        return "There is no total score because part of it is not known."
    return f"{score_text(score)} of {standing.points} points in total."


def _mark_lines(mark: Mark) -> list[str]:
    exercise = mark.exercise
    lines = [f"## {exercise.name} {plain(exercise.title)}: {_WORDS[mark.outcome]}", ""]
    if mark.score is not None:
        lines += [f"{score_text(mark.score)} of {exercise.points} points.", ""]
    if mark.provenance:
        level = f"Provenance of the artifacts: {mark.provenance}."
        lines += [f"{level} It does not change the score.", ""]
    for note in mark.notes:
        lines += [plain(note), ""]
    if mark.outcome in ("missing", "unresolved"):
        return lines
    lines += ["| check | result | what is checked | points |", "| --- | --- | --- | ---: |"]
    lines += [_row(check, mark) for check in mark.checks]
    lines.append("")
    for check in mark.results:
        lines += _failure_lines(check)
    return lines


def _row(check: Result[CheckInfo], mark: Mark) -> str:
    info = check.check
    word = "note" if mark.is_note(check) else check.outcome
    word = f"after {plain(check.waits_for)}" if check.outcome == "skip" else word
    score = "" if info.advisory else f"{score_text(check.score) or '-'}/{info.points}"
    return f"| {plain(info.code)} | {word} | {plain(info.title)} | {score} |"


def _failure_lines(check: Result[CheckInfo]) -> list[str]:
    if check.outcome not in ("fail", "error") or not check.findings:
        return []
    lines: list[str] = []
    items = failure_items(check.check.code, check.verdict, "")
    for item, found in zip(items, check.findings, strict=True):
        lines += [item, *_excerpt_lines(found), ""]
    if check.check.page and check.outcome == "fail":
        lines += [f"More: {span(check.check.page)}", ""]
    return lines


def _excerpt_lines(found: Finding) -> list[str]:
    """Return the numbered lines around the place, in a fence that no text in them can close."""
    if not found.excerpt:
        return []
    first = max(1, found.line - 2)
    lines = [
        f"  {number:>5} {'>' if number == found.line else ' '} {visible(line, 200)}"
        for number, line in enumerate(_LINES.split(found.excerpt), first)
    ]
    fence = "  " + "`" * max(3, longest_fence(found.excerpt) + 1)
    return ["", f"{fence}text", *lines, fence]


FORMAT = Format("feedback", "DIR", "a Markdown page for each learner", _write, folder=True)
