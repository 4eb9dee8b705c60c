"""`--out`: one folder with all that an instructor needs, written whole and replaced whole."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

from verify.exports.base import Format
from verify.exports.csv_tables import LONG, WIDE
from verify.exports.feedback import FORMAT as FEEDBACK
from verify.exports.json_documents import DOCUMENT, LINES
from verify.report import site

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from verify.exports.base import Settings
    from verify.gradebook.reading import Cohort

ENTRIES = "entries.csv"
_ALWAYS = {"grades.csv": WIDE, "checks.csv": LONG, "results.jsonl": LINES, "feedback": FEEDBACK}
_ENDINGS = (".md", ".json", "files.csv")  # of the files in folders
_NO_UPLOAD = {*_ALWAYS.values(), DOCUMENT, site.FORMAT}


def format_of(formats: Sequence[Format]) -> Format:
    """Return the format of `--out`; `formats` are all of them, also those that platforms import."""
    uploads = {
        f"{upload.name}{'' if upload.folder else '.csv'}": upload
        for upload in formats
        if upload not in _NO_UPLOAD and not upload.in_place
    }
    every = {**_ALWAYS, **uploads}
    others = {name: _ENDINGS if part.folder else () for name, part in every.items()}
    others[ENTRIES] = ()

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
        settings.entries(os.path.join(new, ENTRIES))
    elif os.path.isfile(os.path.join(target, ENTRIES)):
        shutil.copyfile(os.path.join(target, ENTRIES), os.path.join(new, ENTRIES))
