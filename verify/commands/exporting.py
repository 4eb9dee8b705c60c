"""The exports that a command line asks for: checked before grading, written afterwards."""

from __future__ import annotations

import argparse
import os
import re
import shlex
import shutil
from collections import Counter
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from pipeline.files import is_inside, reason_of
from pipeline.terminal.display import visible
from pipeline.terminal.streams import Undelivered
from verify.commands.gradebook_command import note
from verify.exports import (
    any_table,
    blackboard,
    brightspace,
    canvas,
    csv_tables,
    feedback,
    gradescope,
    json_documents,
    moodle,
)
from verify.exports.base import Format, Settings
from verify.gradebook.keeping import exported_in, keep_exported
from verify.gradebook.store import UnusableGradebook
from verify.intake.table import Unusable
from verify.learner.request import option_words
from verify.report import site

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from verify.gradebook.reading import Cohort, GradebookCohort
    from verify.gradebook.term import TermCohort

FORMATS: tuple[Format, ...] = (
    csv_tables.LONG,
    csv_tables.WIDE,
    json_documents.DOCUMENT,
    json_documents.LINES,
    gradescope.FORMAT,
    canvas.FORMAT,
    moodle.FORMAT,
    blackboard.FORMAT,
    brightspace.FORMAT,
    any_table.FORMAT,
    feedback.FORMAT,
    site.FORMAT,
)
_ENTRIES = "entries.csv"
_ALWAYS = {
    "grades.csv": csv_tables.WIDE,
    "checks.csv": csv_tables.LONG,
    "results.jsonl": json_documents.LINES,
    "feedback": feedback.FORMAT,
}
_ENDINGS = (".md", ".json", "files.csv")  # of the files in folders
_NO_UPLOAD = {*_ALWAYS.values(), json_documents.DOCUMENT, site.FORMAT}


def _results_folder() -> Format:
    """Return the format of `--out`: one folder with all that an instructor needs.

    It is written whole and replaced whole.
    """
    uploads = {
        f"{upload.name}{'' if upload.folder else '.csv'}": upload
        for upload in FORMATS
        if upload not in _NO_UPLOAD and not upload.in_place
    }
    every = {**_ALWAYS, **uploads}
    others = {name: _ENDINGS if part.folder else () for name, part in every.items()}
    others[_ENTRIES] = ()

    def write(cohort: Cohort, target: str, settings: Settings) -> None:
        with site.replaced(target, "--out", others) as new:
            site.write_pages(cohort, new, settings)
            for name, part in (*_ALWAYS.items(), *_asked(uploads, settings)):
                source = settings.sources.get(part.name, "")
                part.write(cohort, os.path.join(new, name), settings._replace(source=source))
            _write_entries(target, new, settings)

    def check(target: str, settings: Settings, exercises: Sequence[str]) -> None:
        site.refuse_others(os.path.abspath(target), "--out", others)
        for part in uploads.values():
            if part.check and part.name in settings.sources:
                source = settings.sources[part.name]
                part.check(target, settings._replace(source=source), exercises)

    what = "the report, grades, feedback, and the platform's file"
    return Format("out", "DIR", what, write, check, folder=True)


def _asked(uploads: dict[str, Format], settings: Settings) -> Iterator[tuple[str, Format]]:
    """Yield what the platforms of the collections import; name what one needs for that."""
    for name, part in uploads.items():
        is_theirs = part.name in settings.platforms
        if part.name in settings.sources or (is_theirs and not part.needs_source):
            yield name, part
        elif is_theirs:
            metavar = part.source[0]
            settings.note(f"--out has no {name}: add --{part.name}-from {metavar} to get it")


def _write_entries(target: str, new: str, settings: Settings) -> None:
    """Write whose each entry is; what grades nothing keeps the table of the run before."""
    if settings.entries is not None:
        settings.entries(os.path.join(new, _ENTRIES))
    elif os.path.isfile(os.path.join(target, _ENTRIES)):
        shutil.copyfile(os.path.join(target, _ENTRIES), os.path.join(new, _ENTRIES))


OUT = _results_folder()
_BY_NAME = {format_.name: format_ for format_ in (OUT, *FORMATS)}
_TITLE, _OVERWRITE, _SITE, _COLUMN = "canvas-column", "overwrite", "site", "column"
_FILLED = (*(f"{f.name}-from" for f in FORMATS if f.source[0]), any_table.FORMAT.name)
_NAMED = (
    f"{blackboard.FORMAT.name}-from",
    f"{brightspace.FORMAT.name}-from",
    any_table.FORMAT.name,
)
_WEB = re.compile(r"https?://[^\s<>\"'\\]+")
_NEEDED = (  # an option, another one that it needs, and its value
    *((f"{format_.name}-from", format_.name, format_.metavar) for format_ in FORMATS),
    (_TITLE, "canvas-from", "EXPORT.csv"),
)
_EXERCISE = re.compile(r"\w[\w.-]*(?:/[0-9]{2})?=\s*\S")  # or an assignment of a term
_WRITTEN = (".md", ".html", "files.csv")  # what is written into folders


def add_exports(parser: argparse.ArgumentParser) -> None:
    """Add the options for exports; `exports` gets pairs of an option's name and value."""
    group = parser.add_argument_group("what to export")
    targets = [(f.name, f.metavar, f.help) for f in _BY_NAME.values()]
    sources = [(f"{f.name}-from", *f.source) for f in FORMATS if f.source[0]]
    title = "the column in Canvas of an exercise, or of an assignment; can be repeated"
    column = f"the column of --{any_table.FORMAT.name} for the total; L/NN=NAME for an exercise,"
    column += " also in Blackboard and Brightspace; can be repeated"
    about = [(_TITLE, "NAME=TITLE (ID)", title), (_COLUMN, "NAME", column)]
    _add(group, *targets, *sources, *about)
    overwrite = "also replace grades in the platform's file that did not come from this gradebook"
    pair = (_OVERWRITE, "")
    group.add_argument(
        f"--{_OVERWRITE}", dest="exports", action="append_const", const=pair, help=overwrite
    )
    site_help = "the website with the course's pages, which feedback and report link to"
    _add(group, (_SITE, "URL", site_help))


def _add(group: argparse._ActionsContainer, *options: tuple[str, str, str]) -> None:
    """Add options, each with its metavar and its help."""
    for name, metavar, text in options:
        group.add_argument(
            f"--{name}",
            dest="exports",
            action="append",
            default=[],
            metavar=metavar,
            type=partial(_pair, name),
            help=text,
        )


def _pair(name: str, text: str) -> tuple[str, str]:
    if name == _TITLE and not _EXERCISE.match(text):
        raise argparse.ArgumentTypeError(
            f"{visible(text)} does not name a column (expected NAME=TITLE (ID), such as"
            " 'expert/04=Evidence (1234)')"
        )
    if text:
        return name, text
    raise argparse.ArgumentTypeError("the value is empty (expected a path)")


class Export(NamedTuple):
    """A requested export."""

    format: Format
    target: str  #: the path of a file or a folder
    settings: Settings


def check_exports(
    options: Iterable[tuple[str, str]],
    *,
    exercises: Sequence[str] = (),
    inputs: Iterable[str] = (),
    beside: Sequence[tuple[str, str]] = (),
) -> tuple[Export, ...]:
    """Return the exports if they are possible: a typo must not cost a long run.

    `exercises` are the names of those to grade; `inputs` are the instructor's files, which must not
    be overwritten; `beside` are other options with the file that each writes.
    """
    options = tuple(options)
    values, settings = dict(options), _settings(options)
    sources = {f.name: values[f"{f.name}-from"] for f in FORMATS if f"{f.name}-from" in values}
    exports = tuple(
        Export(
            _BY_NAME[name],
            target,
            settings._replace(
                source=target if _BY_NAME[name].in_place else sources.get(name, ""),
                sources=sources if name == OUT.name else {},
            ),
        )
        for name, target in sorted(values.items(), key=lambda value: value[0] == OUT.name)
        if name in _BY_NAME
    )
    _check_targets(exports, [*inputs, *sources.values()], beside)
    for export in exports:
        if export.format.check:
            export.format.check(export.target, export.settings, exercises)
    return exports


def _settings(options: Sequence[tuple[str, str]]) -> Settings:
    """Return what the options say of all exports; refuses one twice, or without another."""
    for name, count in Counter(name for name, _ in options).items():
        if count > 1 and name not in (_TITLE, _COLUMN):
            raise Unusable(f"--{name} is given more than once: remove one")
    titles = _titles(_TITLE, (value for name, value in options if name == _TITLE))
    named = [value for name, value in options if name == _COLUMN]
    columns = _titles(_COLUMN, (text if _EXERCISE.match(text) else f"={text}" for text in named))
    values = dict(options)
    _refuse_alone(values)
    site_address = values.get(_SITE, "")
    if site_address and not _WEB.fullmatch(site_address):
        raise Unusable(f"--{_SITE} {visible(site_address)} is not an address (expected https://…)")
    overwrite = _OVERWRITE in values
    return Settings(note, titles=titles, columns=columns, overwrite=overwrite, site=site_address)


def _refuse_alone(values: Collection[str]) -> None:
    """Refuse an option without another one that it needs."""
    for name, needed, metavar in _NEEDED:
        if name in values and needed not in values and OUT.name not in values:
            also = f", or --{OUT.name} {OUT.metavar}" if f"{needed}-from" == name else ""
            raise Unusable(f"--{name} needs --{needed}: add --{needed} {metavar}{also}")
    if _SITE in values and not {OUT.name, feedback.FORMAT.name, site.FORMAT.name} & {*values}:
        raise Unusable(f"--{_SITE} needs --out, --feedback or --html: add one")
    for option, fits in ((_OVERWRITE, _FILLED), (_COLUMN, _NAMED)):
        if option in values and not {*fits} & {*values}:
            *most, last = (f"--{name}" for name in fits)
            raise Unusable(f"--{option} needs {', '.join(most)} or {last}: add one")


def _titles(option: str, assignments: Iterable[str]) -> dict[str, str]:
    """Return the titles of columns by the name of the exercise, empty for the total."""
    titles: dict[str, str] = {}
    for exercise, _, title in (text.partition("=") for text in assignments):
        if titles.setdefault(exercise, title.strip()) != title.strip():
            raise Unusable(f"--{option} gives {exercise or 'the total'} two columns: remove one")
    return titles


def _check_targets(
    exports: Iterable[Export], inputs: Iterable[str], beside: Iterable[tuple[str, str]]
) -> None:
    """Refuse targets that cannot be written, that two options write, or that are inputs."""
    protected = {os.path.realpath(path) for path in inputs if path}
    seen: dict[str, str] = {}
    targets = [(*option, False) for option in beside]
    targets += [(e.format.name, e.target, e.format.is_folder(e.target)) for e in exports]
    for name, target, folder in targets:
        option, real = f"--{name} {visible(target, 300)}", os.path.realpath(target)
        if any(_overwrites(real, path, folder=folder) for path in protected):
            raise Unusable(f"{option} would overwrite an input: choose a different path")
        if real in seen:
            also = f"has the same path as --{seen[real]}"
            raise Unusable(f"{option} {also}: choose a different path")
        within = [path for path in (*protected, *seen) if is_inside(path, real)]
        if name == OUT.name and within:
            what = f"would also hold {visible(os.path.basename(within[0]))}, which it would delete"
            raise Unusable(f"{option} {what}: choose a new folder")
        seen[real] = name
        _check_place(option, target, folder=folder)


def _overwrites(target: str, path: str, *, folder: bool) -> bool:
    """Return whether a target is an input, is in one, or gets files with an input's name."""
    if is_inside(target, path):
        return True
    if folder and os.path.dirname(path) == target:
        return path.endswith(_WRITTEN)
    return os.path.exists(target) and os.path.exists(path) and os.path.samefile(target, path)


def _check_place(option: str, target: str, *, folder: bool) -> None:
    """Refuse a target of the other kind, and a place that is not writable or cannot be created."""
    if folder and os.path.exists(target) and not os.path.isdir(target):
        raise Unusable(f"{option} is a file: choose a folder")
    if not folder:
        if os.path.isdir(target) or target.endswith(("/", os.sep)):
            raise Unusable(f"{option} is a folder: choose a file")
        if os.path.exists(target) and not os.path.isfile(target):
            raise Unusable(f"{option} is not a regular file: choose a different path")
    place = os.path.abspath(target) if folder else os.path.dirname(os.path.abspath(target))
    while not os.path.lexists(place):
        place = os.path.dirname(place)
    if not (os.path.isdir(place) and os.access(place, os.W_OK | os.X_OK)):
        where = f"{visible(place, 300)} is not a folder that you can write to"
        raise Unusable(f"{option} cannot be written: {where}")


def platforms_of(cohort: TermCohort | GradebookCohort) -> list[str]:
    """Return the platforms that the entries of a cohort come from, of all assignments."""
    options = (cohort.options_of(exercise.name) for exercise in cohort.exercises)
    return sorted({name for of in options for name in of.get("platforms", ())})


def repeated(cohort: TermCohort | GradebookCohort) -> dict[str, str]:
    """Return what a learner adds to `verify LEVEL/NN` to be graded as the exercises were."""
    return {e.name: _repeated(cohort.options_of(e.name)) for e in cohort.exercises}


def _repeated(options: Mapping[str, Any]) -> str:
    course = os.path.basename(options.get("course") or "")
    given = {"--target": options.get("target"), "--issue": options.get("issue")}
    words = option_words({"--course": course, **given})
    return shlex.join([*words, *["--strict"] * bool(options.get("strict"))])


def write_exports(
    cohort: Cohort, exports: Sequence[Export], gradebook: str = "", **about: Any
) -> list[str]:
    """Write a cohort in each format and return the paths of the files.

    `about` are fields of `Settings` that are known only now. The gradebook keeps what is written
    into the files of platforms. Raises Undelivered for a file that cannot be written: an earlier
    one is unchanged.
    """
    is_merged = bool(gradebook) and any(e.settings.source or e.settings.sources for e in exports)
    exported = exported_in(gradebook) if is_merged else None
    try:
        for export in exports:
            settings = export.settings._replace(exported=exported, **about)
            export.format.write(cohort, export.target, settings)
    except OSError as error:
        reason = reason_of(error)
        where = visible(os.fspath(error.filename or export.target), 300)
        raise Undelivered(f"--{export.format.name}: {where}: {reason}") from None
    if exported:
        try:
            keep_exported(gradebook, exported)
        except UnusableGradebook as error:
            note(f"{error}; the next export takes the grades in these files for those of others")
    return [export.target for export in exports]
