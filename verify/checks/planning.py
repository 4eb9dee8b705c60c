"""Checks of what a plan says beyond its schema: criteria, tests, domains."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pipeline.display import listed
from pipeline.problems import Problem
from pipeline.schema import is_test_path
from verify.verdicts import PASSED, Verdict

if TYPE_CHECKING:
    from pipeline.schema import Plan
    from verify.attempt import Attempt, CheckFunction, Source

_NUMBER = re.compile(r"AC([0-9]+)_")
_ROOTS = frozenset({"src", "lib", "app", "test", "tests", "__tests__"})


def maps_every_criterion(source: Source) -> CheckFunction:
    """Pass where each acceptance criterion of the course's issue has a label with its number."""

    def check(attempt: Attempt) -> Verdict:
        artifact = attempt.artifact(source)
        if attempt.issue is None:
            raise LookupError(f"no issue text for {attempt.exercise.issue}")
        plan: Plan = artifact.value
        if attempt.issue.criteria.keys() <= plan.get("acceptance_mapping", {}).keys():
            return PASSED
        mapped = {_number(label) for label in plan.get("acceptance_mapping", ())}
        found = f"labels {listed(plan.get('acceptance_mapping', {}))}"
        missing = [label for label in attempt.issue.criteria if _number(label) not in mapped]
        return artifact.failed_at(
            [
                Problem(
                    "criteria",
                    ("acceptance_mapping",),
                    "an acceptance criterion of the issue is not mapped",
                    label,
                    found,
                )
                for label in missing
            ]
        )

    return check


def _number(label: str) -> str:
    match = _NUMBER.match(label)
    return match[1] if match else label


def plans_a_test(source: Source) -> CheckFunction:
    """Pass where at least one step is a test step."""

    def check(attempt: Attempt) -> Verdict:
        artifact = attempt.artifact(source)
        plan: Plan = artifact.value
        if any(is_test_path(step["file"]) for step in plan["steps"]):
            return PASSED
        problem = Problem("tests", ("steps",), "no step is a test", "at least one test file")
        return artifact.failed_at([problem])

    return check


def spans_domains(source: Source, *, at_least: int) -> CheckFunction:
    """Pass where enough domains have both an implementation step and a test step.

    A domain is a folder directly below a source or test root, such as `src/auth/`, `test/auth/`.
    """

    def check(attempt: Attempt) -> Verdict:
        artifact = attempt.artifact(source)
        plan: Plan = artifact.value
        files = [step["file"] for step in plan["steps"]]
        built = {domain_of(file) for file in files if not is_test_path(file)} - {""}
        tested = {domain_of(file) for file in files if is_test_path(file)} - {""}
        if len(built & tested) >= at_least:
            return PASSED
        found = (
            f"built: {listed(sorted(built)) or 'none'}; tested: {listed(sorted(tested)) or 'none'}"
        )
        problem = Problem(
            "domains",
            ("steps",),
            "the steps do not span enough domains",
            f"implementation and test steps in {at_least} domains or more",
            found,
        )
        return artifact.failed_at([problem])

    return check


def domain_of(path: str) -> str:
    """Return the domain of a file, empty where it stands in no domain's folder."""
    parts = path.split("/")
    for index, part in enumerate(parts[:-2]):
        if part in _ROOTS:
            return parts[index + 1]
    return ""
