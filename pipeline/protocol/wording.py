"""Says in plain words what is wrong with the fields of an artifact, and what to write instead."""

from __future__ import annotations

import json
from itertools import islice, pairwise
from typing import TYPE_CHECKING, Any

from pipeline.protocol.layout import similar
from pipeline.protocol.patterns import PATTERNS, Pattern
from pipeline.protocol.problems import KEY_RULE, Path, Problem
from pipeline.terminal.display import listed, quoted

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

FIELDS, COUNT, CHOICE = "fields", "count", "choice"
_LIKE = 2  # fields of a kind that make a document one of it
_MOST = 100  # keys of an object that are looked at

_TYPES = {  # by pydantic's name
    "string": "a string in double quotes",
    "int": "a whole number without quotes",
    "float": "a number without quotes",
    "list": "an array in [ ]",
    "dict": "an object in { }",
}
_NOTES = {"x-planner": ' ("x-subplanner" if that agent wrote it)'}


def problem_of(error: Mapping[str, Any], whole: Any) -> Problem:
    """Return the problem of one entry of pydantic's `ValidationError.errors()`.

    `whole` is an example of the kind of artifact, with every field.
    """
    path: Path = tuple(error["loc"])
    name, found, context = error["type"], error["input"], error.get("ctx", {})
    if name == "missing":
        return missing_field(path, found, whole)
    if name == "string_pattern_mismatch":
        return _wrong_form(path, PATTERNS[context["pattern"]], found)
    example = json.dumps(_example(path, whole))
    rule, message, expected = FIELDS, error["msg"], ""
    action = f"Write a value such as {example}."
    if name.removesuffix("_type") in _TYPES:
        message, expected = "wrong type", _TYPES[name.removesuffix("_type")]
        action = f"Write {expected}, {f'such as {example}' if path else 'and nothing around it'}."
        if path == ("pr_url",) and found is None:
            action = "Leave pr_url out if no pull request is open."
    elif name == "literal_error":
        rule, message, expected = CHOICE, "not one of the allowed values", context["expected"]
        expected = expected.replace("'", '"')
        action = f"Write {expected}."
    elif name == "greater_than_equal":
        message, expected = "too small", f"{context['ge']} or more"
    elif name == "too_short":
        rule, message, expected = COUNT, "too few elements", f"at least {context['min_length']}"
    return Problem(rule, path, message, expected, quoted(found), action=action)


def _wrong_form(path: Path, form: Pattern, found: str) -> Problem:
    if form.rule == KEY_RULE:
        path = path[:-1]  # pydantic ends the path of a mapping's key with "[key]"
    return Problem(form.rule, path, form.message, form.expected, quoted(found), action=form.action)


def _example(path: Path, whole: Any) -> Any:
    """Return what is at a path in the example of an artifact, or at one like it."""
    example = whole
    for step in path:
        if isinstance(example, dict) and example:
            example = example.get(step, next(iter(example.values())))
        elif isinstance(example, list) and example:
            example = example[0]
    return example


def missing_field(path: Path, holder: object, whole: Any) -> Problem:
    """Return the problem of a required field that `holder` lacks, or has under another name."""
    name, example, found = str(path[-1]), _example(path, whole), "no fields"
    action = f"Add {quoted(name)}: {json.dumps(example)}{_NOTES.get(str(example), '')}."
    if isinstance(holder, dict) and holder:
        found = f"only {listed(holder)}"
        other = _renamed(name, holder, _example(path[:-1], whole))
        if other:
            action = f"Rename {quoted(other)} to {quoted(name)}, or add {quoted(name)}."
    return Problem(FIELDS, path, "this field is missing", quoted(name), found, action=action)


def _renamed(name: str, holder: dict[str, Any], record: dict[str, Any]) -> str:
    """Return the key that may be meant for a field: one that is near, or the only one of its type.

    Another field of the contract is never meant.
    """
    unknown = [key for key in islice(holder, _MOST) if key not in record]
    alike = [key for key in unknown if isinstance(holder[key], type(record[name]))]
    return similar(name, unknown) or (alike[0] if len(alike) == 1 else "")


def mistaken_document(value: Any, name: str, schemas: Mapping[str, Any]) -> Problem | None:
    """Return the one problem of a document that is another artifact, or is within another object.

    Its fields are then not checked: each would be missing for the same reason. `schemas` has the
    core schema of each kind.
    """
    if _common(value, schemas[name]):
        return None
    right = _called(name, schemas[name])
    for other, schema in schemas.items():
        common = _common(value, schema)
        if len(common) >= _LIKE:
            message, found = f"this is {_called(other, schema)}", f"the fields {listed(common)}"
            action = f"Save it as {other}.json, and write {right} into this file."
            return Problem(FIELDS, (), message, right, found, action=action)
    for key, within in value.items() if isinstance(value, dict) else ():
        if len(_common(within, schemas[name])) >= _LIKE:
            message = "the document is inside another object"
            found, action = f"an object with {quoted(key)}", f"Keep only what is in {quoted(key)}."
            return Problem(FIELDS, (), message, right, found, action=action)
    return None


def _called(name: str, schema: Any) -> str:
    return f"a list of {name}" if schema["type"] == "list" else f"a {name}"


def _common(value: Any, schema: Any) -> list[str]:
    """Return the fields of a kind that a value has, without the one that is in every kind."""
    if schema["type"] == "list":
        value, schema = value[:1] if isinstance(value, list) else [], schema["items_schema"]
        value = value[0] if value else None
    if not isinstance(value, dict):
        return []
    return [field for field in schema["fields"] if field in value and field != "produced_by"]


def merged(problems: Iterable[Problem]) -> list[Problem]:
    """Return the problems with those of one cause as one, at its first place.

    One cause is what the same action ends, such as a field that has the wrong name in each step.
    """
    causes: dict[tuple[Any, ...], list[Problem]] = {}
    for number, problem in enumerate(problems):
        fields = () if problem.rule in ("path", "roots") else _fields(problem.path)
        cause = (problem.message, problem.rule, problem.action or number, fields)
        causes.setdefault(cause, []).append(problem)
    return [
        first._replace(message=f"{first.message}, in {len(more) + 1} places") if more else first
        for first, *more in causes.values()
    ]


def _fields(path: Path) -> tuple[str, ...]:
    """Return the names of fields on a path: without indices, and without a mapping's own keys."""
    steps = pairwise((0, *path))
    return tuple(s for before, s in steps if isinstance(before, int) and isinstance(s, str))
