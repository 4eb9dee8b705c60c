"""Gradescope's results.json for each learner: what its autograder reads."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from pipeline.terminal.display import visible
from verify.exports.base import UnusableExport
from verify.exports.files import csv_file, name_of, text_file
from verify.exports.scores import (
    UNGRADED,
    checks_of,
    is_sole,
    latest,
    override_told,
    shown,
    total,
    why_blank,
)
from verify.exports.text import cell, json_text
from verify.reporters.base import place

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from verify.exports.base import Settings
    from verify.gradebook.reading import Cohort
    from verify.gradebook.records import Mark, Standing
    from verify.model import CheckInfo, Finding, Result

SINGLE = ".json"  # a target that ends with this is one file


def write(cohort: Cohort, target: str, settings: Settings) -> list[str]:  # noqa: ARG001  # the interface of exports
    """Write one file for one learner, else a folder with results.json in a folder for each."""
    fits(target, lambda: is_sole(cohort))
    if target.endswith(SINGLE):
        _write(next(latest(cohort.standings())), target)
        return [target]
    with csv_file(os.path.join(target, "files.csv")) as listing:
        listing.writerow(("learner", "file"))
        for standing in latest(cohort.standings()):
            name = name_of(standing.learner.key)
            # of many files, none is forced to the disk: the gradebook has what they tell
            _write(standing, os.path.join(target, name, "results.json"), synced=False)
            listing.writerow((cell(standing.learner.key), f"{name}/results.json"))
    return [target]


def fits(target: str, is_sole: Callable[[], bool]) -> None:
    """Refuse one file for several learners; whether there are is asked if need be.

    Raises:
        UnusableExport: it does not fit.
    """
    if target.endswith(SINGLE) and not is_sole():
        told = f"--gradescope {visible(target, 300)} is one file and takes one learner"
        raise UnusableExport(f"{told}: name a folder, without {SINGLE} at its end")


def _write(standing: Standing, path: str, *, synced: bool = True) -> None:
    with text_file(path, synced=synced) as file:
        file.write(json_text(results(standing)) + "\n")


def results(standing: Standing) -> dict[str, Any]:
    """Return the document; without any score where the standing has no total.

    Gradescope takes a document without scores for a grader that failed, and records nothing.
    """
    score = total(standing)
    notes = [line for mark in standing.marks for line in _notes(mark)]
    document: dict[str, Any] = {} if score is None else {"score": score}
    return document | {
        "output": "\n".join(notes) or "graded",
        "output_format": "text",
        "test_output_format": "text",
        "test_name_format": "text",
        "tests": [
            _test(check, f"{number}.{position}", scored=score is not None)
            for number, mark in enumerate(standing.marks, 1)
            for position, check in enumerate(checks_of(mark), 1)
        ],
        "extra_data": {
            "learner": standing.learner.key,
            "scores": {mark.exercise.name: shown(mark.score) for mark in standing.marks},
        },
    }


def _notes(mark: Mark) -> Iterator[str]:
    for note in (why_blank(mark), override_told(mark)):
        if note:
            yield f"{mark.exercise.name}: {visible(note, 5_000)}"


def _test(check: Result[CheckInfo], number: str, *, scored: bool) -> dict[str, Any]:
    info = check.check
    test: dict[str, Any] = {"name": visible(f"{info.code} {info.title}", 500), "number": number}
    if scored and check.score is not None and info.points:
        test |= {"score": check.score, "max_score": info.points}
    if check.outcome in ("pass", "fail", "skip"):
        test["status"] = "passed" if check.outcome == "pass" else "failed"
    return test | {"output": "\n".join(_lines(check))}


def _lines(check: Result[CheckInfo]) -> list[str]:
    advice = ["advice: worth no points"] if check.check.advisory else []
    if check.outcome == "skip":
        return [*advice, visible(f"waits for {check.waits_for}")]
    if check.outcome == "error" and not check.findings:
        return [UNGRADED]
    if not check.findings:
        return advice
    return [*advice, *(line for each in check.findings for line in finding_lines(each))]


def finding_lines(finding: Finding) -> list[str]:
    """Return a finding in lines of plain text."""
    parts = (
        place(finding) if finding.file else "",
        finding.message,
        f"expected {finding.expected}" if finding.expected else "",
        f"found {finding.found}" if finding.found else "",
        finding.action,
    )
    return [visible(part, 1_100) for part in parts if part]
