"""The export formats as options: checked before grading, written afterwards."""

from __future__ import annotations

import argparse
import os
import re
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

from pipeline.terminal.display import visible
from pipeline.terminal.streams import Undelivered, tell
from verify.batch.progress import Progress
from verify.exports import canvas, csv_tables, feedback, gradescope, html, json_documents, moodle
from verify.exports.base import Settings, UnusableExport
from verify.gradebook.reading import by_learner

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from verify.exports.base import Format
    from verify.gradebook.copies import Copies
    from verify.gradebook.reading import Cohort
    from verify.gradebook.records import Standing

FORMATS: tuple[Format, ...] = (
    csv_tables.LONG,
    csv_tables.WIDE,
    json_documents.DOCUMENT,
    json_documents.LINES,
    gradescope.FORMAT,
    canvas.FORMAT,
    moodle.FORMAT,
    feedback.FORMAT,
    html.FORMAT,
)
_BY_NAME = {each.name: each for each in FORMATS}
_WRITTEN = (".md", ".html", "files.csv")  # what folders of files get
_STEP = 100  # learners: more often, the clock costs

Options = tuple[tuple[str, str], ...]  # an option's name, without dashes, and its value


def add_exports(parser: argparse.ArgumentParser) -> None:
    """Add the options for exports; `exports` gets pairs of an option's name and value."""
    group = parser.add_argument_group("what to export")
    sources = [(f"{each.name}-from", *each.source) for each in FORMATS if each.source[0]]
    for name, metavar, text in (*((e.name, e.metavar, e.help) for e in FORMATS), *sources):
        group.add_argument(
            f"--{name}",
            dest="exports",
            action="append",
            default=[],
            metavar=metavar,
            type=partial(_pair, name),
            help=text,
        )
    group.add_argument(
        "--assignment",
        dest="exports",
        action="append",
        metavar="L/NN=TITLE (ID)",
        type=_assignment,
        help="the column of an exercise in Canvas; may be given several times",
    )


def _pair(name: str, text: str) -> tuple[str, str]:
    if text:
        return name, text
    raise argparse.ArgumentTypeError("it is empty (expected a path)")


def _assignment(text: str) -> tuple[str, str]:
    if re.fullmatch(r"[a-z][a-z0-9-]*/[0-9]{2}=\s*\S.*", text):
        return "assignment", text
    raise argparse.ArgumentTypeError(
        f"{visible(text)} does not name a column (expected LEVEL/NN=TITLE (ID), such as"
        " 'expert/04=Evidence (1234)')"
    )


def check_exports(
    options: Iterable[tuple[str, str]],
    *,
    exercises: Sequence[str] = (),
    inputs: Iterable[str] = (),
    beside: Sequence[tuple[str, str]] = (),
) -> Options:
    """Return the options if they can be carried out: a typo must not cost a long run.

    `exercises` are the names of those to grade; `inputs` are the instructor's files, which must not
    be overwritten. `beside` are other options with the file that each writes.

    Raises:
        UnusableExport: an option given twice, one that lacks another, a target that cannot be
            written or is an input, a worksheet that cannot be read or lacks an exercise.
    """
    options = tuple(options)
    names = [name for name, _ in options if name != "assignment"]
    for name in names:
        if names.count(name) > 1:
            raise UnusableExport(f"--{name} is given more than once: remove one")
    tasks = _tasks(options, tell)
    _check_pairs(names, has_titles=len(names) < len(options))
    sources = [settings.source for _, _, settings in tasks if settings.source]
    targets = [
        (each.name, target, each.folder and not _is_single(each, target))
        for each, target, _ in tasks
    ]
    _check_targets([*targets, *((*each, False) for each in beside)], [*inputs, *sources])
    for each, target, settings in tasks:
        if each.check:
            each.check(target, settings, exercises)
    return options


def _tasks(options: Options, note: Callable[[str], None]) -> list[tuple[Format, str, Settings]]:
    """Return what to write: format, target, and the settings."""
    values, titles = dict(options), dict[str, str]()
    for name, value in options:
        if name == "assignment":
            exercise, _, title = value.partition("=")
            if titles.setdefault(exercise, title.strip()) != title.strip():
                raise UnusableExport(f"--assignment {exercise} has two columns: remove one")
    return [
        (_BY_NAME[name], target, Settings(note, values.get(f"{name}-from", ""), titles))
        for name, target in options
        if name in _BY_NAME
    ]


def _is_single(each: Format, target: str) -> bool:
    """Return whether a target takes one learner only."""
    return bool(each.single) and target.endswith(each.single)


def _check_pairs(names: Sequence[str], *, has_titles: bool) -> None:
    for each in FORMATS:
        name, source = each.name, f"{each.name}-from"
        if source in names and name not in names:
            raise UnusableExport(f"--{source} goes with --{name}: add --{name} {each.metavar}")
    if has_titles and "canvas" not in names:
        raise UnusableExport("--assignment goes with --canvas: add --canvas FILE")


def _check_targets(targets: Sequence[tuple[str, str, bool]], inputs: Iterable[str]) -> None:
    """Refuse targets that cannot be written, that two options write, or that are inputs.

    A target is an option's name, its path, and whether it is a folder.
    """
    protected = {os.path.realpath(path) for path in inputs}
    seen: dict[str, str] = {}
    for name, target, folder in targets:
        option, real = f"--{name} {visible(target, 300)}", os.path.realpath(target)
        if any(_overwrites(real, path, folder=folder) for path in protected):
            raise UnusableExport(f"{option} would overwrite an input: choose another place")
        if real in seen:
            raise UnusableExport(
                f"{option} is also written by --{seen[real]}: choose another place"
            )
        seen[real] = name
        _check_place(option, target, folder=folder)


def _overwrites(target: str, path: str, *, folder: bool) -> bool:
    """Return whether a target is an input, is in one, or gets files with an input's name."""
    if target == path or target.startswith(path + os.sep):
        return True
    if folder and os.path.dirname(path) == target:
        return path.endswith(_WRITTEN)
    return os.path.exists(target) and os.path.exists(path) and os.path.samefile(target, path)


def _check_place(option: str, target: str, *, folder: bool) -> None:
    """Refuse a target of the other kind, and a place that is not writable or cannot be made."""
    if folder and os.path.exists(target) and not os.path.isdir(target):
        raise UnusableExport(f"{option} is a file: name a folder")
    if not folder:
        if os.path.isdir(target) or target.endswith(("/", os.sep)):
            raise UnusableExport(f"{option} is a folder: name a file")
        if os.path.exists(target) and not os.path.isfile(target):
            raise UnusableExport(f"{option} is not a regular file: name one")
    place = os.path.abspath(target) if folder else os.path.dirname(os.path.abspath(target))
    while not os.path.lexists(place):
        place = os.path.dirname(place)
    if not os.path.isdir(place):
        raise UnusableExport(f"{option} cannot be made: {visible(place, 300)} is not a folder")
    if not os.access(place, os.W_OK | os.X_OK):
        raise UnusableExport(f"{option} cannot be written: {visible(place, 300)} is not writable")


def check_fit(options: Options, cohort: Cohort) -> None:
    """Refuse what does not fit the cohort, before anything is written.

    Raises:
        UnusableExport: a file for one learner, and the cohort has another number of learners.
    """
    for each, target, _ in _tasks(options, tell):
        if _is_single(each, target) and len(list(islice(by_learner(cohort), 2))) != 1:
            option = f"--{each.name} {visible(target, 300)} is a file for one learner"
            raise UnusableExport(f"{option}: name a folder, without {each.single} at the end")


def write_exports(
    cohort: Cohort,
    options: Options,
    *,
    note: Callable[[str], None] = tell,
    progress: Progress | None = None,
) -> list[str]:
    """Write a cohort in each format and return the paths of the files.

    `note` gets a line for each thing that an instructor must know.

    Raises:
        UnusableExport: the cohort does not fit an option.
        Undelivered: a file cannot be written; an earlier one is unchanged.
    """
    progress = progress or Progress(0, quiet=True)

    def noted(line: str) -> None:
        progress.clear()
        note(line)

    check_fit(options, cohort)
    tasks = _tasks(options, noted)
    for each, target, settings in tasks:
        try:
            each.write(_Followed(cohort, each.name, progress), target, settings)
        except OSError as error:  # noqa: PERF203  # few exports
            reason = (error.strerror or "unknown reason").lower()
            where = visible(os.fspath(error.filename or target), 300)
            raise Undelivered(f"--{each.name}: {where}: {reason}") from None
    return [target for _, target, _ in tasks]


class _Followed:
    """A cohort that shows how far an export has read it."""

    def __init__(self, cohort: Cohort, name: str, progress: Progress) -> None:
        self.exercises = cohort.exercises
        self.has_roster = cohort.has_roster
        self._cohort = cohort
        self._name = name
        self._progress = progress

    def copies(self) -> Iterator[Copies]:
        return self._cohort.copies()

    def standings(self) -> Iterator[Standing]:
        self._progress.begin(f"writing --{self._name}")
        for number, standing in enumerate(self._cohort.standings(), 1):
            yield standing
            if number % _STEP == 0:
                self._progress.update(number)
