"""Faults of the machine: a program that is missing or too old, dependencies not installed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from verify.selftest.mutants import Fault
from verify.selftest.subjects import THERE, VERSION

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verify.selftest.mutants import Scene

_TOO_OLD = {
    "python": ((2, 7), (3, 9), (0, 0)),
    "node": ((18, 20), (19, 99), (6, 0)),
    "git": ((1, 9), (0, 99), (1, 99)),
}


def programs(scene: Scene) -> Iterator[Fault]:
    """Take a program away, or give an older one."""
    program = scene.subject.path
    yield Fault("missing", (VERSION,), programs={program: None})
    for major, minor in _TOO_OLD.get(program, ((0, 0),)):
        yield Fault(f"{major}.{minor}", (VERSION,), programs={program: (major, minor)})


def folders(scene: Scene) -> Iterator[Fault]:
    """Remove a folder, rename it, put a file in its place."""
    folder = scene.subject.path
    inside = {path: data for path, data in scene.files.items() if path.startswith(f"{folder}/")}
    gone: dict[str, bytes | None] = dict.fromkeys(inside)
    other = {path.replace(folder, f"{folder}.old", 1): data for path, data in inside.items()}
    yield Fault("removed", (THERE,), gone)
    yield Fault("renamed", (THERE,), {**gone, **other})
    yield Fault("a file in its place", (THERE,), {**gone, folder: b"not a folder\n"})


PROGRAM = (programs,)
FOLDER = (folders,)
