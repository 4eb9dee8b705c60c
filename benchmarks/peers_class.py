"""The class of benchmarks/peers.py: 80 good plans, and 20 that are broken in five ways."""

from __future__ import annotations

import json
import os
from typing import Any

FOLDER, PLAN = os.path.join(".pipeline", "ISSUE-1"), "plan.json"
SIZE = 100
EVERY = 5  # the last of so many is broken
FAULTS = ("missing", "cut", "field", "uncovered", "undeclared")
BLIND = frozenset({"missing"})  # what a grader of files cannot be given


def made_class(place: str) -> dict[str, str]:
    """Make the class where it is not there yet; return each submission's fault, empty if good."""
    truth = {f"learner-{number:03}": _fault(number) for number in range(SIZE)}
    if not os.path.isdir(place):
        for number, (name, fault) in enumerate(truth.items()):
            folder = os.path.join(place, name, FOLDER)
            os.makedirs(folder)
            if fault == "missing":
                continue
            text = json.dumps(_plan(number, fault), indent=2)
            with open(os.path.join(folder, PLAN), "w", encoding="utf-8") as file:
                file.write(text[: len(text) // 2] if fault == "cut" else text)
    return truth


def sample_of(truth: dict[str, str]) -> list[str]:
    """Return 20 of a class in its own proportions but for one fault more: each is in it."""
    good = [name for name, fault in truth.items() if not fault]
    broken = {fault: name for name, fault in truth.items() if fault}
    return sorted([*good[: SIZE // EVERY - len(FAULTS)], *broken.values()])


def _fault(number: int) -> str:
    return FAULTS[number // EVERY % len(FAULTS)] if number % EVERY == EVERY - 1 else ""


def _plan(number: int, fault: str) -> dict[str, Any]:
    files = [f"src/part_{number}_{part}.py" for part in range(1 + number % 7)] + ["test/parts.py"]
    steps = [
        {"order": order, "file": file, "description": f"Write {file}"}
        for order, file in enumerate(files, start=1)
    ]
    plan: dict[str, Any] = {"affected_files": files, "steps": steps}
    if fault == "field":
        del plan["steps"]
    elif fault == "uncovered":
        steps.pop()
    elif fault == "undeclared":
        files.pop()
    return plan
