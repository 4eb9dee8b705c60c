"""Says in one line why a gradebook cannot be used, and what to do."""

from __future__ import annotations

import sqlite3

from pipeline.display import visible

_KEPT = "what was graded so far is kept"
# What SQLite says, and what that means to somebody who grades; the first that fits.
_MEANINGS = (
    ("is full", f"cannot grow, the disk is full; {_KEPT}: free some space and run this again"),
    ("disk I/O error", f"cannot be used, the disk is full or failing; {_KEPT}: look at the disk"),
    ("is locked", "is in use by another program: close it there and run this again"),
    ("readonly database", "may not be written: name a --gradebook where you may write"),
    ("unable to open", "cannot be opened: look at its name, its folder and your permissions"),
    ("not a database", "is no gradebook: name another --gradebook, or move the file away"),
    ("too big", "has a text larger than any of ours, somebody changed it: put a copy of it back"),
    ("malformed", "is damaged: put a copy of it back, or move it away and grade again"),
)


class UnusableGradebook(Exception):
    """A gradebook that cannot be used; the message is one line that says what to do."""


def shown(path: str) -> str:
    """Return a path as a message shows it."""
    return visible(path, 300)


def other_version(path: str, version: int, ours: int) -> str:
    """Return the message for a gradebook of another version than ours."""
    newer = "use a newer verify"
    step = newer if version > ours else "grade into it once to bring it up to date"
    return f"{shown(path)} is a gradebook of version {version}, not {ours}: {step}"


def told(path: str, error: sqlite3.DatabaseError) -> str:
    """Return the message for what SQLite raised; empty for what is no state of the file."""
    if isinstance(error, sqlite3.IntegrityError | sqlite3.ProgrammingError):
        return ""
    for said, meaning in _MEANINGS:
        if said in str(error):
            return f"{shown(path)} {meaning}"
    if isinstance(error, sqlite3.OperationalError) and "no such" not in str(error):
        return ""
    return f"{shown(path)} is damaged ({visible(str(error))}): put a copy of it back"
