"""Faults of whole files: gone, somewhere else, or another file in their place."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from verify.selftest.mutants import Fault
from verify.selftest.subjects import (
    AGREEMENT,
    CRITERIA,
    DOMAINS,
    FIELDS,
    ISSUE_IN_BRANCH,
    RECORDS,
    THERE,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verify.selftest.mutants import Scene
    from verify.selftest.subjects import Subject

_OF_ANOTHER = {  # what is wrong with a sound artifact of another issue
    "plan": (AGREEMENT, DOMAINS, CRITERIA),
    "worker-result": (AGREEMENT,),
    "git-result": (ISSUE_IN_BRANCH,),
}
_MOST = 2  # artifacts of other exercises to try


def removed(scene: Scene) -> Iterator[Fault]:
    """Remove the file."""
    yield Fault("removed", (THERE,), {scene.subject.path: None})


def moved(scene: Scene) -> Iterator[Fault]:
    """Move the file to where people put it by mistake."""
    path = scene.subject.path
    for place in _wrong_places(path):
        if place not in scene.files:
            yield Fault(f"moved to {place}", (THERE,), {path: None, place: scene.data})


def _wrong_places(path: str) -> tuple[str, ...]:
    folder, _, name = path.rpartition("/")
    above, _, last = folder.rpartition("/")
    other_root = path.removeprefix("sandbox/") if path.startswith("sandbox/") else f"sandbox/{path}"
    return (
        other_root,
        name,
        f"{above}/{name}",
        f"{folder}/{last}/{name}",
        f"{above}/{last.lower() if last.lower() != last else last.upper()}/{name}",
        f"{above}/{last}0/{name}",
        folder.replace(".pipeline", "pipeline") + f"/{name.upper()}",
        f"{folder}/{name}.txt",
        f"{folder}/{name.removesuffix('.json')}",
        f"{folder}/{name.replace('-', '_').capitalize()}",
    )


def of_another_kind(scene: Scene) -> Iterator[Fault]:
    """Put an artifact of each other kind in the file's place."""
    concern = RECORDS if scene.subject.kind == "classifications" else FIELDS
    first = {donor.kind: donor.data for donor in reversed(scene.donors)}
    for kind in sorted(first.keys() - {scene.subject.kind}):
        yield Fault(f"a {kind} in its place", (concern,), {scene.subject.path: first[kind]})


def of_another_issue(scene: Scene) -> Iterator[Fault]:
    """Put sound artifacts of other exercises in the file's place: same kind, fields and agent."""
    subject, concerns = scene.subject, _OF_ANOTHER.get(scene.subject.kind, ())
    alike = {
        donor.data: f"{donor.exercise}, {donor.name}"
        for donor in reversed(scene.donors)
        if concerns and donor.kind == subject.kind and donor.data != scene.data
        if _fits(json.loads(donor.data), json.loads(scene.data), subject)
    }
    for data, name in sorted(alike.items(), key=lambda item: item[1])[:_MOST]:
        label = f"the one of {name} in its place"
        yield Fault(label, concerns, {subject.path: data})


def _fits(other: Any, own: Any, subject: Subject) -> bool:
    right = {*subject.agents, own.get("produced_by")}
    return other.keys() == own.keys() and other.get("produced_by") in right


ALL = (removed, moved, of_another_kind, of_another_issue)
