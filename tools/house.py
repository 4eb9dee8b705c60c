"""Prints how the packages are built, and fails where they are built worse than agreed.

usage: python tools/house.py

A room is a folder or a module directly in `verify/`; an arrow leads from a room to one that it
imports; the floors are the rooms of the longest way down. An arrow points back up where two rooms
import one another, directly or through others. A class has two homes where its name, with a leading
underscore or without, is defined twice.
"""

from __future__ import annotations

import ast
import os
import sys
from collections import defaultdict
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
AT_MOST = {"rooms": 20, "floors": 9, "arrows": 60}  # of verify/


def main() -> int:
    """Print the figures and what is wrong; return 1 if something is."""
    faults = [*_faults_of_rooms(Path(ROOT, "verify")), *faults_of_names(homes_of(Path(ROOT)))]
    for fault in faults:
        print(fault, file=sys.stderr)
    return int(bool(faults))


def _faults_of_rooms(package: Path) -> Iterator[str]:
    try:
        figures = figures_of(arrows_of(package))
    except CycleError as error:
        yield f"{package.name}/: an arrow points back up: {' <- '.join(error.args[1])}"
        return
    for name, count in figures.items():
        print(f"{name} of {package.name}/: {count} (at most {AT_MOST[name]})")
        if count > AT_MOST[name]:
            yield f"{package.name}/ has {count} {name} (at most {AT_MOST[name]})"


def faults_of_names(homes: Mapping[str, list[str]]) -> Iterator[str]:
    """Yield a line for each class name with two homes."""
    for name, places in sorted(homes.items()):
        if len(places) > 1:
            yield f"the class name {name} has {len(places)} homes: {', '.join(places)}"


def arrows_of(package: Path) -> dict[str, set[str]]:
    """Return the rooms of a package, each with those that its modules import."""
    arrows: dict[str, set[str]] = {}
    for path in package.rglob("*.py"):
        if not (path.parent / "__init__.py").exists():
            continue  # a template for others
        room = path.relative_to(package).with_suffix("").parts[0]
        goals = arrows.setdefault(room, set())
        for module in _imported(path):
            if module[0] == package.name and len(module) > 1:
                goals.add(module[1])
        goals.discard(room)
    arrows.pop("__init__", None)
    return {room: goals & arrows.keys() for room, goals in arrows.items()}


def _imported(path: Path) -> Iterator[tuple[str, ...]]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (tuple(alias.name.split(".")) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (tuple(f"{node.module}.{alias.name}".split(".")) for alias in node.names)


def figures_of(arrows: Mapping[str, set[str]]) -> dict[str, int]:
    """Return the numbers of rooms, floors and arrows; raises `CycleError` for a circle."""
    floors: dict[str, int] = {}
    for room in TopologicalSorter(arrows).static_order():
        floors[room] = 1 + max((floors[below] for below in arrows[room]), default=0)
    return {
        "rooms": len(arrows),
        "floors": max(floors.values(), default=0),
        "arrows": sum(map(len, arrows.values())),
    }


def homes_of(root: Path) -> dict[str, list[str]]:
    """Return the modules that define each class of the product; `_Name` and `Name` are one."""
    homes: dict[str, list[str]] = defaultdict(list)
    for package in ("pipeline", "verify"):
        for path in sorted((root / package).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.ClassDef):
                    homes[node.name.lstrip("_")].append(path.relative_to(root).as_posix())
    return homes


if __name__ == "__main__":
    raise SystemExit(main())
