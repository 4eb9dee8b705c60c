"""Faults of the paths in an artifact, on one side or wherever they stand."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from verify.selftest.mutants import Edit, Fault
from verify.selftest.operators.documents import (
    Path,
    replaced_everywhere,
    shown,
    value_at,
    with_value,
)
from verify.selftest.subjects import AGREEMENT, FIELDS, FILES_AND_STEPS, MAPPING, ROOTS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verify.selftest.mutants import Scene
    from verify.selftest.subjects import Subject

_PROJECT = "sandbox/"
_LISTS: dict[str, tuple[tuple[str, ...], str]] = {  # where paths stand, and what each agrees with
    "affected_files": ((), FILES_AND_STEPS),
    "steps": (("file",), FILES_AND_STEPS),
    "acceptance_mapping": ((), MAPPING),
    "files_changed": ((), AGREEMENT),
}


def malformed(document: Any, _: Subject) -> Iterator[Edit]:
    """Write the first and last path of each list as no path, and the first one everywhere."""
    for key in _LISTS:
        places = [place for place in _paths(document) if place[0][0] == key]
        for path, file, _concerns in {
            place[0]: place for place in places[:1] + places[-1:]
        }.values():
            for name, wrong in _malformed(file):
                yield Edit(f"{shown(path)}: {name}", (FIELDS,), with_value(document, path, wrong))
    file = _paths(document)[0][1]
    for name, wrong in _malformed(file):
        label = f"{file} everywhere: {name}"
        yield Edit(label, (FIELDS,), replaced_everywhere(document, file, wrong))


def _malformed(file: str) -> tuple[tuple[str, str], ...]:
    return (
        ("absolute", f"/{file}"),
        ("from the home folder up", f"../{file}"),
        ("with .. inside", f"src/../{file}"),
        ("with . before it", f"./{file}"),
        ("with a backslash", file.replace("/", "\\") if "/" in file else f".\\{file}"),
        ("on a drive", f"C:/{file}"),
        ("with a slash too many", f"{file}/"),
        ("with a slash twice", file.replace("/", "//", 1) if "/" in file else f"docs//{file}"),
        ("with a NUL", f"{file}\0"),
    )


def renamed(document: Any, _: Subject) -> Iterator[Edit]:
    """Name another file in each place, and in this place only."""
    for path, file, concerns in _paths(document):
        folder, slash, name = file.rpartition("/")
        for label, other in (
            ("another file", f"{folder}{slash}other-{name}"),
            ("in another case", f"{folder}{slash}{name.capitalize()}"),
            ("with a space after it", f"{file} "),
        ):
            yield Edit(f"{shown(path)}: {label}", concerns, with_value(document, path, other))


def _paths(document: Any) -> list[tuple[Path, str, tuple[str, ...]]]:
    """Return each place of a path, the path, and the concern that it agrees with the others."""
    return [
        (path, value_at(document, path), (concern,))
        for key, (inside, concern) in _LISTS.items()
        for path in _places(document.get(key, ()), key, inside)
    ]


def _places(value: Any, key: str, inside: tuple[str, ...]) -> list[Path]:
    steps = value if isinstance(value, dict) else range(len(value))
    return [(key, step, *inside) for step in steps]


def from_another_root(scene: Scene) -> Iterator[Fault]:
    """Write the paths of a plan as from the folder above, or as from the sandbox: one, and all.

    As from the sandbox they show the mistake only where the files are there, so they are added.
    """
    path = scene.subject.path
    document = json.loads(scene.data)
    files = dict.fromkeys(file for _, file, _ in _paths(document))
    inside = path.startswith(_PROJECT)
    others = {f: f"{_PROJECT}{f}" if inside else f.removeprefix(_PROJECT) for f in files}
    there = {} if inside else {file: scene.files.get(file, b"// a file\n") for file in files}
    for name, chosen in (*((file, (file,)) for file in files), ("all files", tuple(files))):
        edit = document
        for file in chosen:
            edit = replaced_everywhere(edit, file, others[file])
        label = f"{name}: from another root"
        yield Fault(label, (ROOTS, AGREEMENT), {path: json.dumps(edit).encode(), **there})


ALL = (malformed, renamed)
SCENE = (from_another_root,)
