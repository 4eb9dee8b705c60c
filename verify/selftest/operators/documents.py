"""Copies of a JSON document with one place changed; the original stays as it is."""

from __future__ import annotations

from typing import Any

Path = tuple["str | int", ...]


def value_at(document: Any, path: Path) -> Any:
    """Return what stands at a path."""
    for step in path:
        document = document[step]
    return document


def with_value(document: Any, path: Path, value: Any) -> Any:
    """Return the document with another value at a path, a new key of an object perhaps."""
    if not path:
        return value
    step, rest = path[0], path[1:]
    copy: Any = document.copy()
    copy[step] = with_value(document[step], rest, value) if rest else value
    return copy


def without(document: Any, path: Path) -> Any:
    """Return the document without what stands at a path."""
    parent = value_at(document, path[:-1]).copy()
    del parent[path[-1]]
    return with_value(document, path[:-1], parent)


def renamed_key(document: dict[str, Any], old: str, new: str) -> dict[str, Any]:
    """Return an object with another name for one of its keys, at the same place."""
    return {new if key == old else key: value for key, value in document.items()}


def replaced_everywhere(document: Any, old: str, new: str) -> Any:
    """Return the document with one text replaced wherever it is a whole value."""
    if isinstance(document, dict):
        return {key: replaced_everywhere(value, old, new) for key, value in document.items()}
    if isinstance(document, list):
        return [replaced_everywhere(value, old, new) for value in document]
    return new if document == old else document


def shown(path: Path) -> str:
    """Return a path as the names of mutants have it, such as `steps.0.file`."""
    return ".".join(map(str, path))
