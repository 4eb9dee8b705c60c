"""The sample cohort: forty learners, two exercises, and most of what can go wrong in them."""

from __future__ import annotations

import csv
import io
import json
import os
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
_TASKS = "docs/expert/tutorials/outputs/01-classifications.json"
_PLACES = {  # of the files, by their names
    "plan.json": f"{_TRACE}/plan.json",
    "plans.json": f"{_TRACE}/plans.json",
    "worker-result.json": f"{_TRACE}/worker-result.json",
    "git-result.json": f"{_TRACE}/git-result.json",
    "01-classifications.json": _TASKS,
}


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
    verb = ("Write", "Add", "Extend", "Shape", "Change")[number % 5]
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
