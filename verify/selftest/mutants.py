"""A mutant: a solution with one small fault in it, and what that fault is about."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from pipeline.host import Version
    from verify.selftest.subjects import Subject


class Edit(NamedTuple):
    """One fault in one file, as an operator of documents or texts makes it.

    `concerns` are what the fault is about, the first one that the exercise has a check for counts.
    `value` is what stands in the place of the original: a JSON value, or bytes.
    """

    label: str
    concerns: tuple[str, ...]
    value: Any


class Donor(NamedTuple):
    """An artifact of another exercise's solution; `name` tells it apart within the exercise."""

    exercise: str
    name: str
    kind: str
    data: bytes


class Scene(NamedTuple):
    """What operators see: all files of a solution, the one thing in it to change, and donors."""

    files: Mapping[str, bytes]
    subject: Subject
    donors: tuple[Donor, ...]

    @property
    def data(self) -> bytes:
        """Return the bytes of the subject's file."""
        return self.files[self.subject.path]


class Mutant(NamedTuple):
    """A faulty solution: which of its files are different (None: gone), which programs are.

    `check` is the code that must fail, empty where the exercise has no check for the fault.
    """

    name: str
    concern: str
    check: str
    files: Mapping[str, bytes | None]
    programs: Mapping[str, Version | None]


class Fault(NamedTuple):
    """A fault as an operator of whole scenes makes it: the files (None: gone) and programs."""

    label: str
    concerns: tuple[str, ...]
    files: Mapping[str, bytes | None] = {}
    programs: Mapping[str, Version | None] = {}


if TYPE_CHECKING:
    DocumentOperator = Callable[[Any, Subject], Iterator[Edit]]  # of a parsed JSON document
    TextOperator = Callable[[bytes, Subject], Iterator[Edit]]  # of a file's bytes
    SceneOperator = Callable[[Scene], Iterator[Fault]]  # of everything else
