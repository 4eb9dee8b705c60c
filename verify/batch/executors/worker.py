"""What a worker process does: bounded, it grades batch after batch; it leaves when it has grown."""

from __future__ import annotations

import os
import signal
from multiprocessing import parent_process
from typing import TYPE_CHECKING

from verify.batch.bounds import Stopped
from verify.batch.confinement import confine, peak
from verify.batch.executors.attended import attended
from verify.batch.executors.base import Unfit
from verify.batch.executors.wire import unpacked_batch
from verify.batch.executors.wire_answers import packed_fault, packed_graded
from verify.batch.rules import RulesDiffer

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

    from typing_extensions import Buffer

    from verify.batch.bounds import Bounds
    from verify.batch.executors.base import Grade
    from verify.batch.heartbeat import Slot
    from verify.batch.work import Job

_GRACE = 120  # seconds more than all submissions of a batch may take, for its transport
_SHARE = 2  # of the memory that a submission may need: a worker that keeps so much is replaced
LEAVING, STAYING = b"<", b">"


def serve(inbox: Connection, shared: Buffer, grade: Grade, job: Job, bounds: Bounds) -> None:
    """Answer the batches that come, until nobody is left who sends any, or the memory has grown."""
    _begin()
    slot = memoryview(shared).cast("B").cast("q")
    confine(bounds.megabytes)
    most = peak() + (bounds.megabytes << 20) // _SHARE
    number = 0
    while True:
        try:
            packed = inbox.recv_bytes()
        except (EOFError, OSError):
            return
        number += 1
        answer = _answered(packed, slot, grade, job, bounds, number)
        leaving = peak() > most
        inbox.send_bytes((LEAVING if leaving else STAYING) + answer)
        if leaving:
            return


def _answered(
    packed: bytes,
    slot: Slot,
    grade: Grade,
    job: Job,
    bounds: Bounds,
    number: int,
) -> bytes:
    try:
        batch = unpacked_batch(packed)
        most = bounds.seconds + bounds.slack(batch.kind)
        _end_after(_GRACE + most * len(batch.items))
        return packed_graded(attended(grade, job, batch, bounds, slot, number))
    except (Stopped, RulesDiffer, Unfit) as fault:
        return packed_fault(fault)


def _end_after(seconds: float) -> None:
    """End the process then, whatever it does: the grader that would have ended it may be gone."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, seconds)


def _begin() -> None:
    """Make a process a worker: silent, deaf to the terminal, and gone when the grader is."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the terminal sends it to all: the grader answers
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # not as the grader does, who forked us
    if hasattr(signal, "SIGALRM"):
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)
    os.close(nowhere)
    _end_with_parent()


def _end_with_parent() -> None:
    """End when the grader ends, killed too: an orphan would hold its locks, and wait for ever."""
    from multiprocessing.connection import wait
    from threading import Thread

    parent = parent_process()
    if parent is not None:

        def follow() -> None:
            wait([parent.sentinel])
            os._exit(1)

        Thread(target=follow, daemon=True).start()
