"""GitHub Actions: annotations on stdout, the step's summary, the result for Classroom."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from pipeline.display import visible
from pipeline.streams import deliver
from verify.exports.classroom import output
from verify.exports.scores import is_note, is_sole, latest, verdict_of
from verify.exports.summary import Summary
from verify.reporters.github import MOST_ANNOTATIONS, annotation
from verify.reporters.github_text import MOST_SUMMARY

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verify.exports.base import Settings
    from verify.gradebook.reading import Cohort
    from verify.gradebook.values import Mark, Standing

SUMMARY, OUTPUT = "GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT"


def write(cohort: Cohort, target: str, settings: Settings) -> list[str]:  # noqa: ARG001  # the interface of exports
    """Annotate the first findings, add to the summary and, for one learner, put the result out."""
    sole = is_sole(cohort)
    deliver(_annotations(cohort, sole=sole))
    written = []
    page = os.environ.get(SUMMARY)
    if page:
        _append(page, _summary(cohort, MOST_SUMMARY - _size(page)))
        written.append(page)
    else:
        deliver(_summary(cohort, MOST_SUMMARY))
    outputs = os.environ.get(OUTPUT)
    if outputs and sole:
        _append(outputs, output(next(latest(cohort.standings()))))
        written.append(outputs)
    elif outputs:
        settings.note("--github puts no result out for Classroom: that is for one learner")
    return written


def _summary(cohort: Cohort, room: int) -> str:
    summary = Summary(cohort.exercises, room)
    for standing in latest(cohort.standings()):
        summary.add(standing)
    return summary.text()


def _annotations(cohort: Cohort, *, sole: bool) -> str:
    kept: dict[str, list[str]] = {"error": [], "warning": []}
    cut = 0
    for standing in latest(cohort.standings()):
        for mark in standing.marks:
            for command, line in _lines(standing, mark, sole=sole):
                if len(kept[command]) < MOST_ANNOTATIONS:
                    kept[command].append(line)
                else:
                    cut += 1
    lines = [*kept["error"], *kept["warning"]]
    if cut:
        findings = "finding is" if cut == 1 else "findings are"
        lines.append(f"::notice::{cut} more {findings} not annotated")
    return "".join(f"{line}\n" for line in lines)


def _lines(standing: Standing, mark: Mark, *, sole: bool) -> Iterator[tuple[str, str]]:
    """Yield annotations; a file has a place in the job's workspace only if there is one learner."""
    who = "" if sole else f"{visible(standing.learner.key, 200)}: "
    for check in mark.checks:
        if check.outcome in ("fail", "error"):
            command = "warning" if is_note(check, mark) else "error"
            title = f"{who}{check.check.code} {check.check.title}"
            for finding in verdict_of(check).findings:
                found = finding if sole else finding._replace(file="")
                line = annotation(command, visible(title, 500), found, hint="", prefix="")
                yield command, line


def _append(path: str, text: str) -> None:
    with open(path, "a", encoding="utf-8") as file:
        file.write(text)


def _size(path: str) -> int:
    """Return how much of the step's summary is there already: the limit is for all of it."""
    try:
        return os.path.getsize(path)
    except OSError:
        return 0
