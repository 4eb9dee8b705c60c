"""Reads `tools/specification/*.txt`: the statements of the specification and their places."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

FOLDER = "tools/specification"
SILENCE = "Not specified:"

_SECTION = re.compile(r"## (\d+(?:\.\d+)?) (\S.*)")
_STATEMENT = re.compile(r"(\d+(?:\.\d+){1,2}) (\S.*)")
_PLACE = re.compile(r"    ([^\s:]+)::(\S.*)")


class MalformedSpecification(Exception):
    """A line that cannot be read; the message names its file and number."""


class SpecifiedPlace(NamedTuple):
    """Where a statement is implemented: a definition in a Python file, words in any other file."""

    path: str
    symbol: str

    def fault(self, root: str) -> str:
        """Return what is wrong with the place in a few words, empty if it exists."""
        path = Path(root, self.path)
        if not path.is_file():
            return f"{self.path} does not exist"
        if path.suffix != ".py":
            return "" if _words(self.symbol) in _text(path) else f"{self.path} has no {self.symbol}"
        return "" if self.symbol in _defined(path) else f"{self.path} defines no {self.symbol}"


@dataclass
class SpecStatement:
    """One statement under its permanent number, and where it is implemented."""

    id: str
    text: str
    places: list[SpecifiedPlace] = field(default_factory=list)

    @property
    def is_silent(self) -> bool:
        """Return whether the specification leaves this open, so that the project decides."""
        return self.text.startswith(SILENCE)


@dataclass
class Section:
    """A section of the specification and its statements."""

    id: str
    title: str
    statements: list[SpecStatement] = field(default_factory=list)


def read_specification(root: str) -> list[Section]:
    """Return the sections of a repository's `tools/specification/*.txt`, in order of file name.

    Raises:
        MalformedSpecification: a line is out of place, or a statement's number is used twice or
            does not belong to its section.
    """
    sections: list[Section] = []
    place = ""
    try:
        for file in sorted(Path(root, FOLDER).glob("*.txt")):
            for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1):
                place = f"{FOLDER}/{file.name}:{number}"
                _read_line(line.rstrip(), sections)
    except ValueError as error:
        raise MalformedSpecification(f"{place}: {error}") from None
    return sections


def _read_line(line: str, sections: list[Section]) -> None:
    """Add one line to the sections that were read before it."""
    if not line or re.match("#(?!#)", line):
        return
    if section := _SECTION.fullmatch(line):
        sections.append(Section(section[1], section[2]))
    elif not sections:
        raise ValueError("expected a line '## <section> <title>' first")
    elif statement := _STATEMENT.fullmatch(line):
        _add_statement(SpecStatement(statement[1], statement[2]), sections)
    elif line.startswith("    ") and sections[-1].statements:
        _add_line(line, sections[-1].statements[-1])
    else:
        raise ValueError("expected a section, a statement, or an indented line of a statement")


def _add_statement(statement: SpecStatement, sections: list[Section]) -> None:
    if any(statement.id == known.id for section in sections for known in section.statements):
        raise ValueError(f"{statement.id} is there twice")
    if statement.id.rpartition(".")[0] != sections[-1].id:
        raise ValueError(f"{statement.id} is not a number of section {sections[-1].id}")
    sections[-1].statements.append(statement)


def _add_line(line: str, statement: SpecStatement) -> None:
    if place := _PLACE.fullmatch(line):
        statement.places.append(SpecifiedPlace(place[1], place[2]))
    elif statement.places:
        raise ValueError(f"{statement.id} has text after its places")
    else:
        statement.text += f" {line.strip()}"


@lru_cache(maxsize=256)
def _text(path: Path) -> str:
    return _words(path.read_text(encoding="utf-8"))


def _words(text: str) -> str:
    """Return a text on one line: words are found wherever the file breaks its lines."""
    return " ".join(text.split())


@lru_cache(maxsize=256)
def _defined(path: Path) -> frozenset[str]:
    """Return the names that a Python file defines, those in a class as `Class.name`."""
    return frozenset(_names(ast.parse(path.read_text(encoding="utf-8")).body))


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
