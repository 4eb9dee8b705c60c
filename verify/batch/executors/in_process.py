"""Grades in this very process: no other is started, and whoever dies takes the command along."""

from __future__ import annotations

from concurrent.futures import Future
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from typing_extensions import Self

    from verify.batch.executors.base import Grade, Journal
    from verify.batch.work import Batch, Graded, Job


class InProcess:
    """One worker: ourselves. The journal says what is in flight, for a run after our death."""

    workers = 1
    window = 1
    batch_size = 250

    def __init__(self, grade: Grade, journal: Journal) -> None:
        self._grade = grade
        self._journal = journal

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """End in good order: nothing is in flight any more."""
        self._journal.landed()

    def submit(self, job: Job, batch: Batch) -> Future[tuple[Graded, ...]]:
        """Grade a batch here and now."""
        future: Future[tuple[Graded, ...]] = Future()
        self._journal.flight([item.id for item in batch.items])
        try:
            future.set_result(self._grade(job, batch))
        except (Exception, SystemExit) as error:  # noqa: BLE001  # as in a worker: it is the result
            future.set_exception(error)
        return future

    def lost(self, error: BaseException) -> bool:  # noqa: ARG002  # part of the interface
        """Tell that no worker was lost: nobody would be left to ask."""
        return False

    def rebuild(self) -> None:
        """Do nothing: nothing breaks that leaves us here."""

    def suspects(self) -> Mapping[int, int]:
        """Return what the journal has of processes that died."""
        return self._journal.suspects()

    def check(self) -> None:
        """Do nothing: we are here."""
