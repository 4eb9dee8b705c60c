"""Reads what `git status --porcelain=v2 -z` prints (git-status(1), porcelain format version 2)."""

from __future__ import annotations

# Fields before the path, by the kind of entry: changed, unmerged.
_FIELDS = {"1": 8, "u": 10}


def read_status(printed: str) -> dict[str, str]:
    """Return the two-letter state by path: index, then work tree; `??` is untracked, `.` is as is.

    Paths are relative to the repository's root, with `/`; bytes that are no UTF-8 are surrogates.
    `--no-renames` is needed: a renamed file is then two entries.
    """
    changes: dict[str, str] = {}
    for entry in printed.split("\0"):
        kind = entry[:1]
        if kind in _FIELDS:
            words = entry.split(" ", _FIELDS[kind])
            changes[words[-1]] = words[1]
        elif kind == "?":
            changes.setdefault(entry[2:], "??")  # beside `D.`: deleted in the index only
    return changes


def read_branch(printed: str) -> tuple[str, str]:
    """Return the branch, empty when detached, and the commit, empty when there is none yet.

    `printed` is what `git status --porcelain=v2 -z --branch` prints.
    """
    found = {"branch.head": "", "branch.oid": ""}
    for entry in printed.split("\0"):
        if entry.startswith("# "):
            name, _, value = entry[2:].partition(" ")
            if name in found and not value.startswith("("):  # (detached), (initial)
                found[name] = value
    return found["branch.head"], found["branch.oid"]
