"""Ctrl-C and SIGTERM while a cohort is graded: the first is heeded in order, the second at once."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from types import FrameType

    from typing_extensions import Self

_HEARD = (signal.SIGINT, signal.SIGTERM)
_STOPPING = b"\nverify: stopping: what is being graded is kept; Ctrl-C again ends at once\n"


class Interrupts:
    """Notes the first signal in place of ending the process, while it is entered.

    What a shell lets its background jobs ignore stays ignored.
    """

    def __init__(self) -> None:
        self._number = 0
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Self:
        for number in _HEARD:
            if signal.getsignal(number) is not signal.SIG_IGN:
                self._before[number] = signal.signal(number, self._heard)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def stopping(self) -> bool:
        """Tell whether a signal has come."""
        return bool(self._number)

    @property
    def exit_code(self) -> int:
        """Return what a process ends with that the signal has ended: 130 or 143."""
        return 128 + self._number

    def _heard(self, number: int, frame: FrameType | None) -> None:  # noqa: ARG002  # as the system calls it
        if self._number:
            with suppress(OSError):
                os.write(2, b"\ninterrupted\n")
            os._exit(128 + number)  # the workers end with us
        self._number = number
        if os.isatty(2):  # somebody waits for an answer, behind the bar
            with suppress(OSError):
                os.write(2, _STOPPING)
