"""Looks for a statement's places: is the file there, does it define the name or say the words?"""

from __future__ import annotations

import ast
import os
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tools.specification import Place


def missing(root: str, place: Place) -> str:
    """Return what is wrong with a place in a few words, nothing where it is there."""
    path = os.path.join(root, place.path)
    if not os.path.isfile(path):
        return f"{place.path} does not exist"
    if not place.path.endswith(".py"):
        return "" if _words(place.symbol) in _text(path) else f"{place.path} has no {place.symbol}"
    return "" if place.symbol in _defined(path) else f"{place.path} defines no {place.symbol}"


@lru_cache(maxsize=256)
def _text(path: str) -> str:
    with open(path, encoding="utf-8") as file:
        return _words(file.read())


def _words(text: str) -> str:
    """Return a text on one line: words are found wherever the file breaks its lines."""
    return " ".join(text.split())


@lru_cache(maxsize=256)
def _defined(path: str) -> frozenset[str]:
    """Return the names that a Python file defines, those in a class as `Class.name`."""
    with open(path, encoding="utf-8") as file:
        return frozenset(_names(ast.parse(file.read()).body))


def _names(body: list[ast.stmt]) -> Iterator[str]:
    for node in body:
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                yield name
            case ast.ClassDef(name=name, body=own):
                yield name
                yield from (f"{name}.{member}" for member in _names(own))
            case ast.AnnAssign(target=ast.Name(id=name)):
                yield name
            case ast.Assign(targets=targets):
                yield from (n.id for t in targets for n in ast.walk(t) if isinstance(n, ast.Name))
