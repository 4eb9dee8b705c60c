"""Makes the mutants of a solution: every operator of its kind on every subject."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

from verify.selftest.mutants import Fault, Mutant, Scene
from verify.selftest.operators import (
    classifications,
    definitions,
    fields,
    generic,
    histories,
    machines,
    markers,
    paths,
    places,
    plans,
    publishing,
    results,
    texts,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from verify.model import Exercise
    from verify.selftest.mutants import DocumentOperator, SceneOperator, TextOperator


class Operators(NamedTuple):
    """The operators of one kind of subject."""

    documents: tuple[DocumentOperator, ...] = ()
    texts: tuple[TextOperator, ...] = ()
    scenes: tuple[SceneOperator, ...] = ()


_ANY = (*fields.ALL, *markers.ALL)
OPERATORS: dict[str, Operators] = {
    "plan": Operators(
        (*_ANY, *paths.ALL, *plans.DOCUMENT), texts.ALL, (*places.ALL, *paths.SCENE, *plans.SCENE)
    ),
    "worker-result": Operators(
        (*_ANY, *paths.ALL, *results.DOCUMENT), texts.ALL, (*places.ALL, *results.SCENE)
    ),
    "git-result": Operators((*_ANY, *publishing.ALL), texts.ALL, places.ALL),
    "classifications": Operators((*fields.ALL, *classifications.ALL), texts.ALL, places.ALL),
    **dict.fromkeys(
        ("agent", "rule", "skill"), Operators((), definitions.ALL, (places.removed, places.moved))
    ),
    "history": Operators(scenes=(places.removed, *histories.ALL)),
    "document": Operators(generic.ALL, texts.ALL, (places.removed, places.moved)),
    "text": Operators((), (texts.truncated,), (places.removed, places.moved)),
    "program": Operators(scenes=machines.PROGRAM),
    "folder": Operators(scenes=machines.FOLDER),
}


def mutants_of(exercise: Exercise, solution: str, scenes: Iterable[Scene]) -> Iterator[Mutant]:
    """Yield the mutants of a solution: scene by scene, operator by operator.

    A fault that an earlier operator made is left out, and one that changes nothing.
    """
    made = set()
    for scene in scenes:
        subject = scene.subject
        for fault in _faults(scene):
            change = (*fault.files.items(), *fault.programs.items())
            if change in made or _changes_nothing(fault, scene):
                continue
            made.add(change)
            concern = next((c for c in fault.concerns if c in subject.checks), "")
            yield Mutant(
                name=f"{exercise.name} {solution}: {subject.name} {fault.label}",
                concern=concern or fault.concerns[0],
                check=f"{exercise.code}.{subject.checks[concern]}" if concern else "",
                files=fault.files,
                programs=fault.programs,
            )


def _changes_nothing(fault: Fault, scene: Scene) -> bool:
    return not fault.programs and all(scene.files.get(p) == d for p, d in fault.files.items())


def _faults(scene: Scene) -> Iterator[Fault]:
    subject = scene.subject
    operators = OPERATORS[subject.kind]
    if operators.documents:
        document = json.loads(scene.data)
        for of_document in operators.documents:
            for edit in of_document(document, subject):
                yield Fault(edit.label, edit.concerns, {subject.path: written(edit.value)})
    for of_text in operators.texts:
        for edit in of_text(scene.data, subject):
            yield Fault(edit.label, edit.concerns, {subject.path: edit.value})
    for of_scene in operators.scenes:
        yield from of_scene(scene)


def written(document: object) -> bytes:
    """Return a document as a file's bytes, on one line."""
    return json.dumps(document, ensure_ascii=False).encode()
