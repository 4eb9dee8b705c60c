"""SARIF 2.1.0, for code scanning: a result for each place where a check failed."""

from __future__ import annotations

import hashlib
from itertools import chain
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from pipeline.display import visible
from verify.exports.files import text_file
from verify.exports.json_records import override_record
from verify.exports.scores import UNGRADED, checks_of, is_note, is_sole, number, verdict_of
from verify.exports.text import json_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import TextIO

    from verify.exports.base import Settings
    from verify.gradebook.reading import Cohort
    from verify.gradebook.values import CheckInfo, CheckMark, Mark, Standing
    from verify.verdicts import Finding

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def write(cohort: Cohort, target: str, settings: Settings) -> list[str]:  # noqa: ARG001  # the interface of exports
    """Write the log: failures as results, our own errors as notifications, scores as properties."""
    rules = [_rule(check) for exercise in cohort.exercises for check in exercise.checks]
    index = {rule["id"]: at for at, rule in enumerate(rules)}
    driver = json_text({"driver": {"name": "verify", "rules": rules}})
    ungraded = any(True for _ in _notifications(cohort))
    folders = not is_sole(cohort)  # one learner's files stand where the scanned repository has them
    with text_file(target) as file:
        file.write(f'{{"$schema": "{SCHEMA}", "version": "2.1.0", "runs": [{{"tool": {driver}')
        _list(file, ', "results"', _results(cohort, index, folders=folders))
        file.write(f', "invocations": [{{"executionSuccessful": {json_text(not ungraded)}')
        _list(file, ', "toolExecutionNotifications"', _notifications(cohort))
        file.write('}], "properties": {')
        _list(file, '"scores"', _scores(cohort))
        file.write("}}]}\n")
    return [target]


def _list(file: TextIO, name: str, values: Iterable[Any]) -> None:
    file.write(f"{name}: [")
    part = "\n"
    for value in values:
        file.write(part + json_text(value))
        part = ",\n"
    file.write("]")


def _rule(check: CheckInfo) -> dict[str, Any]:
    return {
        "id": check.code,
        "shortDescription": {"text": visible(check.title, 1_000)},
        "help": {"text": f"See {check.page}" if check.page else visible(check.title, 1_000)},
        "defaultConfiguration": {"level": "note" if check.advisory else "error"},
        "properties": {"points": check.points},
    }


def _checks(cohort: Cohort) -> Iterator[tuple[Standing, Mark, CheckMark]]:
    for standing in cohort.standings():
        for mark in standing.marks:
            for check in checks_of(mark):
                yield standing, mark, check


def _results(cohort: Cohort, index: dict[str, int], *, folders: bool) -> Iterator[dict[str, Any]]:
    for standing, mark, check in _checks(cohort):
        if check.outcome == "fail":
            key = standing.learner.key
            rule: dict[str, Any] = {"ruleId": check.check.code}
            if check.check.code in index:  # not a check of before, where a regrading did not come
                rule["ruleIndex"] = index[check.check.code]
            level = "note" if is_note(check, mark) else "error"
            about = {"learner": key, "exercise": mark.exercise.name, "attempt": mark.attempt}
            for finding in verdict_of(check).findings:
                location = _location(finding, key if folders else "")
                yield {
                    **rule,
                    "level": level,
                    "message": {"text": _message(finding)},
                    "locations": [{"physicalLocation": location}],
                    "partialFingerprints": {"finding/v1": _digest(check, finding, about)},
                    "properties": about,
                }


def _message(finding: Finding) -> str:
    parts = (
        f"{finding.path}: {finding.message}" if finding.path else finding.message,
        f"expected {finding.expected}" if finding.expected else "",
        f"found {finding.found}" if finding.found else "",
        finding.next_step,
    )
    # brackets and braces would be links and placeholders
    text = "\n".join(visible(part, 1_000) for part in parts if part)
    return text.replace("\\", "\\\\").replace("[", "\\[").replace("{", "{{").replace("}", "}}")


def _location(finding: Finding, folder: str) -> dict[str, Any]:
    path = "/".join(part for part in (folder, finding.file) if part) or "submission"
    location: dict[str, Any] = {"artifactLocation": {"uri": _uri(path)}}
    if finding.line:
        region = {"startLine": finding.line, "startColumn": max(finding.column, 1)}
        location["region"] = region
    return location


def _uri(path: str) -> str:
    """Return a relative reference: nothing in it names a scheme, a host or a parent folder."""
    parts = (part for part in path.split("/") if part)
    return "/".join(
        "%2E" * len(part) if part in (".", "..") else quote(part, safe="", errors="surrogatepass")
        for part in parts
    )


def _digest(check: CheckMark, finding: Finding, about: dict[str, str]) -> str:
    said = chain(about.values(), (check.check.code, finding.file, finding.path, finding.message))
    return hashlib.sha256(json_text(list(said)).encode()).hexdigest()[:32]


def _notifications(cohort: Cohort) -> Iterator[dict[str, Any]]:
    for standing, mark, check in _checks(cohort):
        if check.outcome == "error":
            findings = verdict_of(check).findings if check.findings else ()
            why = " ".join(visible(finding.message, 1_000) for finding in findings) or UNGRADED
            yield {
                "level": "error",
                "message": {"text": why},
                "associatedRule": {"id": check.check.code},
                "properties": {"learner": standing.learner.key, "attempt": mark.attempt},
            }


def _scores(cohort: Cohort) -> Iterator[dict[str, Any]]:
    for standing in cohort.standings():
        for mark in standing.marks:
            yield {
                "learner": standing.learner.key,
                "attempt": mark.attempt,
                "exercise": mark.exercise.name,
                "outcome": mark.outcome,
                "score": number(mark.score),
                "points": mark.exercise.points,
                "override": mark.override and override_record(mark.override),
            }
