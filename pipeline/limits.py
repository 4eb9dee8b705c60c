"""The limits: the most that is read of a document, a folder, an archive or a history.

What is beyond one of them is refused in one line; docs/reference/limits.md lists them.
"""

from __future__ import annotations

_KIB, _MIB = 1 << 10, 1 << 20

MAX_BYTES = _MIB  # of an artifact: parsed it takes up to 43 times its size in memory
MAX_DEPTH = 64  # fixed, so that a verdict depends on no interpreter's stack
MAX_ELEMENTS = 20_000  # objects, arrays and their members: bounds a document's problems
MAX_DIGITS = 308  # any whole number that is not longer is a finite double, too
MAX_PROBLEMS = 1_000  # of a text that is not strict JSON; the walk goes on without noting more
MAX_FOLDER_ENTRIES = 1_000  # that are looked through for a misspelt name
MAX_FOLDER_LEVELS = 64
MAX_ARCHIVE_MEMBERS = 50_000
MAX_TAR_MEMBERS = 30_000  # to list them takes a second, half the time that grading has
MAX_ARCHIVE_FOLDERS = 20_000  # with those that only the paths of members name
MAX_ARCHIVE_NAMES = 8 * _MIB
MAX_ARCHIVE_LISTING = 16 * _MIB  # a .zip's directory
MAX_NESTED_ARCHIVE = 64 * _MIB  # a learner's archive within another one, packed or unpacked
MAX_HISTORY = 32 * _MIB  # a git bundle


def size_of(count: int) -> str:
    """Return a number of bytes for people: whole KiB or MiB where it is some."""
    if count % _MIB == 0 and count > _MIB:
        return f"{count // _MIB:,} MiB"
    return f"{count:,} bytes" if count % _KIB else f"{count // _KIB} KiB"
