"""Ends the grading of a submission that takes too long, in the process that grades it."""

from __future__ import annotations

import signal
import threading
import time
from typing import TYPE_CHECKING, Any

from verify.batch.heartbeat import Stillness, place_of

if TYPE_CHECKING:
    from types import FrameType

    from typing_extensions import Self

    from verify.batch.heartbeat import Slot

_LOOKS = 8  # within the time that a submission may take


class TimeUp(BaseException):
    """A submission took too long: no check takes it for a failure of its own."""


class Alarm:
    """Raises `TimeUp` where a slot tells the same submission for too long, while it is entered.

    It looks now and then, by a timer of the system: a submission costs nothing. Code that swallows
    the exception gets another one with the next look; compiled code is ended where it returns to
    Python, or looks for signals as `re` does.
    """

    def __init__(self, slot: Slot, seconds: float) -> None:
        self._slot = slot
        self._seconds = seconds
        self._still = Stillness(slot)
        self._before: Any = None

    def __enter__(self) -> Self:
        self._before = signal.signal(signal.SIGALRM, self._look)
        every = self._seconds / _LOOKS
        signal.setitimer(signal.ITIMER_REAL, every, every)
        return self

    def __exit__(self, *_: object) -> None:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, self._before or signal.SIG_DFL)

    def _look(self, number: int, frame: FrameType | None) -> None:  # noqa: ARG002  # as the system calls it
        if self.is_due():
            raise TimeUp

    def is_due(self) -> bool:
        """Tell whether a submission takes too long."""
        seconds = self._still.seconds(time.monotonic())
        return seconds >= self._seconds and place_of(self._slot[0], 0) is not None


class Watcher(Alarm):
    """The same by a thread, where there is no such timer; it ends what runs in Python only."""

    def __enter__(self) -> Self:
        self._over = threading.Event()
        self._watched = threading.get_ident()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()
        _raise_in(self._watched, None)  # one that was on its way

    def _watch(self) -> None:
        while not self._over.wait(self._seconds / _LOOKS):
            if self.is_due():
                _raise_in(self._watched, TimeUp)


def _raise_in(thread: int, what: type[BaseException] | None) -> None:
    """Raise an exception in a thread as soon as it runs Python code; None takes it back."""
    import ctypes  # here only: it takes a while to import

    raised = None if what is None else ctypes.py_object(what)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), raised)


def alarm_for(slot: Slot, seconds: float) -> Alarm:
    """Return what ends a submission here: the system's timer, where it has one for this thread."""
    main = threading.current_thread() is threading.main_thread()
    timed = main and hasattr(signal, "setitimer")
    return (Alarm if timed else Watcher)(slot, seconds)
