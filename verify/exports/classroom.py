"""The result that GitHub Classroom's reporter reads: a step's output, JSON in base64, version 3."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

from pipeline.display import visible
from verify.exports.scores import (
    checks_of,
    is_ungraded,
    number,
    override_told,
    total,
    verdict_of,
    why_blank,
    worth,
)
from verify.exports.text import json_text

if TYPE_CHECKING:
    from verify.gradebook.values import CheckMark, Mark, Standing

NAME = "result"  # of the step's output


def output(standing: Standing) -> str:
    """Return the line for the file of the step's outputs."""
    document = json_text(result(standing)).encode()
    return f"{NAME}={base64.b64encode(document).decode()}\n"


def result(standing: Standing) -> dict[str, Any]:
    """Return the result, whose tests' scores add up to the total.

    Where there is no total it is out of 0 points, for which the reporter notes no grade at all.
    """
    score = total(standing)
    known = score is not None
    tests = [test for mark in standing.marks for test in _tests(mark, scored=known)]
    passed = all(mark.outcome == "pass" for mark in standing.marks)
    status = "error" if is_ungraded(standing) else "pass" if passed and known else "fail"
    return {
        "version": 3,
        "status": status,
        "max_score": worth(standing) if known else 0,
        "tests": tests,
    }


def _tests(mark: Mark, *, scored: bool) -> list[dict[str, Any]]:
    tests = [_test(check, scored=scored and mark.graded is not None) for check in checks_of(mark)]
    if mark.override is not None and scored:
        by_hand = mark.override.score - (mark.graded or 0)
        told = visible(override_told(mark), 5_000)
        name = f"{mark.exercise.name} set by hand"
        tests.append(_entry(name, "pass", number(round(by_hand, 6)) or 0, told))
    elif mark.score is None:
        tests.append(_entry(mark.exercise.name, "error", 0, why_blank(mark)))
    return tests


def _test(check: CheckMark, *, scored: bool) -> dict[str, Any]:
    name = visible(f"{check.check.code} {check.check.title}", 500)
    status = {"pass": "pass", "fail": "fail", "skip": "fail"}.get(check.outcome, "error")
    first = verdict_of(check).findings[0] if check.findings else None
    message = f"waits for {check.waits_for}" if check.outcome == "skip" else ""
    test = _entry(
        name, status, (check.score or 0) if scored else 0, first.message if first else message
    )
    if first and first.file:
        test |= {"filename": visible(first.file, 500), "line_no": first.line}
    return test


def _entry(name: str, status: str, score: float, message: str) -> dict[str, Any]:
    return {
        "name": name,
        "status": status,
        "score": score,
        "message": visible(message, 5_000),
        "test_code": "",
        "filename": "",
        "line_no": 0,
        "execution_time": 0,
    }
