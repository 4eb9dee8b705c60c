"""Artifacts of an instructor's own: what an exercise of theirs names, validated by its schema."""

from __future__ import annotations

import json
import os
import re
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, Any

from pipeline.files import MAX_PROBLEMS
from pipeline.protocol.json_text import NotStrictJson, parse, text_of
from pipeline.protocol.problems import Problem
from pipeline.protocol.validate import Kind, Validation
from pipeline.schema import KINDS
from pipeline.terminal.display import named
from verify.artifacts import ArtifactRef
from verify.own_course.effort import Effort, Exhausted
from verify.own_course.faults import fault_at
from verify.own_course.schemas import FORMATS, Described, read_schema

if TYPE_CHECKING:
    from collections.abc import Iterator

FOLDER = "artifacts"
ENDING = ".schema.json"
BOUNDS = "bounds"  # the rule of an artifact that is too much work
_NAME = re.compile(r"[a-z0-9][a-z0-9._-]*\.json")
_ABOVE = 8  # folders between a Python file and the root of its course
_SAMPLES: tuple[Any, ...] = (None, True, 0, "", [], {})


class WrongArtifact(ValueError):
    """An artifact that an exercise names and that the course cannot have."""


def own_artifact(name: str, *, beside: str, issue: str = "", path: str = "") -> ArtifactRef:
    """Return the source of an artifact that the course describes in `artifacts/`.

    `retro.json` is described by `artifacts/retro.schema.json`, which is looked for in the folders
    above `beside`: pass `__file__`. The artifact stands in the folder of the issue that the
    exercise is about, or of `issue`, or at `path`, relative to the submission's root.

    Raises:
        WrongArtifact: no artifact's name, one that the protocol knows, or one without a schema.
        CourseFault: the schema is not usable.
    """
    if not _NAME.fullmatch(name):
        expected = "lower-case letters, digits, . _ and -, ending with .json"
        raise WrongArtifact(f"{named(name)} is no name of an artifact (expected {expected})")
    if name in {kind.ending for kind in KINDS.values()}:
        raise WrongArtifact(
            f"{name} is an artifact of the protocol: write ArtifactRef({named(name)})"
        )
    schema = name.removesuffix(".json") + ENDING
    folder = os.path.dirname(os.path.abspath(beside))
    for _ in range(_ABOVE):
        place = os.path.join(folder, FOLDER, schema)
        if os.path.isfile(place):
            return ArtifactRef(name, issue=issue, path=path, own=own_kind(place))
        folder = os.path.dirname(folder)
    raise WrongArtifact(f"no {FOLDER}/{schema} in the course describes {name}")


@cache
def own_kind(path: str) -> OwnKind:
    """Return the kind of artifact that the schema in a file describes, read once in a process.

    Raises:
        CourseFault: as `read_schema`; also a schema that refers to itself without end, and an
            example that it refuses.
    """
    name = os.path.basename(path).removesuffix(ENDING)
    described = read_schema(path)
    kind = OwnKind(name, described)
    if any(_is_endless(kind.problems_of(sample)) for sample in _SAMPLES):
        raise fault_at(path, "this schema refers to itself without end")
    if described.example is not None:
        problem = next(iter(kind.problems_of(described.example)), None)
        if problem is not None:
            raise fault_at(path, f"its example breaks it: {problem.line_for('examples')}")
    return kind


class OwnKind:
    """A kind of artifact described by a JSON Schema (Draft 2020-12) that was checked."""

    def __init__(self, name: str, described: Described) -> None:
        self.kind = Kind(name, None, described.example)
        example = described.example
        self.example = "" if example is None else json.dumps(example, indent=2, ensure_ascii=False)
        self._schema = described.schema
        self._effort = Effort()
        self._validator: Any = None

    def validate(self, data: bytes) -> Validation:
        """Return what is wrong with an artifact: strict JSON first, then its schema.

        The rule of a problem is the keyword of the schema that it breaks, `bounds` where the
        artifact is too much work. At most `MAX_PROBLEMS`, as they stand in it.
        """
        try:
            value = parse(data)
        except NotStrictJson as error:
            return Validation(None, error.problems)
        problems = self.problems_of(value)
        if not problems:
            return Validation(value)
        from pipeline.protocol.json_text import locate  # only on failure

        return Validation(value, tuple(locate(text_of(data), problems)))

    def problems_of(self, value: Any) -> list[Problem]:
        """Return what the schema has against a value, without places in a text."""
        self._effort.begin()
        try:
            return list(self._problems(value))
        except Exhausted as error:
            return [Problem(BOUNDS, (), "this is too much to check", str(error))]

    def _problems(self, value: Any) -> Iterator[Problem]:
        if self._validator is None:
            self._validator = self._built()
        errors = list(islice(self._validator.iter_errors(value), MAX_PROBLEMS))
        if errors:
            from verify.own_course.schema_wording import problem_of

            yield from map(problem_of, errors)

    def _built(self) -> Any:
        from jsonschema import FormatChecker
        from referencing import Registry

        from verify.own_course.keywords import validator_class

        # A registry of its own fetches nothing: the library's default would ask the network.
        return validator_class(self._effort)(
            self._schema, registry=Registry(), format_checker=FormatChecker(FORMATS)
        )


def _is_endless(problems: list[Problem]) -> bool:
    return any(problem.rule == BOUNDS for problem in problems)
