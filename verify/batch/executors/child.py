"""A worker process as the grader sees it: it is handed batches, watched, ended and replaced."""

from __future__ import annotations

import mmap
import sys
import time
from collections import deque
from multiprocessing import get_context
from typing import TYPE_CHECKING, Any

from verify.batch.bounds import Stopped, died, too_slow
from verify.batch.executors.wire_answers import packed_fault
from verify.batch.executors.worker import LEAVING, serve
from verify.batch.heartbeat import Stillness, place_of

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

    from verify.batch.bounds import Bounds
    from verify.batch.executors.base import Grade
    from verify.batch.heartbeat import Slot
    from verify.batch.work import Job

FORK, SPAWN = "fork", "spawn"
# A forked worker has all that was imported before. Elsewhere than on Linux, libraries of the system
# do not survive a fork. A process that forks has no other thread of ours.
START = FORK if sys.platform == "linux" else SPAWN
_BEGINNING = 60.0  # seconds to start, to open a container, to send results: no submission's fault
_ENDING = 5.0  # seconds in which the system ends a process that was killed


class Child:
    """One worker process. It may be handed a second batch while it grades the first.

    Raises:
        OSError: the system starts no process.
    """

    def __init__(self, grade: Grade, job: Job, bounds: Bounds, method: str = START) -> None:
        context: Any = get_context(method)  # the kinds of context have no common type
        shared = _shared(context, method)
        self._slot: Slot = memoryview(shared).cast("B").cast("q")
        self._still = Stillness(self._slot)
        self._bounds = bounds
        self._slacks: deque[float] = deque()  # of the batches that are not answered
        self._answered = 0
        self.is_over = False
        self.inbox: Connection
        self.inbox, theirs = context.Pipe()
        target = (theirs, shared, grade, job, bounds)
        self._process = context.Process(target=serve, args=target, daemon=True)
        try:
            self._process.start()
        except BaseException:
            self.inbox.close()
            raise
        finally:
            theirs.close()

    @property
    def is_new(self) -> bool:
        """Tell whether it was never handed anything."""
        return not self._answered and not self._slacks

    def hand(self, packed: bytes, slack: float) -> None:
        """Hand over a batch, each of whose submissions may take so many seconds more."""
        if not self._slacks:
            self._still.begin()
        self._slacks.append(slack)
        try:
            self.inbox.send_bytes(packed)
        except OSError:
            return  # it has died: `answer` or `look` tells, as of any other death

    def answer(self) -> bytes:
        """Return the answer to the oldest batch: call it where one is there, or an end is."""
        try:
            told = self.inbox.recv_bytes()
        except (EOFError, OSError):
            return self._ended()
        self._answered += 1
        self._slacks.popleft()
        self._still.begin()
        if told[:1] == LEAVING:
            self.end()
        return told[1:]

    def look(self) -> bytes | None:
        """Return why there will be no answer to the oldest batch, None where there may be one."""
        if not self._slacks:
            return None
        if not self._process.is_alive() and not self.inbox.poll():
            return self._ended()
        seconds = self._still.seconds(time.monotonic())
        at = self._place()
        most = _BEGINNING if at is None else self._bounds.seconds
        if seconds <= most + max(self._slacks):
            return None
        self.end()
        return packed_fault(too_slow(self._bounds, at=at) if at is not None else _stuck())

    def end(self) -> None:
        """End the process at once."""
        if not self.is_over:
            self.is_over = True
            self._process.kill()
            self._process.join(_ENDING)
            self.inbox.close()

    def _ended(self) -> bytes:
        """Return the answer of a process that has died."""
        self._process.join(_ENDING)  # it says so before the system knows
        code = self._process.exitcode
        at = self._place()
        self.end()
        return packed_fault(died(code, at=at))

    def _place(self) -> int | None:
        """Return the place in the oldest batch that it is at."""
        return place_of(self._slot[0], self._answered + 1)


def _stuck() -> Stopped:
    reason = f"nothing came of its batch for {_BEGINNING:g} s"
    return Stopped(reason, "Is the machine in order? The next run tries it again.")


def _shared(context: Any, method: str) -> Any:
    """Return a number's memory that the process shares."""
    return mmap.mmap(-1, 8) if method == FORK else context.RawArray("q", 1)
