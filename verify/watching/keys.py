"""The keys of a real terminal while something is watched; none anywhere else."""

from __future__ import annotations

import os
import select
import signal
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any

try:
    import termios
    import tty

    HAS_MODES = True
except ImportError:  # Windows: keys are not read, and not offered
    HAS_MODES = False

if TYPE_CHECKING:
    from types import FrameType

    from typing_extensions import Self

REDRAW = "\f"  # what a terminal says after it was suspended

_ENDING = ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGTSTP")


class Keys:
    """Keys without Enter, where both ends are a terminal in the foreground.

    The terminal's modes are put back on every way out: the end of the `with`, a signal that ends or
    suspends the process. `active` says whether keys are read; `is_set` whether there is one.
    """

    def __init__(self) -> None:
        self.active = False
        self._input = -1
        self._modes: list[Any] = []
        self._handlers: dict[int, Any] = {}
        self._resumed = False

    def __enter__(self) -> Self:
        if not _is_terminal():
            return self
        self._input = sys.stdin.fileno()
        self._modes = termios.tcgetattr(self._input)
        self.active = True
        for name in _ENDING:
            number = getattr(signal, name)
            if signal.getsignal(number) is not signal.SIG_IGN:
                self._handlers[number] = signal.signal(number, self._on_signal)
        tty.setcbreak(self._input, termios.TCSADRAIN)
        return self

    def __exit__(self, *_: object) -> None:
        self._restore()
        for number, handler in self._handlers.items():
            signal.signal(number, handler)
        self._handlers.clear()
        self.active = False

    def is_set(self) -> bool:
        """Return whether a key was pressed that is not yet read, or the terminal came back."""
        if not self.active:
            return False
        return self._resumed or bool(select.select([self._input], [], [], 0)[0])

    def pressed(self) -> str:
        """Return the next key, in lower case, empty where none was pressed; never waits."""
        if not self.is_set():
            return ""
        if self._resumed:
            self._resumed = False
            return REDRAW
        key = b""
        with suppress(OSError):
            key = os.read(self._input, 1)
        self.active = bool(key)  # a terminal that has gone sends nothing any more
        return key.decode("ascii", "replace").lower()

    def _restore(self) -> None:
        if self._modes:
            with suppress(termios.error):  # the terminal has gone
                termios.tcsetattr(self._input, termios.TCSADRAIN, self._modes)

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        self._restore()
        handler = self._handlers[number]
        if callable(handler):
            handler(number, frame)
            return
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
        # only a suspended process comes back
        signal.signal(number, self._on_signal)
        tty.setcbreak(self._input, termios.TCSADRAIN)
        self._resumed = True


def _is_terminal() -> bool:
    """Return whether keys can be read: from a terminal, in the foreground, one that can redraw."""
    if not HAS_MODES or os.environ.get("TERM") == "dumb":
        return False
    try:
        ends = (sys.stdin, sys.stdout)
        if not all(end is not None and end.isatty() for end in ends):
            return False
        return os.tcgetpgrp(sys.stdin.fileno()) == os.getpgrp()
    except (OSError, ValueError):  # no file behind it, or no terminal of this session
        return False
