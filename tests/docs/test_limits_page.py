"""The page of limits has the values that are in the code, all of them."""

from __future__ import annotations

import os
from importlib import import_module

from pipeline.bootstrap import ROOT
from pipeline.files import size_of

PAGE = os.path.join(ROOT, "docs", "reference", "limits.md")
# each by its place in the code, and in which unit the page has it
LIMITS = {
    "pipeline.agents.definitions MAX_BYTES": "bytes",
    "pipeline.agents.definitions MAX_FRONT_MATTER": "bytes",
    "pipeline.files MAX_BYTES": "bytes",
    "pipeline.files MAX_DEPTH": "",
    "pipeline.files MAX_ELEMENTS": "",
    "pipeline.files MAX_DIGITS": "",
    "pipeline.files MAX_PROBLEMS": "",
    "pipeline.files MAX_FOLDER_ENTRIES": "",
    "pipeline.files MAX_FOLDER_LEVELS": "",
    "pipeline.files MAX_ARCHIVE_MEMBERS": "",
    "pipeline.files MAX_TAR_MEMBERS": "",
    "pipeline.files MAX_ARCHIVE_FOLDERS": "",
    "pipeline.files MAX_ARCHIVE_NAMES": "bytes",
    "pipeline.files MAX_ARCHIVE_LISTING": "bytes",
    "pipeline.files MAX_NESTED_ARCHIVE": "bytes",
    "pipeline.files MAX_HISTORY": "bytes",
    "pipeline.signing.statement MAX_ENVELOPE": "bytes",
    "verify.batch.limits MEGABYTES": "MB",
    "verify.batch.limits SECONDS": "seconds",
    "verify.batch.limits WALL": "seconds",
    "verify.history.history MAX_COMMITS": "",
    "verify.history.history MAX_STEPS": "",
    "verify.history.history MAX_TREES": "",
    "verify.history.objects MAX_COMMIT": "bytes",
    "verify.history.objects MAX_OBJECT": "bytes",
    "verify.history.objects MAX_READ": "bytes",
    "verify.history.history MAX_PACKED": "",
    "verify.history.work MAX_BASES": "",
    "verify.intake.collection MAX_METADATA": "bytes",
    "verify.history.work MAX_CHANGED": "",
    "verify.history.work MAX_ENTRIES": "",
    "verify.provenance MAX_LINES": "",
    "verify.archives MAX_EXTENSION": "bytes",
    "verify.archives MAX_NAME": "",
    "verify.archives MAX_PIECES": "",
    "verify.submission MAX_DOWN": "",
    "verify.submission MAX_NESTED": "",
    "verify.submission MAX_SEARCHED": "",
    "verify.intake.collection MAX_DIRECTORY": "bytes",
    "verify.intake.collection MAX_MEMBERS": "",
    "verify.intake.platforms.base MAX_NAME": "",
    "verify.intake.roster MAX_ROW": "",
    "verify.intake.table MAX_ROWS": "",
    "verify.intake.table MAX_COLUMNS": "",
    "verify.intake.table MAX_IDENTITY": "",
    "verify.intake.table MAX_TABLE": "bytes",
}


def test_the_page_has_every_limit_as_it_is() -> None:
    with open(PAGE, encoding="utf-8") as file:
        rows = [line.split(" | ") for line in file.read().splitlines() if line.endswith("` |")]

    assert {where.strip("|` "): value for _, value, where in rows} == {
        place.replace(" ", "."): _shown(place, unit) for place, unit in LIMITS.items()
    }


def _shown(place: str, unit: str) -> str:
    module, _, name = place.partition(" ")
    number = getattr(import_module(module), name)
    if unit == "bytes":
        return size_of(number)
    return f"{number:,.10g} {unit}".rstrip()
