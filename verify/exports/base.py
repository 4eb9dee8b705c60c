"""The interface of exports: what one is given, and how it says that something cannot be done."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from verify.gradebook.reading import Cohort


class UnusableExport(Exception):
    """An export that cannot be made as it was asked for; the message is one line."""


class Settings(NamedTuple):
    """What exports are told besides where to write.

    `canvas_from` and `moodle_from` are the instructor's own files that are filled in, empty where
    none was given; `titles` are the assignments' titles in Canvas by the exercise's name; `note`
    tells the instructor one line about what was written.
    """

    note: Callable[[str], None]
    canvas_from: str = ""
    moodle_from: str = ""
    titles: Mapping[str, str] = {}


class Export(Protocol):
    """Writes a cohort in one format."""

    def __call__(self, cohort: Cohort, target: str, settings: Settings) -> list[str]:
        """Write the cohort to the target and return the paths that were written.

        Raises:
            UnusableExport: the cohort does not fit what was asked for.
            OSError: the target cannot be written; what was there stays.
        """
