"""The sample class: forty learners, most of what can go wrong in two exercises, and a term.

The term has three weeks: a plan of each learner, made here, then the two exercises of the cohort.
"""

from __future__ import annotations

import csv
import io
import json
import os
from datetime import datetime, timedelta
from functools import reduce
from operator import getitem
from typing import TYPE_CHECKING, Any

import yaml  # type: ignore[import-untyped]  # few calls, not worth stubs

from pipeline.bootstrap import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator

COHORT = "fixtures/cohort"
LEARNERS = f"{COHORT}/learners.yaml"
SUBMISSIONS = f"{COHORT}/submissions"
ABSENT = ("Oskar Lund", "Priya Nair")  # on the roster, but they submit nothing
GUEST = "Nils Holm"  # submits, but is not on the roster
_SOLVED = "fixtures/submissions"
_TRACE = ".pipeline/ISSUE-202"
_VERBS = ("Write", "Add", "Extend", "Shape", "Change")
_TASKS = "docs/expert/tutorials/outputs/01-classifications.json"
_PLACES = {  # of the files, by their names
    "plan.json": f"{_TRACE}/plan.json",
    "plans.json": f"{_TRACE}/plans.json",
    "worker-result.json": f"{_TRACE}/worker-result.json",
    "git-result.json": f"{_TRACE}/git-result.json",
    "01-classifications.json": _TASKS,
}
_PLAN = "sandbox/.pipeline/ISSUE-101/plan.json"
_WRONG_AUTHOR, _SHORT = 3, 5  # which of seven plans in a row are broken, and how
_DUE = (datetime(2026, 10, 5, 18), datetime(2026, 10, 12, 18), datetime(2026, 10, 19, 18))  # noqa: DTZ001  # in the zone of the term
TERM = """\
# A term of three weeks: python3 -m verify batch --term term.toml

roster = "roster.csv"
gradebook = "term.db"
timezone = "Europe/Berlin"
missing = "zero"

[late]
grace = 15
percent_a_day = 10
cap = 50

[assignments.plan]
exercises = ["foundation/01"]
collection = "plan.csv"
due = 2026-10-05T18:00:00
points = 10
excused = ["lena-vogel"]

[assignments.classify]
exercises = ["expert/01"]
collection = "classify.csv"
due = 2026-10-12T18:00:00
points = 10
extensions = { noor-haddad = 2026-10-16T18:00:00 }

[assignments.trace]
exercises = ["practitioner/04"]
collection = "trace.csv"
due = 2026-10-19T18:00:00
points = 20
"""


def cohort_files() -> Iterator[tuple[str, str]]:
    """Yield the path, relative to the root, and the text of each file of the sample cohort."""
    with open(os.path.join(ROOT, LEARNERS), encoding="utf-8") as file:
        learners: dict[str, dict[str, Any] | None] = yaml.safe_load(file)
    names = list(learners)
    yield f"{COHORT}/roster.csv", _roster(names)
    for name, changes in learners.items():
        for file_name, value in _files(names, name, changes or {}):
            path = f"{SUBMISSIONS}/{key_of(name)}/{_PLACES.get(file_name, file_name)}"
            yield path, value if isinstance(value, str) else json.dumps(value, indent=2) + "\n"
    yield from _term_files([key_of(name) for name in names if name != GUEST])


def _term_files(keys: list[str]) -> Iterator[tuple[str, str]]:
    """Yield the term, its manifests, and the first week's plans, two of seven broken."""
    yield f"{COHORT}/term.toml", TERM
    places = {"plan": "plans", "classify": "submissions", "trace": "submissions"}
    for (week, place), due in zip(places.items(), _DUE, strict=True):
        rows = [f"{key},{place}/{key},{_submitted(n, due)}\n" for n, key in enumerate(keys)]
        yield f"{COHORT}/{week}.csv", "".join(("learner,path,submitted_at\n", *rows))
    with open(os.path.join(ROOT, _SOLVED, "foundation/01-plan/solved", _PLAN), "rb") as file:
        solved = json.load(file)
    for number, key in enumerate(keys):
        plan = json.loads(json.dumps(solved))
        for step in plan["steps"]:
            step["description"] = f"{_VERBS[number % 5]} {step['file']} as the issue asks"
        if number % 7 == _WRONG_AUTHOR:
            plan["produced_by"] = "x-worker"
        elif number % 7 == _SHORT:
            del plan["steps"][-1]
        yield f"{COHORT}/plans/{key}/{_PLAN}", json.dumps(plan, indent=2) + "\n"


def _submitted(number: int, due: datetime) -> str:
    """Return when a learner submits: each ninth up to four days late, the others in time."""
    late = number % 9 == due.day % 9
    hours = 5 + 24 * (number % 4) if late else -(1 + number * 37 % 90)
    return (due + timedelta(hours=hours)).isoformat()


def _files(names: list[str], name: str, changes: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the name and the content of each of a learner's files."""
    files = _own(names.index(changes.get("copies", name)))
    for file_name, value in files.items():
        change = changes.get(file_name, {})
        if change is not None:
            yield change.get("to", file_name), _changed(value, change)
    for file_name, change in changes.items():
        if file_name not in files and file_name != "copies":
            yield file_name, _changed(None, change)


def key_of(name: str) -> str:
    """Return a learner's key: the name of the folder, and the roster's id."""
    return name.lower().replace(" ", "-").replace("'", "")


def _changed(value: Any, change: dict[str, Any]) -> Any:
    """Return a document with a learner's changes, as text if no JSON library would write it."""
    for path, new in change.get("set", {}).items():
        *above, last = (int(step) if step.isdigit() else step for step in path.split("."))
        reduce(getitem, above, value)[last] = new
    for field in change.get("drop", ()):
        del value[field]
    if "replace" in change:
        ((old, new),) = change["replace"].items()
        return (json.dumps(value, indent=2) + "\n").replace(old, new, 1)
    return change.get("text", value)


def _roster(names: list[str]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["id", "name", "email", "Section"])
    for number, name in enumerate(sorted({*names, *ABSENT} - {GUEST})):
        key = key_of(name)
        writer.writerow([key, name, f"{key}@example.org", "ABC"[number % 3]])
    return out.getvalue()


def _own(number: int) -> dict[str, Any]:
    """Return a learner's files that pass, with their own words and numbers, by their names."""
    names = ("plan.json", "worker-result.json", "git-result.json")
    files = {name: _solved("practitioner/04-trace", name) for name in names}
    plan, worker, git = files.values()
    verb = _VERBS[number % 5]
    for step in plan["steps"]:
        step["description"] = f"{verb} {step['file'].rsplit('/', 1)[1]} as the issue asks"
    worker["summary"] = f"{worker['summary']} ({len(plan['steps'])} files, run {number + 1})"
    git["commit_sha"] = f"{(number + 7) * 0x9E3779B97F4A7C15 % (1 << 40):010x}"
    tasks = _solved("expert/01-classify", "01-classifications.json")
    for task in tasks:
        task["file_count"] += number % 2 if task["tier"] == "complex" else 0
    return {**files, "01-classifications.json": tasks}


def _solved(exercise: str, name: str) -> Any:
    path = os.path.join(ROOT, _SOLVED, exercise, "solved", _PLACES[name])
    with open(path, encoding="utf-8") as file:
        return json.load(file)
