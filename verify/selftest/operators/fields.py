"""Faults that any field can have: missing, null, of another type, empty, blank."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from verify.selftest.mutants import Edit
from verify.selftest.operators.documents import Path, shown, value_at, with_value, without
from verify.selftest.subjects import (
    AGREEMENT,
    BLOCKERS,
    BRANCH,
    FIELDS,
    MESSAGE,
    PULL_REQUEST,
    RECORDS,
    SHA,
    TIER_VALUES,
    URL,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verify.selftest.subjects import Subject


class Field(NamedTuple):
    """A place in an artifact: its path (`*` is the first and the last), its JSON type, concerns.

    `typed` is the concern of a missing value and one of another type, `said` that of one that says
    nothing: empty or blank. The specification's sections 2.2 to 2.5 are the source.
    """

    path: str
    type: str
    typed: tuple[str, ...] = (FIELDS,)
    said: tuple[str, ...] = (FIELDS,)


TABLES: dict[str, tuple[Field, ...]] = {
    "plan": (
        Field("affected_files", "array"),
        Field("affected_files.*", "string"),
        Field("steps", "array"),
        Field("steps.*", "object"),
        Field("steps.*.order", "number"),
        Field("steps.*.file", "string"),
        Field("steps.*.description", "string"),
        Field("acceptance_mapping", "object"),
        Field("acceptance_mapping.*", "string"),
        Field("produced_by", "string"),
    ),
    "worker-result": (
        Field("status", "string"),
        Field("files_changed", "array", said=(AGREEMENT,)),
        Field("files_changed.*", "string"),
        Field("blockers", "array", typed=(BLOCKERS, FIELDS)),
        Field("summary", "string"),
        Field("produced_by", "string"),
    ),
    "git-result": (
        Field("branch", "string", said=(BRANCH,)),
        Field("commit_sha", "string", said=(SHA,)),
        Field("commit_message", "string", said=(MESSAGE,)),
        Field("pr_url", "string", said=(URL,)),
        Field("produced_by", "string"),
    ),
    "classifications": (
        Field("*", "object", typed=(RECORDS,)),
        Field("*.task", "string"),
        Field("*.file_count", "integer"),
        Field("*.domain_scope", "string"),
        Field("*.signals", "array"),
        Field("*.signals.*", "string"),
        Field("*.tier", "string", typed=(TIER_VALUES,), said=(TIER_VALUES,)),
        Field("*.agents", "array"),
        Field("*.agents.*", "string"),
    ),
}

_VALUES: dict[str, Any] = {
    "null": None,
    "boolean": True,
    "number": 7,
    "string": "text",
    "array": ["text"],
    "object": {"key": "text"},
}
_ALMOST: dict[str, dict[str, Any]] = {  # of another type, and easily taken for the right one
    "number": {"number in quotes": "1"},
    "integer": {"number in quotes": "3", "fraction": 1.5},
}
_EMPTY: dict[str, Any] = {"string": "", "array": [], "object": {}}
_BLANK = {"blank": " ", "an invisible character": "\u200b"}


def missing(document: Any, subject: Subject) -> Iterator[Edit]:
    """Leave out each field of an object."""
    for field, path in _places(document, subject):
        if isinstance(path[-1], str) and not field.path.endswith("*"):
            concerns = (PULL_REQUEST,) if path == ("pr_url",) else field.typed
            yield Edit(f"{shown(path)}: missing", concerns, without(document, path))


def retyped(document: Any, subject: Subject) -> Iterator[Edit]:
    """Put a value of every other JSON type into each field."""
    for field, path in _places(document, subject):
        own = "number" if field.type == "integer" else field.type
        others = {type_: value for type_, value in _VALUES.items() if type_ != own}
        for name, value in (others | _ALMOST.get(field.type, {})).items():
            label = f"{shown(path)}: a {name}"
            yield Edit(label, field.typed, with_value(document, path, value))


def emptied(document: Any, subject: Subject) -> Iterator[Edit]:
    """Empty each text, array and object that is not empty."""
    for field, path in _places(document, subject):
        empty = _EMPTY.get(field.type)
        if empty is not None and value_at(document, path) != empty:
            concerns = field.typed if field.path == "*" else field.said
            concerns = (FIELDS,) if field.type == "object" else concerns
            yield Edit(f"{shown(path)}: empty", concerns, with_value(document, path, empty))


def blank(document: Any, subject: Subject) -> Iterator[Edit]:
    """Put text that says nothing into each text."""
    for field, path in _places(document, subject):
        if field.type == "string":
            for name, value in _BLANK.items():
                label = f"{shown(path)}: {name}"
                yield Edit(label, field.said, with_value(document, path, value))


def wrapped(document: Any, subject: Subject) -> Iterator[Edit]:
    """Put something else in the place of the whole document."""
    concerns = (RECORDS,) if subject.kind == "classifications" else (FIELDS,)
    other = [document] if isinstance(document, dict) else {"records": document}
    for name, value in (("in another bracket", other), ("null", None), ("a string", "done")):
        yield Edit(f"all of it: {name}", concerns, value)


def _places(document: Any, subject: Subject) -> Iterator[tuple[Field, Path]]:
    for field in TABLES[subject.kind]:
        for path in _expanded(document, tuple(field.path.split("."))):
            yield field, path


def _expanded(value: Any, pattern: tuple[str, ...]) -> list[Path]:
    """Return the paths of a pattern that the value has: for `*` the first and the last."""
    if not pattern:
        return [()]
    if pattern[0] != "*":
        steps: list[str | int] = [pattern[0]] if pattern[0] in value else []
    else:
        steps = list(value) if isinstance(value, dict) else list(range(len(value)))
        steps = list(dict.fromkeys(steps[:1] + steps[-1:]))
    return [(step, *rest) for step in steps for rest in _expanded(value[step], pattern[1:])]


ALL = (missing, retyped, emptied, blank, wrapped)
