"""Reads `tools/specification/*.txt`: the statements of the specification and their places."""

from __future__ import annotations

import os
import re
from typing import NamedTuple

FOLDER = "tools/specification"
SILENCE = "Not shown:"

_SECTION = re.compile(r"## (\d+(?:\.\d+)?) (\S.*)")
_STATEMENT = re.compile(r"(\d+(?:\.\d+){1,2}) (\S.*)")
_PLACE = re.compile(r"    ([^\s:]+)::(\S.*)")


class MalformedSpecification(Exception):
    """A line of the file that cannot be read; the message names it."""


class Place(NamedTuple):
    """Where a statement is implemented: a definition in a Python file, words in any other."""

    path: str
    symbol: str


class Statement(NamedTuple):
    """One statement under its permanent number, and where it is implemented."""

    id: str
    text: str
    places: tuple[Place, ...] = ()

    @property
    def is_silent(self) -> bool:
        """Return whether the specification leaves this open, so that the project decides."""
        return self.text.startswith(SILENCE)


class Section(NamedTuple):
    """A section of the specification and its statements."""

    id: str
    title: str
    statements: tuple[Statement, ...] = ()


def read_specification(root: str) -> tuple[Section, ...]:
    """Return the sections of a repository's `tools/specification/*.txt`, in order of file name.

    Raises:
        MalformedSpecification: a line is out of place, or a statement's number is not its section's
            or is there twice.
    """
    sections: list[Section] = []
    folder = os.path.join(root, *FOLDER.split("/"))
    for name in sorted(name for name in os.listdir(folder) if name.endswith(".txt")):
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            for number, line in enumerate(file.read().split("\n"), start=1):
                _read_at(f"{FOLDER}/{name}:{number}", line.rstrip(), sections)
    return tuple(sections)


def _read_at(place: str, line: str, sections: list[Section]) -> None:
    try:
        _read_line(line, sections)
    except ValueError as error:
        raise MalformedSpecification(f"{place}: {error}") from None


def _read_line(line: str, sections: list[Section]) -> None:
    """Add one line to the sections read so far."""
    if not line or re.match("#(?!#)", line):
        return
    if section := _SECTION.fullmatch(line):
        sections.append(Section(section[1], section[2]))
    elif not sections:
        raise ValueError("expected a line '## <section> <title>' first")
    elif statement := _STATEMENT.fullmatch(line):
        sections.append(_with_statement(sections, Statement(statement[1], statement[2])))
    elif line.startswith("    ") and sections[-1].statements:
        sections.append(_with_more(sections.pop(), line))
    else:
        raise ValueError("expected a section, a statement, or more of one")


def _with_statement(sections: list[Section], statement: Statement) -> Section:
    """Return the last section, taken from the list, with one more statement."""
    if any(statement.id == other.id for each in sections for other in each.statements):
        raise ValueError(f"{statement.id} is there twice")
    section = sections.pop()
    if statement.id.rpartition(".")[0] != section.id:
        raise ValueError(f"{statement.id} is not a number of section {section.id}")
    return section._replace(statements=(*section.statements, statement))


def _with_more(section: Section, line: str) -> Section:
    """Return a section with an indented line added to its last statement."""
    *others, last = section.statements
    if place := _PLACE.fullmatch(line):
        last = last._replace(places=(*last.places, Place(place[1], place[2])))
    elif last.places:
        raise ValueError(f"{last.id} has text after its places")
    else:
        last = last._replace(text=f"{last.text} {line.strip()}")
    return section._replace(statements=(*others, last))
