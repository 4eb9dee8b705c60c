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
    ("decode to UTF-8", "has a text that is not UTF-8, somebody changed it: put a copy of it back"),
    ("malformed", "is damaged: put a copy of it back, or move it away and grade again"),
)


class UnusableGradebook(Exception):
    """A gradebook that cannot be used; the message is one line that says what to do."""


def shown(path: str) -> str:
    """Return a path as a message shows it."""
    return visible(path, 300)


def told(path: str, error: sqlite3.DatabaseError) -> str:
    """Return the message for what SQLite raised; empty for what is no state of the file."""
    if isinstance(error, sqlite3.IntegrityError | sqlite3.ProgrammingError):
        return ""
    for said, meaning in _MEANINGS:
        if said in str(error):
            return f"{shown(path)} {meaning}"
    if isinstance(error, sqlite3.OperationalError):
        return ""
    return f"{shown(path)} is damaged ({visible(str(error))}): put a copy of it back"
