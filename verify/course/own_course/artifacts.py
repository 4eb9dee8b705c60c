"""An instructor's own artifacts, which their exercises name and a JSON Schema describes."""

from __future__ import annotations

import json
import os
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, Any

from jsonschema import Draft202012Validator, FormatChecker, SchemaError
from jsonschema.validators import validator_for
from referencing import Registry
from referencing.exceptions import Unresolvable
from referencing.jsonschema import DRAFT202012

from pipeline.files import MAX_BYTES, Unreadable, read_file
from pipeline.protocol.json_text import NotStrictJson, locate, parse, text_of
from pipeline.protocol.problems import Problem
from pipeline.protocol.validate import Kind, Validation
from pipeline.schema import KINDS
from pipeline.terminal.display import named
from verify.course.own_course.loading import CourseFault, fault_at
from verify.grading.artifacts import ArtifactRef
from verify.grading.schemas import problem_of

if TYPE_CHECKING:
    from collections.abc import Iterator

FOLDER = "artifacts"
ENDING = ".schema.json"
FORMATS = ("date", "email", "ipv4", "ipv6", "uuid")  # checked without a package that may be missing
MAX_PROBLEMS = 1_000  # of an artifact that does not match its schema
_VALUES = ("const", "default", "enum", "examples")  # of a schema: their content is no schema
_ABOVE = 8  # folders between a Python file and the root of its course


class WrongArtifact(ValueError):
    """An artifact that an exercise names and that the course cannot have."""


def own_artifact(name: str, *, beside: str, issue: str = "", path: str = "") -> ArtifactRef:
    """Return the reference to an artifact that the course describes in `artifacts/`.

    `retro.json` is described by `artifacts/retro.schema.json`, which is looked for in the folders
    above `beside`: pass `__file__`. The artifact is in the folder of the issue that the exercise is
    about, or of `issue`, or at `path`, relative to the submission's root.

    Raises:
        WrongArtifact: the protocol knows the name, or the course has no schema for it.
        CourseFault: the schema is not usable.
    """
    if name in {kind.ending for kind in KINDS.values()}:
        raise WrongArtifact(
            f"{name} is an artifact of the protocol: write ArtifactRef({named(name)})"
        )
    schema = name.removesuffix(".json") + ENDING
    folder = os.path.dirname(os.path.abspath(beside))
    for _ in range(_ABOVE):
        place = os.path.join(folder, FOLDER, schema)
        if os.path.isfile(place):
            return ArtifactRef(name, issue=issue, path=path, schema=own_kind(place))
        folder = os.path.dirname(folder)
    expected = f"{FOLDER}/{schema}"
    raise WrongArtifact(f"{named(name)} has no schema in the course (expected {expected})")


@cache
def own_kind(path: str) -> OwnKind:
    """Return the kind of artifact that a schema describes, read once; raises CourseFault."""
    try:
        data = read_file(path, MAX_BYTES)
        schema = parse(data)
        if not isinstance(schema, dict):
            raise fault_at(path, "the schema of an artifact must be an object")
        dialect = validator_for(schema, default=Draft202012Validator)
        dialect.check_schema(schema)
    except Unreadable as error:
        raise fault_at(path, str(error)) from None
    except NotStrictJson as error:
        raise CourseFault(error.problems[0].line_for(path)) from None
    except SchemaError as error:  # of several forms, the one that says more than its type
        parts = (part for part in error.context or () if part.validator != "type")
        problem = problem_of(next(parts, error))
        raise CourseFault(locate(text_of(data), [problem])[0].line_for(path)) from None
    _refuse_lost_references(path, data, schema)
    kind = OwnKind(os.path.basename(path).removesuffix(ENDING), schema, dialect)
    for problem in kind.problems_of(schema["examples"][0]) if kind.example else ():
        raise fault_at(
            path, f"its example does not match the schema: {problem.line_for('examples')}"
        )
    return kind


def _refuse_lost_references(path: str, data: bytes, schema: dict[str, Any]) -> None:
    """Refuse a schema that refers to something that the file does not have."""
    resolver = Registry().resolver_with_root(DRAFT202012.create_resource(schema))
    for place, reference in _references(schema, ()):
        if not _has(resolver, reference):
            expected, found = "a place such as #/$defs/name", named(reference)
            problem = Problem("$ref", place, "this is not in the file", expected, found)
            raise CourseFault(locate(text_of(data), [problem])[0].line_for(path))


def _has(resolver: Any, reference: str) -> bool:
    try:
        resolver.lookup(reference)
    except Unresolvable:
        return False
    return True


def _references(schema: Any, place: tuple[str | int, ...]) -> Iterator[tuple[Any, str]]:
    """Yield the place of each reference in a schema, and where it leads."""
    if isinstance(schema, list):
        for index, part in enumerate(schema):
            yield from _references(part, (*place, index))
    for name, part in schema.items() if isinstance(schema, dict) else ():
        if name == "$ref" and isinstance(part, str):
            yield (*place, name), part
        elif name not in _VALUES:
            yield from _references(part, (*place, name))


class OwnKind:
    """A kind of artifact described by a JSON Schema."""

    def __init__(self, name: str, schema: dict[str, Any], dialect: Any) -> None:
        examples = schema.get("examples")
        self.kind = Kind(name, None, examples[0] if examples else None)
        self.example = json.dumps(examples[0], indent=2, ensure_ascii=False) if examples else ""
        # Our registry fetches nothing: the library's default would ask the network.
        self._validator = dialect(
            schema, registry=Registry(), format_checker=FormatChecker(FORMATS)
        )

    def validate(self, data: bytes) -> Validation:
        """Return what is wrong with an artifact: strict JSON first, then its schema."""
        try:
            value = parse(data)
        except NotStrictJson as error:
            return Validation(None, error.problems)
        problems = self.problems_of(value)
        return Validation(value, locate(text_of(data), problems) if problems else ())

    def problems_of(self, value: Any) -> list[Problem]:
        """Return what breaks the schema, at most `MAX_PROBLEMS`, without places in a text."""
        try:
            errors = list(islice(self._validator.iter_errors(value), MAX_PROBLEMS))
        except RecursionError:
            return [Problem("bounds", (), "this is nested too deeply for its schema")]
        return [problem_of(error) for error in errors]
