"""What the authors of this checkout's course declare for its proof."""

from __future__ import annotations

import json
import os
from functools import partial
from typing import TYPE_CHECKING

from pipeline.bootstrap import ROOT
from pipeline.terminal.display import visible
from pipeline.terminal.fault import unusable
from verify.course import catalog
from verify.selftest.course import TABLE, Excuse, ProvenCourse, chosen
from verify.selftest.mutants import files_below
from verify.selftest.operators import Mutation, replaced

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from verify.selftest.operators import Target

_ODD = "fixtures/submissions/expert/04-evidence/broken-odd-history"
PRACTICE_ISSUES = frozenset({"ISSUE-306"})  # learners may work on it, but no exercise grades it

with open(os.path.join(ROOT, *TABLE.split("/")), encoding="utf-8") as _file:
    EXCUSES = tuple(
        Excuse(pattern, reason)
        for reason, patterns in json.load(_file).items()
        for pattern in patterns
    )


def _unusual_type(target: Target) -> Iterator[Mutation]:
    """Give a commit a type that the usual tools do not know."""
    message = json.loads(target.data)["commit_message"] if "/git-result" in target.path else ""
    if message and target.path.endswith(".json"):
        data = target.data.replace(message.encode(), b"wip: the work")
        yield Mutation("$.commit_message: an unusual type", {target.path: data})


def _other_roots(target: Target) -> Iterator[Mutation]:
    """Write the paths of a plan as from the folder above, or as from the sandbox.

    As from the sandbox they show the mistake only if the files exist, so they are added.
    """
    path = target.path
    if not path.endswith("/plan.json"):
        return
    plan = json.loads(target.data)
    files = plan["affected_files"]
    inside = path.startswith("sandbox/")
    elsewhere = {f: f"sandbox/{f}" if inside else f.removeprefix("sandbox/") for f in files}
    there = {} if inside else {file: target.files.get(file, b"// a file\n") for file in files}
    for name, changed in (*((f, {f: elsewhere[f]}) for f in files), ("all files", elsewhere)):
        data = json.dumps(replaced(plan, changed)).encode()
        yield Mutation(f"{name}: from a different root", {path: data, **there})


def _odd_history(root: str, target: Target) -> Iterator[Mutation]:
    """Put a history and its result in their places that only advice refuses."""
    if "/ISSUE-305/git-result.json" in target.path:
        files = files_below(os.path.join(root, _ODD))
        same = {path: data for path, data in files.items() if path in target.files}
        yield Mutation("with an odd history", same)


def the_course(selection: Sequence[tuple[str, str]] = (), root: str = ROOT) -> ProvenCourse:
    """Return this checkout's course; `selection` has the exercises to prove, if not all."""
    course = ProvenCourse(
        root=root,
        exercises=tuple(catalog.exercises()),
        operators=(_other_roots, _unusual_type, partial(_odd_history, root)),
        excuses=EXCUSES,
        practice_issues=PRACTICE_ISSUES,
        only=chosen(selection),
    )
    if not os.path.isdir(os.path.join(root, course.fixtures)):
        raise unusable(
            f"no fixtures in {visible(root)}: run the self-test in a checkout of the course"
        )
    return course
