"""Which check answers for which concern: one table an exercise, written from its description.

A code's number is written here by hand and not asked of the grader, so that a fault which another
check refuses by chance is not taken for proof.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from verify.selftest.subjects import (
    AGREEMENT,
    APPLIES,
    BLOCKERS,
    BRANCH,
    CLEAN,
    COMMIT_KNOWN,
    COMPLETED,
    CRITERIA,
    DOMAINS,
    ESTIMATES,
    FIELDS,
    FILES_AND_STEPS,
    FILES_THERE,
    GIT_FILES,
    GIT_PLAN,
    ISSUE_IN_BRANCH,
    JSON,
    MAPPING,
    MARKER,
    MERGED,
    MESSAGE,
    MESSAGE_SAID,
    MODEL,
    ON_BRANCH,
    ONLY_WORK,
    ORDER,
    PULL_REQUEST,
    RECORDS,
    ROOTS,
    ROUTING,
    SCENARIOS,
    SHA,
    TESTS,
    THERE,
    TIER_VALUES,
    TIMES,
    TRIVIAL_AGENTS,
    URL,
    VERSION,
    WRITES,
    Subject,
    tier_of,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

_Checks = dict[str, int]

_FORM = (FIELDS, FILES_AND_STEPS, ORDER, MAPPING, BLOCKERS, BRANCH, SHA, MESSAGE, URL)
_WHOLE = (THERE, JSON, *_FORM)
_TASK = "docs/expert/tutorials/outputs/01-classifications.json"


def _artifact(
    target: str, issue: str, kind: str, checks: _Checks, *agents: str
) -> tuple[Subject, ...]:
    return (Subject(f"{target}.pipeline/{issue}/{kind}.json", kind, checks, agents),)


def _all(concerns: tuple[str, ...], number: int) -> _Checks:
    return dict.fromkeys(concerns, number)


# --- one artifact, check by check ---------------------------------------------------------------

_PLAN = {THERE: 1, JSON: 2, FIELDS: 3, FILES_AND_STEPS: 4, ORDER: 5, MAPPING: 6}
_WORK = {
    THERE: 1,
    JSON: 2,
    FIELDS: 3,
    COMPLETED: 4,
    AGREEMENT: 6,
    FILES_THERE: 7,
    MARKER: 8,
}
_PLAN_OF_WORK = {**_all(_WHOLE, 5), AGREEMENT: 6}
_GIT = {
    THERE: 1,
    JSON: 2,
    FIELDS: 3,
    BRANCH: 4,
    SHA: 5,
    MESSAGE: 6,
    MARKER: 7,
    ISSUE_IN_BRANCH: 8,
    URL: 9,
    PULL_REQUEST: 9,
}

# --- a trace: three artifacts, each there (1 to 3) and valid (4 to 6) -----------------------------

_TRACED_PLAN = {**_all((THERE, JSON), 1), **_all(_FORM, 4), FILES_AND_STEPS: 7}
_TRACED_WORK = {**_all((THERE, JSON), 2), FIELDS: 5, BLOCKERS: 8}
_TRACED_GIT = {**_all((THERE, JSON), 3), **_all(_FORM, 6)}


def _history(first: int, advice: Mapping[str, int] = {}) -> Subject:
    """Return the history of a trace: five checks hold artifacts against it, others give advice."""
    concerns = (COMMIT_KNOWN, ON_BRANCH, MESSAGE_SAID, GIT_FILES, GIT_PLAN)
    checks = {concern: first + offset for offset, concern in enumerate(concerns)}
    return Subject(".pipeline/history.bundle", "history", {**checks, THERE: first, **advice})


def _trace(issue: str, advice: Mapping[str, int] = {}) -> tuple[Subject, ...]:
    plan = {**_TRACED_PLAN, MARKER: 9, AGREEMENT: 13, CRITERIA: 14, ROOTS: 16}
    work = {**_TRACED_WORK, MARKER: 10, COMPLETED: 12, AGREEMENT: 13}
    git = {**_TRACED_GIT, MARKER: 11, ISSUE_IN_BRANCH: 15}
    return (
        *_artifact("", issue, "plan", plan, "x-subplanner"),
        *_artifact("", issue, "worker-result", work, "x-worker"),
        *_artifact("", issue, "git-result", git, "x-git"),
        _history(17, advice),
    )


# --- a tiered run: for each artifact it is sound, then its marker; then the advice ----------------


def _stage(
    number: int, issue: str, kind: str, advice: _Checks, *agents: str
) -> tuple[Subject, ...]:
    checks = {**_all((*_WHOLE, COMPLETED), number), MARKER: number + 1, **advice}
    return _artifact("sandbox/", issue, kind, checks, *agents)


# --- the IDE pack ---------------------------------------------------------------------------------


def _definition(path: str, kind: str, **numbers: int) -> Subject:
    names = {"there": THERE, "clean": CLEAN, "model": MODEL, "applies": APPLIES, "writes": WRITES}
    checks = {names[name]: number for name, number in numbers.items()}
    return Subject(f"sandbox/.cursor/{path}", kind, checks)


_PACK = (
    *(
        _definition(f"agents/{name}.md", "agent", there=1, clean=2, model=3, writes=13)
        for name in ("x-planner", "x-subplanner", "x-worker", "x-git")
    ),
    _definition("rules/x-planner-first.mdc", "rule", there=4, clean=5, applies=8),
    _definition("rules/x-tier-routing.mdc", "rule", there=4, clean=5),
    _definition("skills/x-pipeline-artifact-io/SKILL.md", "skill", there=6, clean=7),
    Subject("python", "program", {VERSION: 9}),
    Subject("node", "program", {VERSION: 10}),
    Subject("git", "program", {VERSION: 11}),
    Subject("sandbox/node_modules", "folder", {THERE: 12}),
)

_RECORDS = {
    THERE: 1,
    JSON: 2,
    RECORDS: 3,
    FIELDS: 4,
    TIER_VALUES: 5,
    SCENARIOS: 6,
    tier_of("typo"): 7,
    tier_of("endpoint"): 8,
    tier_of("chat"): 9,
    tier_of("rename"): 10,
    tier_of("access-control"): 11,
    TRIVIAL_AGENTS: 12,
    ROUTING: 13,
    ESTIMATES: 14,
}

SUBJECTS: Mapping[str, tuple[Subject, ...]] = {
    "foundation/01": _artifact(
        "sandbox/",
        "ISSUE-101",
        "plan",
        {**_PLAN, MARKER: 7, CRITERIA: 8, TESTS: 9, ROOTS: 10},
        "x-planner",
        "x-subplanner",
    ),
    "foundation/02": (
        *_artifact("sandbox/", "ISSUE-101", "plan", _PLAN_OF_WORK),
        *_artifact("sandbox/", "ISSUE-101", "worker-result", _WORK, "x-worker"),
    ),
    "foundation/03": _artifact("sandbox/", "ISSUE-101", "git-result", _GIT, "x-git"),
    "foundation/04": (
        *_artifact("", "ISSUE-102", "plan", {**_TRACED_PLAN, AGREEMENT: 10, ROOTS: 12}),
        *_artifact("", "ISSUE-102", "worker-result", {**_TRACED_WORK, COMPLETED: 9, AGREEMENT: 10}),
        *_artifact("", "ISSUE-102", "git-result", {**_TRACED_GIT, ISSUE_IN_BRANCH: 11}),
        _history(13),
    ),
    "practitioner/01": _PACK,
    "practitioner/02": _artifact(
        "sandbox/",
        "ISSUE-201",
        "plan",
        {**_PLAN, CRITERIA: 7, MARKER: 8, TESTS: 9, ROOTS: 10},
        "x-subplanner",
    ),
    "practitioner/03": (
        *_artifact("sandbox/", "ISSUE-201", "plan", {**_PLAN_OF_WORK, MARKER: 9}, "x-subplanner"),
        *_artifact("sandbox/", "ISSUE-201", "worker-result", _WORK, "x-worker"),
    ),
    "practitioner/04": _trace("ISSUE-202"),
    "expert/01": (Subject(_TASK, "classifications", _RECORDS),),
    "expert/02": (
        *_stage(1, "ISSUE-301", "worker-result", {}, "x-worker-fast"),
        *_stage(3, "ISSUE-301", "git-result", {ISSUE_IN_BRANCH: 17}, "x-git"),
        *_stage(5, "ISSUE-302", "plan", {AGREEMENT: 18}, "x-planner", "x-subplanner"),
        *_stage(7, "ISSUE-302", "worker-result", {AGREEMENT: 18}, "x-worker"),
        *_stage(9, "ISSUE-302", "git-result", {ISSUE_IN_BRANCH: 19}, "x-git"),
        *_stage(11, "ISSUE-303", "plan", {AGREEMENT: 20}, "x-subplanner"),
        *_stage(13, "ISSUE-303", "worker-result", {AGREEMENT: 20}, "x-worker"),
        *_stage(15, "ISSUE-303", "git-result", {ISSUE_IN_BRANCH: 21}, "x-git"),
    ),
    "expert/03": _artifact(
        "sandbox/",
        "ISSUE-304",
        "plan",
        {**_PLAN, CRITERIA: 7, MARKER: 8, DOMAINS: 9, ROOTS: 10},
        "x-subplanner",
    ),
    "expert/04": _trace("ISSUE-305", {ONLY_WORK: 22, TIMES: 23, MERGED: 24}),
}
