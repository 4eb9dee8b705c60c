"""Feedback: a Markdown page for each learner, for instructors to return."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from unicodedata import bidirectional

from pipeline.terminal.display import inert, visible
from verify.exports.base import NO_SETTINGS, Format, command_of, link_of, write_each
from verify.gradebook.reading import by_learner
from verify.gradebook.records import score_text
from verify.reporters.base import excerpt_lines, fenced, finding_lines

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verify.exports.base import Settings
    from verify.gradebook.reading import Cohort
    from verify.gradebook.records import Mark, Standing
    from verify.grading.model import CheckInfo, Result

_MARKDOWN = re.compile(r"([\\`*_{}\[\]()<>#+\-!|~&$:]|(?<=www)\.)", re.IGNORECASE)
# GitHub looks for mentions, addresses and references in the text that Markdown has made
_REFERENCE = re.compile(r"((?:@|#(?=\w)|(?<=\bgh)-(?=[0-9]))+)", re.IGNORECASE)
_WORDS = {
    "pass": "passed",
    "fail": "not passed",
    "missing": "missing",
    "unresolved": "unresolved",
    "excused": "excused",
    "error": "not graded",
}


def _write(cohort: Cohort, target: str, settings: Settings) -> None:
    pages = ((attempts[0].learner.key, page(attempts, settings)) for attempts in by_learner(cohort))
    write_each(target, ".md", pages)


def page(attempts: Sequence[Standing], settings: Settings = NO_SETTINGS) -> str:
    """Return a learner's page: the attempt that counts first, then those before it."""
    learner = attempts[-1].learner
    lines = [f"# {plain(learner.name or learner.key)}", ""]
    for number, standing in enumerate(reversed(attempts)):
        attempt, when = standing.attempt, standing.submitted
        if attempt:
            counts = "" if number else ", which counts"
            lines += [f"**Attempt {plain(attempt)}{counts}**", ""]
        if when or standing.late:
            late = ", late" if standing.late else ""
            lines += [f"Submitted {plain(when)}{late}." if when else "Submitted late.", ""]
        lines += [_total(standing), ""]
        for mark in standing.marks:
            lines += _mark_lines(mark, settings)
    return "\n".join(map(inert, lines)).rstrip() + "\n"


def _total(standing: Standing) -> str:
    score = standing.total
    if score is None:
        return "There is no total score because an exercise has no score."
    return f"{score_text(score)} of {standing.points} points in total."


def _mark_lines(mark: Mark, settings: Settings) -> list[str]:
    exercise = mark.exercise
    lines = [f"## {exercise.name} {plain(exercise.title)}: {_WORDS[mark.outcome]}", ""]
    if mark.score is not None:
        lines += [f"{score_text(mark.score)} of {exercise.points} points.", ""]
    if mark.provenance:
        level = f"Provenance of the artifacts: {mark.provenance}."
        lines += [f"{level} The level does not change the score.", ""]
    if mark.run:
        lines += [f"Run: {mark.run}.", ""]
    for note in mark.told:
        lines += [plain(note), ""]
    if mark.outcome in ("missing", "unresolved"):
        return lines
    lines += _next_lines(mark, settings)
    lines += ["| check | result | what is checked | points |", "| --- | --- | --- | ---: |"]
    lines += [_row(check, mark) for check in mark.checks]
    lines.append("")
    for check in mark.results:
        lines += _failure_lines(check, settings.site)
    return lines


def _next_lines(mark: Mark, settings: Settings) -> list[str]:
    """Return what to fix first, and how to see it oneself; nothing where nothing failed."""
    first = mark.first_to_fix
    if first is None:
        return []
    what = f"Fix first: **{plain(first.check.code)}** {plain(first.check.title)}"
    waiting = sum(result.waits_for == first.check.code for result in mark.results)
    if waiting:
        what += f" ({waiting} check{'s wait' if waiting > 1 else ' waits'} for it)"
    again = settings.again.get(mark.exercise.name, "")
    command = visible(command_of(mark.exercise.of(first.check), again), 1_000)
    return [f"{what}.", "", "To see it yourself:", "", fenced(command), ""]


def _row(check: Result[CheckInfo], mark: Mark) -> str:
    info = check.check
    word = "note" if mark.is_note(check) else check.outcome
    word = f"waits for {plain(check.waits_for)}" if check.outcome == "skip" else word
    score = "" if info.advisory else f"{score_text(check.score) or '-'}/{info.points}"
    return f"| {plain(info.code)} | {word} | {plain(info.title)} | {score} |"


def _failure_lines(check: Result[CheckInfo], site: str) -> list[str]:
    if check.outcome not in ("fail", "error") or not check.findings:
        return []
    parts = []
    for found in check.findings:
        lines = [
            f"  {number:>5} {'>' if number == found.line else ' '} {visible(text, 200)}"
            for number, text in excerpt_lines(found)
        ]
        parts.append("\n".join([*finding_lines(found), *lines]))
    more = link_of(check.check.page, site)
    if check.check.page and check.outcome == "fail" and not more:
        parts.append(f"More: {visible(check.check.page, 1_000)}")
    title = f"**{check.check.code}** {plain(check.check.title)}"
    lines = [title, "", fenced("\n\n".join(parts)), ""]
    return [*lines, f"[More on {plain(check.check.code)}](<{more}>)", ""] if more else lines


def plain(text: str) -> str:
    """Return a text as Markdown that shows it literally.

    It has no markup or link, and GitHub finds no mention and no issue in it: code spans break up
    what looks like one. Letters that are read from right to left do not change the order of what
    is beside them: they are isolated by characters, since GitHub leaves out `<bdi>`.
    """
    parts = _REFERENCE.split(visible(text, 1_000))
    shown = "".join(f"`{part}`" if at % 2 else _escaped(part) for at, part in enumerate(parts))
    return shown if shown.isascii() or _is_left_to_right(shown) else f"\u2068{shown}\u2069"


def _is_left_to_right(text: str) -> bool:
    return not {"R", "AL"}.intersection(map(bidirectional, text))


def _escaped(text: str) -> str:
    return _MARKDOWN.sub(r"\\\1", text).replace("\\<", "&lt;")


FORMAT = Format("feedback", "DIR", "a Markdown page for each learner", _write, folder=True)
