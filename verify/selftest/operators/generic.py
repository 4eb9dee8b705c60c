"""Faults that any JSON document can have, found by walking it: no table of its fields is needed."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

from verify.selftest.mutants import Edit
from verify.selftest.operators.documents import Path, shown, value_at, with_value, without
from verify.selftest.subjects import FIELDS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verify.selftest.subjects import Subject

_MOST = 300  # places of one document to change
_VALUES: dict[str, Any] = {
    "null": None,
    "a boolean": True,
    "a number": 7,
    "a string": "text",
    "an array": ["text"],
    "an object": {"key": "text"},
}
_EMPTY: dict[type, Any] = {str: "", list: [], dict: {}}


def dropped(document: Any, _: Subject) -> Iterator[Edit]:
    """Leave out each key and each element."""
    for path in _places(document):
        if path:
            yield _edit(path, "dropped", without(document, path))


def retyped(document: Any, _: Subject) -> Iterator[Edit]:
    """Put a value of every other JSON type into each place."""
    for path in _places(document):
        own = _type_of(value_at(document, path))
        for name, value in _VALUES.items():
            if name != own:
                yield _edit(path, name, with_value(document, path, value))


def emptied(document: Any, _: Subject) -> Iterator[Edit]:
    """Empty each text, array and object, and put text that says nothing into each text."""
    for path in _places(document):
        value = value_at(document, path)
        if value and type(value) in _EMPTY:
            yield _edit(path, "empty", with_value(document, path, _EMPTY[type(value)]))
        if isinstance(value, str):
            yield _edit(path, "blank", with_value(document, path, " "))
            yield _edit(path, "an invisible character", with_value(document, path, "\u200b"))


def doubled(document: Any, _: Subject) -> Iterator[Edit]:
    """Repeat the first and the last element of each array, and turn each array around."""
    for path in _places(document):
        value = value_at(document, path)
        if isinstance(value, list) and value:
            for name, index in (("first", 0), ("last", len(value) - 1)):
                twice = [*value[: index + 1], *value[index:]]
                yield _edit(path, f"the {name} twice", with_value(document, path, twice))
            yield _edit(path, "turned around", with_value(document, path, value[::-1]))


def reworded(document: Any, _: Subject) -> Iterator[Edit]:
    """Write something else in each text, and another number in each place of a number."""
    for path in _places(document):
        value = value_at(document, path)
        if isinstance(value, str):
            others: dict[str, Any] = {
                "other words": f"{value}-2",
                "in another case": value.swapcase(),
                "with a space after it": f"{value} ",
            }
        elif _type_of(value) == "a number":
            others = {"one more": value + 1, "negative": -abs(value) - 1, "a fraction": value + 0.5}
        elif isinstance(value, bool):
            others = {"the opposite": not value}
        else:
            continue
        for name, other in others.items():
            yield _edit(path, name, with_value(document, path, other))


def added(document: Any, _: Subject) -> Iterator[Edit]:
    """Add a field that nobody knows to each object."""
    for path in _places(document):
        value = value_at(document, path)
        if isinstance(value, dict):
            more = {**value, "x-unheard-of": "text"}
            yield _edit(path, "a field too many", with_value(document, path, more))


def _edit(path: Path, what: str, value: Any) -> Edit:
    return Edit(f"{shown(path) or 'all of it'}: {what}", (FIELDS,), value)


def _type_of(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "a boolean"
    names: dict[type, str] = {str: "a string", list: "an array", dict: "an object"}
    return names.get(type(value), "a number")


def _places(document: Any) -> list[Path]:
    """Return the paths of a document's values, itself first; of an array the first and the last."""
    return list(islice(_walked(document, ()), _MOST))


def _walked(value: Any, path: Path) -> Iterator[Path]:
    yield path
    if isinstance(value, dict):
        for key in value:
            yield from _walked(value[key], (*path, key))
    elif isinstance(value, list):
        for index in dict.fromkeys((*range(len(value))[:1], *range(len(value))[-1:])):
            yield from _walked(value[index], (*path, index))


ALL = (dropped, retyped, emptied, doubled, reworded, added)
