"""Where gradings are shown: in one place of a terminal, or one after the other in a pipe."""

from __future__ import annotations

import os
import sys
import textwrap
import time

from pipeline.terminal.streams import columns, deliver, tell

_HOME = "\x1b[H"
_CLEAR_BELOW = "\x1b[J"
_ROWS = 24  # of a terminal that does not tell
_NARROWEST = 40


class Screen:
    """Standard output. What was on a terminal before is scrolled up, not written over."""

    def __init__(self) -> None:
        self._in_place = sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
        self._used = False

    def size(self) -> tuple[int, int]:
        """Return the columns and rows to write for, as they are now; 0 rows are any number."""
        return columns(sys.stdout), _rows() if self._in_place else 0

    def room(self, note: str) -> int:
        """Return the rows that are left above a note, 0 for any number."""
        lines = f"\n{self._folded(note)}\n" if note else ""
        return max(1, _rows() - lines.count("\n") - 1) if self._in_place else 0

    def show(self, text: str, note: str) -> None:
        """Show a text in the place of the one before, and under it a note, unless that is empty.

        In a pipe the text is all that stdout carries, after a line with the time: the note goes to
        stderr.
        """
        note = self._folded(note)
        if self._in_place:
            start = _HOME if self._used else "\n" * _rows() + _HOME
            deliver(f"{start}{_CLEAR_BELOW}{text}" + (f"\n{note}\n" if note else ""))
        else:
            separator = f"\n-------- {clock()} --------\n\n" if self._used else ""
            deliver(separator + text)
            if note:
                tell(note)
        self._used = True

    def _folded(self, note: str) -> str:
        width = max(columns(sys.stdout), _NARROWEST)
        return textwrap.fill(note, width, break_on_hyphens=False, break_long_words=False)


def clock() -> str:
    """Return the time of day."""
    return time.strftime("%H:%M:%S")


def _rows() -> int:
    try:
        return os.get_terminal_size(sys.stdout.fileno()).lines or _ROWS
    except (OSError, ValueError):
        return _ROWS
