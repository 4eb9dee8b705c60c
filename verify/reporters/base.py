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

    `width` is in columns; `symbols` tells whether the output can show more than ASCII; `command`
    returns the command line that grades an exercise of a level, or lists the level where the
    exercise is None; `hints` is the stage of hints, 0 to 3; `page` returns the path of an
    exercise's tutorial as the reader can open it, `solution` that of one to compare with, empty for
    none; `prefix` leads from the workspace to the submission root; `progress` is what the learner's
    record tells, by the exercise's name.
    """

    command: Callable[[str, Exercise | None], str]
    following: Exercise | None = None
    width: int = 80
    colour: bool = False
    symbols: bool = True
    hints: int = 0
    page: Callable[[Exercise], str] = attrgetter("page")
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
