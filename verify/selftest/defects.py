"""What the self-test finds: a defect of the course, where it is, what its author does about it."""

from __future__ import annotations

from typing import NamedTuple


class Defect(NamedTuple):
    """Something that the course claims and that does not hold.

    `area` is one of those that the how-to page lists, `where` a path, a check's code or a mutant's
    name.
    """

    area: str
    where: str
    what: str
    to_do: str


FIXTURES, HINTS, TUTORIALS, FILES, MUTANTS = "fixtures", "hints", "tutorials", "files", "mutants"
