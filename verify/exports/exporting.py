"""Carries out exports: checks what was asked for before grading, writes all of it afterwards."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from pipeline.terminal.display import visible
from pipeline.terminal.streams import Undelivered, tell
from verify.batch.progress import Progress
from verify.exports.base import Settings, UnusableExport
from verify.exports.registry import FORMATS, exporter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from verify.gradebook.copies import Copies
    from verify.gradebook.reading import Cohort
    from verify.gradebook.records import Standing

_STEP = 100  # learners: more often, the clock costs

Options = tuple[tuple[str, str], ...]  # an option's name, without dashes, and its value


def checked(
    options: Iterable[tuple[str, str]],
    *,
    exercises: Sequence[str] = (),
    inputs: Iterable[str] = (),
    beside: Sequence[tuple[str, str]] = (),
) -> Options:
    """Return the options as they can be carried out; a long run must not end in a typo.

    `exercises` are the names of those to be graded; `inputs` are files of the instructor's that
    nothing may write over: the roster, the gradebook, what the sources are. `beside` are other
    options with the file that each writes.

    Raises:
        UnusableExport: an option given twice, one that lacks another, a target that cannot be
            written or is an input, a worksheet that cannot be read or lacks an exercise.
    """
    kept = tuple(options)
    if not (kept or beside):
        return kept
    from verify.exports.targets import check_targets

    single = [name for name, _ in kept if name != "assignment"]
    for name in single:
        if single.count(name) > 1:
            raise UnusableExport(f"--{name} was given more than once")
    settings = settings_of(kept, tell)
    _check_pairs(single, settings)
    own = [path for path in (settings.canvas_from, settings.moodle_from) if path]
    targets = [(name, value) for name, value in kept if name in FORMATS and value]
    check_targets([*targets, *beside], [*inputs, *own])
    _check_sheets(settings, exercises)
    return kept


def settings_of(options: Options, note: Callable[[str], None]) -> Settings:
    """Return what options say besides where to write.

    Raises:
        UnusableExport: an exercise has two assignments.
    """
    given = dict(options)
    titles: dict[str, str] = {}
    for name, value in options:
        if name == "assignment":
            exercise, _, title = value.partition("=")
            if titles.setdefault(exercise, title.strip()) != title.strip():
                raise UnusableExport(f"--assignment {exercise} was given two columns")
    return Settings(
        note=note,
        canvas_from=given.get("canvas-from", ""),
        moodle_from=given.get("moodle-from", ""),
        titles=titles,
    )


def _check_pairs(names: Sequence[str], settings: Settings) -> None:
    needs = [
        ("canvas-from", "canvas", "FILE"),
        ("moodle-from", "moodle", "FILE"),
        ("moodle", "moodle-from", "WORKSHEET.csv"),
    ]
    for name, other, value in needs:
        if name in names and other not in names:
            raise UnusableExport(f"--{name} goes with --{other}: add --{other} {value}")
    if settings.titles and "canvas" not in names:
        raise UnusableExport("--assignment goes with --canvas: add --canvas FILE")


def _check_sheets(settings: Settings, exercises: Sequence[str]) -> None:
    unknown = [name for name in settings.titles if exercises and name not in exercises]
    if unknown:
        raise UnusableExport(f"--assignment {visible(unknown[0])} is not one of the exercises")
    if settings.canvas_from:
        from verify.exports.canvas import read_sheet

        read_sheet(settings.canvas_from).columns_of(exercises, settings.titles)
    if settings.moodle_from:
        from verify.exports.moodle import read_worksheet

        read_worksheet(settings.moodle_from)


def fitting(options: Options, is_sole: Callable[[], bool]) -> None:
    """Refuse what does not fit the cohort, before anything is written; it is asked if need be.

    Raises:
        UnusableExport: one learner's file is asked for, and there are several.
    """
    for name, target in options:
        if name == "gradescope":
            from verify.exports.gradescope import fits

            fits(target, is_sole)


def write_exports(
    cohort: Cohort,
    options: Options,
    *,
    note: Callable[[str], None] = tell,
    progress: Progress | None = None,
) -> list[str]:
    """Write a cohort in every format asked for and return the paths that were written.

    `note` is told, a line each, what an instructor must know of them, `progress` how far it is.

    Raises:
        UnusableExport: the cohort does not fit what was asked for.
        Undelivered: a file cannot be written; what was there stays.
    """
    from verify.exports.scores import is_sole

    progress = progress or Progress(0, quiet=True)

    def noted(line: str) -> None:
        progress.clear()
        note(line)

    settings = settings_of(options, noted)
    fitting(options, lambda: is_sole(cohort))
    written = []
    for name, target in options:
        if name in FORMATS:
            try:
                written += exporter(name)(Followed(cohort, name, progress), target, settings)
            except OSError as error:
                reason = (error.strerror or "unknown reason").lower()
                where = visible(os.fspath(error.filename or target), 300)
                raise Undelivered(f"--{name}: {where}: {reason}") from None
    return written


class Followed:
    """A cohort that shows how far an export has read it."""

    def __init__(self, cohort: Cohort, name: str, progress: Progress) -> None:
        self.exercises = cohort.exercises
        self.has_roster = cohort.has_roster
        self._cohort = cohort
        self._name = name
        self._progress = progress

    def copies(self) -> Iterator[Copies]:
        """Yield the copies of the cohort."""
        return self._cohort.copies()

    def standings(self) -> Iterator[Standing]:
        """Yield the standings of the cohort."""
        self._progress.begin(f"writing --{self._name}")
        for number, standing in enumerate(self._cohort.standings(), 1):
            yield standing
            if number % _STEP == 0:
                self._progress.update(number)
