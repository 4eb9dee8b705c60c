"""Writes the table of the limits: what each bounds, its value in the code, and where it is."""

from __future__ import annotations

from importlib import import_module

from pipeline.files import size_of

# by its place: what it bounds, and the unit that the page shows it in
LIMITS = {
    "pipeline.files MAX_BYTES": ("an artifact, or another file that is read as one", "bytes"),
    "pipeline.files MAX_DEPTH": ("objects and arrays within each other", ""),
    "pipeline.files MAX_ELEMENTS": ("objects, arrays and their members", ""),
    "pipeline.files MAX_DIGITS": ("digits of a whole number", ""),
    "pipeline.files MAX_PROBLEMS": ("problems of a text that is not JSON", ""),
    "verify.files MAX_FOLDER_ENTRIES": ("names in a folder, searched for a misspelt one", ""),
    "verify.files MAX_FOLDER_LEVELS": ("folders within each other", ""),
    "verify.archives MAX_ARCHIVE_MEMBERS": ("files of a .zip, of one submission", ""),
    "verify.archives MAX_TAR_MEMBERS": ("files and folders of a .tar, of one submission", ""),
    "verify.archives MAX_ARCHIVE_FOLDERS": ("folders of an archive, of one submission", ""),
    "verify.archives MAX_ARCHIVE_NAMES": ("names of one submission's members, together", "bytes"),
    "verify.archives MAX_ARCHIVE_LISTING": ("a .zip's directory, of one submission", "bytes"),
    "verify.archives MAX_NESTED_ARCHIVE": (
        "a learner's archive within another one, packed or unpacked",
        "bytes",
    ),
    "pipeline.files MAX_HISTORY": (
        "a history: a git bundle, or the packs and loose objects of a `.git` together",
        "bytes",
    ),
    "pipeline.agents.definitions MAX_BYTES": ("an agent's definition file", "bytes"),
    "pipeline.agents.definitions MAX_FRONT_MATTER": (
        "front matter of a page or a definition",
        "bytes",
    ),
    "pipeline.signing.statement MAX_ENVELOPE": ("an envelope of a witnessed artifact", "bytes"),
    "verify.batch.limits MEGABYTES": (
        "memory that grading one submission takes beyond what a worker has (`--memory-limit`)",
        "MB",
    ),
    "verify.batch.limits SECONDS": (
        "CPU time that grading one submission takes (`--time-limit`)",
        "seconds",
    ),
    "verify.batch.limits WALL": (
        "time that grading one submission takes, with all that it waits for",
        "seconds",
    ),
    "verify.history.history MAX_COMMITS": ("commits that are read of a history", ""),
    "verify.history.history MAX_STEPS": ("steps from commits to their parents, in all walks", ""),
    "verify.history.history MAX_TREES": ("folders of a history that are read", ""),
    "verify.history.objects MAX_COMMIT": ("a commit with its message", "bytes"),
    "verify.history.objects MAX_OBJECT": (
        "a folder of git, or a loose object",
        "bytes",
    ),
    "verify.history.objects MAX_READ": (
        "what the objects of a pack or a bundle unpack to",
        "bytes",
    ),
    "verify.history.history MAX_PACKED": ("objects of a history bundle", ""),
    "verify.history.work MAX_BASES": (
        "commits at which the work of a branch may begin, beyond which none is compared",
        "",
    ),
    "verify.history.work MAX_ENTRIES": ("names in folders that are compared", ""),
    "verify.history.work MAX_CHANGED": ("files that a branch changes", ""),
    "verify.provenance MAX_LINES": ("lines of `dispatch.jsonl`", ""),
    "verify.archives MAX_EXTENSION": ("a tar header's extension, such as a long name", "bytes"),
    "verify.archives MAX_NAME": ("characters of a member's name", ""),
    "verify.archives MAX_PIECES": ("pieces of an archive that were packed one after the other", ""),
    "verify.submission MAX_DOWN": ("folders around a submission's root", ""),
    "verify.submission MAX_NESTED": ("archives in each other", ""),
    "verify.submission MAX_SEARCHED": ("names that the search for the root reads", ""),
    "verify.intake.collection MAX_DIRECTORY": ("the directory of a .zip of a whole class", "bytes"),
    "verify.intake.collection MAX_MEMBERS": ("files of a .zip of a whole class", ""),
    "verify.intake.platforms.base MAX_NAME": (
        "characters of an entry's name in which a platform is looked for",
        "",
    ),
    "verify.intake.table MAX_ROWS": ("rows of a roster or manifest", ""),
    "verify.intake.roster MAX_ROW": ("characters of a learner's row in a roster", ""),
    "verify.intake.table MAX_COLUMNS": ("columns of a roster or manifest", ""),
    "verify.intake.table MAX_IDENTITY": ("characters of a key, a name, an address", ""),
    "verify.intake.table MAX_TABLE": ("a roster or manifest", "bytes"),
    "verify.intake.collection MAX_METADATA": ("Gradescope's `submission_metadata.yml`", "bytes"),
}


def limits_table() -> str:
    """Return the table of all limits."""
    lines = ["| of what | value | in the code |", "| --- | ---: | --- |"]
    for place, (what, unit) in LIMITS.items():
        module, _, name = place.partition(" ")
        value = getattr(import_module(module), name)
        cell = size_of(value) if unit == "bytes" else f"{value:,.10g} {unit}".rstrip()
        lines.append(f"| {what} | {cell} | `{module}.{name}` |")
    return "\n".join(lines)
