"""Faults of a plan: its steps, their order, its files, its mapping."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from verify.selftest.mutants import Edit, Fault
from verify.selftest.operators.documents import (
    renamed_key,
    replaced_everywhere,
    with_value,
    without,
)
from verify.selftest.subjects import (
    AGREEMENT,
    CRITERIA,
    DOMAINS,
    FILES_AND_STEPS,
    MAPPING,
    ORDER,
    TESTS,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from verify.selftest.mutants import Scene
    from verify.selftest.subjects import Subject

_LABELS: tuple[tuple[str, Callable[[str], str]], ...] = (
    ("in lower case", str.lower),
    ("without its number", lambda label: f"AC_{label.partition('_')[2]}"),
    ("without its name", lambda label: label.partition("_")[0]),
    ("with an empty name", lambda label: f"{label.partition('_')[0]}_"),
    ("with the number 0", lambda label: f"AC0_{label.partition('_')[2]}"),
    ("with a leading zero", lambda label: label.replace("AC", "AC0")),
    ("with a hyphen", lambda label: label.replace("_", "-", 1)),
    ("with spaces", lambda label: label.replace("_", " ")),
    ("with a space after it", lambda label: f"{label} "),
    ("as a sentence", lambda label: f"{label}: it works"),
    ("as a number", lambda label: label.partition("_")[0].removeprefix("AC")),
)


def steps_dropped_or_doubled(plan: Any, _: Subject) -> Iterator[Edit]:
    """Drop each step, and repeat each."""
    for index, step in enumerate(plan["steps"]):
        yield Edit(f"steps.{index}: dropped", (FILES_AND_STEPS,), without(plan, ("steps", index)))
        steps = [*plan["steps"][: index + 1], step, *plan["steps"][index + 1 :]]
        yield Edit(f"steps.{index}: twice", (ORDER,), with_value(plan, ("steps",), steps))


def steps_out_of_order(plan: Any, _: Subject) -> Iterator[Edit]:
    """Swap neighbours, turn the steps around, repeat a number, count down."""
    steps = plan["steps"]
    for index in range(1, len(steps)):
        swapped = [*steps[: index - 1], steps[index], steps[index - 1], *steps[index + 1 :]]
        label = f"steps.{index}: before the one before it"
        yield Edit(label, (ORDER,), with_value(plan, ("steps",), swapped))
        path = ("steps", index, "order")
        same = with_value(plan, path, steps[index - 1]["order"])
        yield Edit(f"steps.{index}.order: the same number again", (ORDER,), same)
        yield Edit(f"steps.{index}.order: negative", (ORDER,), with_value(plan, path, -index))
    if len(steps) > 1:
        yield Edit("steps: turned around", (ORDER,), with_value(plan, ("steps",), steps[::-1]))


def tests_first(plan: Any, _: Subject) -> Iterator[Edit]:
    """Put each test step before the implementation, and number the steps anew."""
    for index, step in enumerate(plan["steps"]):
        others = [*plan["steps"][:index], *plan["steps"][index + 1 :]]
        if _is_test(step["file"]) and not _is_test(others[0]["file"]):
            steps = [
                {**each, "order": number} for number, each in enumerate([step, *others], start=1)
            ]
            label = f"steps.{index}: a test before the implementation"
            yield Edit(label, (ORDER,), with_value(plan, ("steps",), steps))


def files_dropped_or_added(plan: Any, _: Subject) -> Iterator[Edit]:
    """List a file less and a file more than the steps have."""
    files = plan["affected_files"]
    for index in range(len(files)):
        path = ("affected_files", index)
        yield Edit(f"affected_files.{index}: dropped", (FILES_AND_STEPS,), without(plan, path))
    more = with_value(plan, ("affected_files",), [*files, "src/more.js"])
    yield Edit("affected_files: one more", (FILES_AND_STEPS,), more)
    step = {"order": 0, "file": "src/more.js", "description": "Write one more"}
    more = with_value(plan, ("steps",), [step, *plan["steps"]])
    yield Edit("steps: one more", (FILES_AND_STEPS,), more)


def file_forgotten(scene: Scene) -> Iterator[Fault]:
    """Forget a file everywhere, or plan another one, so that only the worker's result disagrees."""
    path = scene.subject.path
    if f"{path.removesuffix('plan.json')}worker-result.json" not in scene.files:
        return
    plan = json.loads(scene.data)
    for file in plan["affected_files"]:
        folder, slash, name = file.rpartition("/")
        other = replaced_everywhere(plan, file, f"{folder}{slash}other-{name}")
        plans = {"forgotten": _forgotten(plan, {file}), "another file everywhere": other}
        for label, changed in plans.items():
            if changed["affected_files"]:
                data = json.dumps(changed).encode()
                yield Fault(f"{file}: {label}", (AGREEMENT,), {path: data})


def tests_forgotten(plan: Any, _: Subject) -> Iterator[Edit]:
    """Forget all tests."""
    tests = [file for file in plan["affected_files"] if _is_test(file)]
    yield Edit("tests: forgotten", (TESTS, DOMAINS, AGREEMENT), _forgotten(plan, set(tests)))


def one_domain(plan: Any, subject: Subject) -> Iterator[Edit]:
    """Plan one domain alone, and the others without tests or without implementation."""
    files = plan["affected_files"] if DOMAINS in subject.checks else []
    for domain in sorted({file.split("/")[1] for file in files if file.count("/") > 1}):
        others = {file for file in files if f"/{domain}/" not in file}
        faults = {
            "alone": others,
            "alone with tests": {file for file in others if _is_test(file)},
            "alone with an implementation": {file for file in others if not _is_test(file)},
        }
        for name, forgotten in faults.items():
            if forgotten:
                yield Edit(f"domain {domain}: {name}", (DOMAINS,), _forgotten(plan, forgotten))


def documents_only(plan: Any, _: Subject) -> Iterator[Edit]:
    """Plan a document in the place of every file, and in the place of every test."""
    tests = [file for file in plan["affected_files"] if _is_test(file)]
    for name, files in (("all files", plan["affected_files"]), ("tests", tests)):
        written = plan
        for file in files:
            written = replaced_everywhere(written, file, f"{file}.md")
        yield Edit(f"{name}: documents only", (TESTS, DOMAINS, AGREEMENT), written)


def invented_domains(plan: Any, subject: Subject) -> Iterator[Edit]:
    """Plan each domain in folders that the issue does not name, and all of them."""
    files = plan["affected_files"] if DOMAINS in subject.checks else []
    domains = sorted({file.split("/")[1] for file in files if file.count("/") > 1})
    for invented in (*([domain] for domain in domains), domains):
        moved = plan
        for file in files:
            for domain in invented:
                if f"/{domain}/" in file:
                    other = file.replace(f"/{domain}/", f"/{domain}-2/")
                    moved = replaced_everywhere(moved, file, other)
        if invented:
            yield Edit(f"domains {' and '.join(invented)}: invented", (DOMAINS,), moved)


def criteria_unmapped(plan: Any, _: Subject) -> Iterator[Edit]:
    """Leave out each criterion, and give each the number of another."""
    labels = list(plan.get("acceptance_mapping", ()))
    for index, label in enumerate(labels):
        path = ("acceptance_mapping", label)
        yield Edit(f"{label}: not mapped", (CRITERIA,), without(plan, path))
        other = f"AC{len(labels) + 1}_{label.partition('_')[2]}"
        mapping = renamed_key(plan["acceptance_mapping"], label, other)
        edit = with_value(plan, ("acceptance_mapping",), mapping)
        yield Edit(f"{label}: with the number {len(labels) + 1}", (CRITERIA,), edit)
        if index:
            continue
        for name, change in _LABELS:
            mapping = renamed_key(plan["acceptance_mapping"], label, change(label))
            edit = with_value(plan, ("acceptance_mapping",), mapping)
            yield Edit(f"{label}: {name}", (MAPPING,), edit)


def _forgotten(plan: Any, files: set[str]) -> Any:
    """Return a plan without some files that is consistent; their criteria lead to another file."""
    kept = [file for file in plan["affected_files"] if file not in files]
    forgotten = {
        **plan,
        "affected_files": kept,
        "steps": [step for step in plan["steps"] if step["file"] not in files],
    }
    if "acceptance_mapping" in plan:
        forgotten["acceptance_mapping"] = {
            label: kept[0] if file in files else file
            for label, file in plan["acceptance_mapping"].items()
        }
    return forgotten


def _is_test(file: str) -> bool:
    """Tell a test of the sandbox, whose tests stand in `test/`; the grader has its own rule."""
    return "test/" in file


DOCUMENT = (
    steps_dropped_or_doubled,
    steps_out_of_order,
    tests_first,
    files_dropped_or_added,
    tests_forgotten,
    one_domain,
    documents_only,
    invented_domains,
    criteria_unmapped,
)
SCENE = (file_forgotten,)
