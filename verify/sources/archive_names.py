"""What the names in archives mean: which are noise, which are archives, which are no paths."""

from __future__ import annotations

import re
from functools import lru_cache

from pipeline.limits import MAX_FOLDER_LEVELS
from verify.sources.archive_limits import MAX_NAME

READ_SUFFIXES = (
    ".zip",
    ".tar",
    ".tar.gz",
    ".tgz",
    ".tar.xz",
    ".txz",
)
UNREAD_SUFFIXES = (".7z", ".rar", ".tar.bz2", ".tbz2", ".tbz", ".tar.zst", ".tzst")
_SUFFIX = re.compile(
    "(" + "|".join(map(re.escape, READ_SUFFIXES + UNREAD_SUFFIXES)) + r")\Z", re.IGNORECASE
)
_NOISE = frozenset({"__MACOSX", ".DS_Store"})
_DRIVE = re.compile("[A-Za-z]:")
_CACHED = 200  # bytes: longer names are not worth holding in memory
_NO_STEP = frozenset({"", ".", ".."})
_MORE_STEPS = 4  # a file's own name, its learner's folder, and superfluous ones around both


@lru_cache(maxsize=4096)
def archive_suffix(name: str) -> str:
    """Return an archive's suffix, in lower case; empty for any other name."""
    found = _SUFFIX.search(name[-16:]) if "." in name else None
    return found[1].lower() if found else ""


def is_noise(name: str) -> bool:
    """Tell whether a file or folder is what systems leave in archives, and no work of anybody."""
    return name.startswith("._") or name in _NOISE


def own_path(name: str) -> str:
    """Return a member's path, without `./` before it and `/` after it; empty for no path.

    No path are absolute names, drives, and names with an empty step, `.`, `..`, a backslash or
    NUL: a file system would not have them below a folder, so no question finds them. Nor does one
    find what lies deeper than a submission is read.
    """
    while name.startswith("./"):
        name = name[2:]
    return _clean(name)


def member_path(name: str) -> str:
    """Return a member's path in a learner's own archive; empty for noise and for no path."""
    path = own_path(name)
    noise = path.startswith("__MACOSX/") or is_noise(path.rpartition("/")[2])
    return "" if noise else path


def clean_rest(rest: bytes) -> str:
    """Return the path in its submission of a member, by the bytes behind its learner's folder.

    Empty for noise and for no path.
    """
    return _cached_rest(rest) if len(rest) <= _CACHED else _rest(rest)


def _rest(rest: bytes) -> str:
    try:
        path = _clean(rest.decode("utf-8"))
    except UnicodeDecodeError:
        path = _clean(rest.decode("cp437"))
    return "" if is_noise(path.rpartition("/")[2]) else path


_cached_rest = lru_cache(maxsize=4096)(_rest)  # a cohort's members have the same names


def _clean(name: str) -> str:
    name = name.removesuffix("/")
    if len(name) > MAX_NAME or "\\" in name or "\0" in name or _DRIVE.match(name):
        return ""
    steps, most = name.split("/"), MAX_FOLDER_LEVELS + _MORE_STEPS
    return name if len(steps) <= most and _NO_STEP.isdisjoint(steps) else ""
