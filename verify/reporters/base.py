"""The interface of reporters: what they are given and what they return."""

from __future__ import annotations

from operator import attrgetter
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from verify.model import Exercise, Report
    from verify.progress import Line


class Run(NamedTuple):
    """What was graded: one exercise, or all of a level for its overview."""

    level: str
    reports: tuple[Report, ...]
    overview: bool = False


class View(NamedTuple):
    """How to show a run.

    `width` is in columns, `rows` in lines of the screen, 0 where there is room for any number;
    `symbols` says whether the output can show more than ASCII; `command` returns the command line
    that grades an exercise of a level, or lists the level where the exercise is None; `explain`
    returns the one that explains a check; `hints` is how many hints the first failure has;
    `keys` says whether a key asks for the next one; `verbose` shows each check and the notes,
    `provenance` how far the artifacts can be traced; `solution` returns the path of a solution to
    compare with, empty for none; `prefix` leads from the workspace to the submission root;
    `progress` is the learner's record, by the exercise's name.
    """

    command: Callable[[str, Exercise | None], str]
    explain: Callable[[str], str] = "verify explain {}".format
    following: Exercise | None = None
    width: int = 80
    rows: int = 0
    colour: bool = False
    symbols: bool = True
    hints: int = 0
    keys: bool = False
    verbose: bool = False
    provenance: bool = False
    solution: Callable[[Exercise], str] = attrgetter("solution")
    prefix: str = ""
    progress: Mapping[str, Line] = MappingProxyType({})


class Rendered(NamedTuple):
    """A report's text for stdout, and for formats that have one the page for a step summary."""

    text: str
    summary: str = ""


class Reporter(Protocol):
    """Turns a run into text; never prints, opens a file or exits."""

    def __call__(self, run: Run, view: View) -> Rendered:
        """Return the run in the reporter's format."""
