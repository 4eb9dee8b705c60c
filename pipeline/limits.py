"""The limits in force: the most that is read of a document, a folder, an archive or a history.

What is beyond one of them is refused in one line. They are read from `LIMITS` where they are used,
never bound at an import or as a default, so that a run can set its own by `enforce`.
"""

from __future__ import annotations

from typing import NamedTuple

Changed = tuple[tuple[str, int], ...]  # limits that are not as ever, sorted by their names

_KIB, _MIB = 1 << 10, 1 << 20


class Limit(NamedTuple):
    """One limit: its value where nobody sets another, how far it may be set, and what it bounds.

    `said` is what is told of what exceeds it, with the value as `{}`.
    """

    value: int
    least: int
    most: int
    unit: str
    bounds: str
    said: str


KNOWN: dict[str, Limit] = {
    # a parsed document takes up to 43 times its size in memory
    "artifact_bytes": Limit(
        _MIB,
        _KIB,
        4 * _MIB,
        "bytes",
        "a file that is read",
        "is larger than {}, the most that is read",
    ),
    # a fixed depth, so that a verdict depends on no interpreter's stack
    "depth": Limit(
        64,
        8,
        128,
        "levels",
        "objects and arrays within each other",
        "too deeply nested (expected at most {} levels)",
    ),
    # bounds the number of problems that one document can have
    "elements": Limit(
        20_000,
        100,
        100_000,
        "elements",
        "objects, arrays and their members",
        "too many elements (expected at most {})",
    ),
    # any whole number that is not longer is a finite double, too; 20 is as long as 64 bits take
    "digits": Limit(
        308,
        20,
        308,
        "digits",
        "a whole number",
        "this number is too long (expected at most {} digits)",
    ),
    # of a text that is not strict JSON; the walk goes on without noting more
    "problems": Limit(
        1_000,
        10,
        10_000,
        "problems",
        "problems of one text that is not JSON, noted",
        "(no more are noted)",
    ),
    "folder_entries": Limit(
        1_000,
        10,
        100_000,
        "entries",
        "names in a folder, looked through for a misspelt one",
        "(no more are looked at)",
    ),
    "folder_levels": Limit(
        64, 4, 128, "folders", "folders within each other", "lies more than {} folders deep"
    ),
    "archive_members": Limit(
        50_000,
        10,
        1_000_000,
        "files",
        "an archive, of one submission",
        "holds more than {} files, the most that is read",
    ),
    # those that only the paths of members tell of are folders too
    "archive_folders": Limit(
        20_000,
        10,
        100_000,
        "folders",
        "an archive, of one submission",
        "holds more than {} folders, the most that is read",
    ),
    "archive_names_bytes": Limit(
        8 * _MIB,
        _KIB,
        64 * _MIB,
        "bytes",
        "the names of one submission's members",
        "has names of more than {} together, the most that is read",
    ),
    "archive_listing_bytes": Limit(
        16 * _MIB,
        _KIB,
        128 * _MIB,
        "bytes",
        "a .zip's directory, of one submission",
        "lists its files in more than {}, the most that is read",
    ),
    "archive_nested_bytes": Limit(
        64 * _MIB,
        _KIB,
        256 * _MIB,
        "bytes",
        "a learner's archive within another one, packed or unpacked",
        "is an archive of more than {}, the most that is unpacked",
    ),
    "archive_sent_bytes": Limit(
        4 * _MIB,
        _KIB,
        64 * _MIB,
        "bytes",
        "one submission's files in a packed tar of all",
        "is among more than {} of files, the most that is taken",
    ),
    "history_bytes": Limit(
        32 * _MIB,
        _KIB,
        128 * _MIB,
        "bytes",
        "a history that is handed in as a git bundle",
        "is larger than {}, the most that is read",
    ),
}


class Limits:
    """What is in force in this process: an attribute for each limit that is `KNOWN`."""

    __slots__ = (*KNOWN,)

    artifact_bytes: int
    depth: int
    elements: int
    digits: int
    problems: int
    folder_entries: int
    folder_levels: int
    archive_members: int
    archive_folders: int
    archive_names_bytes: int
    archive_listing_bytes: int
    archive_nested_bytes: int
    archive_sent_bytes: int
    history_bytes: int

    def __init__(self) -> None:
        for name, limit in KNOWN.items():
            setattr(self, name, limit.value)


LIMITS = Limits()


def enforce(changed: Changed) -> None:
    """Put the changed limits, and no others, in force in this process: they have been checked."""
    given = dict(changed)
    for name, limit in KNOWN.items():
        setattr(LIMITS, name, given.get(name, limit.value))


def size_of(count: int) -> str:
    """Return a number of bytes for people: whole KiB or MiB where it is some."""
    if count % _MIB == 0 and count > _MIB:
        return f"{count // _MIB:,} MiB"
    return f"{count:,} bytes" if count % _KIB else f"{count // _KIB} KiB"


# As it is where nobody sets another: what is bounded by it reads `LIMITS`.
MAX_BYTES = KNOWN["artifact_bytes"].value
