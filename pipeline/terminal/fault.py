"""A failure that the user can fix: its message, and the exit code."""

from __future__ import annotations

from pipeline.terminal.exit_codes import FAILED, UNUSABLE


class Fault(Exception):
    """Something expected went wrong: the first line says what happened, the others what to do.

    `code` is the exit code: 1 for what an agent, git or a forge did, 2 where nothing was begun.
    """

    def __init__(self, *lines: str, code: int = FAILED) -> None:
        super().__init__("\n".join(lines))
        self.lines = lines
        self.code = code


def unusable(*lines: str) -> Fault:
    """Return the fault of a call or a set-up that is wrong: nothing was begun."""
    return Fault(*lines, code=UNUSABLE)
