"""Gradescope's results.json for each learner, as its autograder reads it."""

from __future__ import annotations

import json
from itertools import islice
from typing import TYPE_CHECKING, Any

from pipeline.terminal.display import visible
from verify.exports.base import Format, text_file, write_each
from verify.gradebook.reading import by_learner
from verify.gradebook.records import UNGRADED, score_text
from verify.intake.table import Unusable
from verify.reporters.base import finding_lines

if TYPE_CHECKING:
    from verify.exports.base import Settings
    from verify.gradebook.reading import Cohort
    from verify.gradebook.records import Standing
    from verify.grading.model import CheckInfo, Result


def _write(cohort: Cohort, target: str, _settings: Settings) -> None:
    """Write one file for a single learner, otherwise a folder with a file for each learner."""
    documents = (
        (standing.learner.key, f"{json.dumps(results(standing))}\n")
        for *_, standing in by_learner(cohort)
    )
    if FORMAT.is_folder(target):
        write_each(target, "/results.json", documents)
        return
    found = list(islice(documents, 2))
    if len(found) != 1:
        step = "choose a folder (a path that does not end in .json)"
        problem = f"can have the results of only one learner: {step}"
        raise Unusable(f"--gradescope {visible(target, 300)} {problem}")
    with text_file(target) as file:
        file.write(found[0][1])


def results(standing: Standing) -> dict[str, Any]:
    """Return the document, without any score if the standing has no total.

    Gradescope takes a document without scores for a grader that failed, and records nothing.
    """
    score = standing.total
    notes = [
        f"{mark.exercise.name}: {visible(note, 5_000)}"
        for mark in standing.marks
        for note in mark.told
    ]
    document: dict[str, Any] = {} if score is None else {"score": score}
    return document | {
        "output": "\n".join(notes) or "graded",
        "output_format": "text",
        "test_output_format": "text",
        "test_name_format": "text",
        "tests": [
            _test(check, f"{number}.{position}", scored=score is not None)
            for number, mark in enumerate(standing.marks, 1)
            for position, check in enumerate(mark.checks, 1)
        ],
        "extra_data": {
            "learner": standing.learner.key,
            "scores": {mark.exercise.name: score_text(mark.score) for mark in standing.marks},
        },
    }


def _test(check: Result[CheckInfo], number: str, *, scored: bool) -> dict[str, Any]:
    info = check.check
    test: dict[str, Any] = {"name": visible(f"{info.code} {info.title}", 500), "number": number}
    if scored and check.score is not None and info.points:
        test |= {"score": check.score, "max_score": info.points}
    if check.outcome in ("pass", "fail", "skip"):
        test["status"] = "passed" if check.outcome == "pass" else "failed"
    return test | {"output": "\n".join(_lines(check))}


def _lines(check: Result[CheckInfo]) -> list[str]:
    lines = ["advisory: worth no points"] if check.check.advisory else []
    if check.outcome == "skip":
        lines.append(visible(f"waits for {check.waits_for}"))
    elif check.outcome == "error" and not check.findings:
        lines.append(UNGRADED)
    return [*lines, *(line for finding in check.findings for line in finding_lines(finding))]


FORMAT = Format(
    "gradescope",
    "PATH",
    "a folder with Gradescope's results.json for each learner",
    _write,
    folder=True,
    single=".json",
)
