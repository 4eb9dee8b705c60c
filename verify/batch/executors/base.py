"""The interface of executors: who carries batches out, here, in other processes or elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from concurrent.futures import Future

    from typing_extensions import Self

    from verify.batch.work import Batch, Graded, Job

    Grade = Callable[[Job, Batch], tuple[Graded, ...]]


class Unfit(Exception):
    """The workers cannot do this job, or there are none; the message is one line."""


class Executor(Protocol):
    """Carries batches out. Results come as they are ready, in any order.

    `workers` is how many batches are carried out at a time, `batch_size` the most submissions of
    one, `window` how many may be under way: enough that no worker waits for the next.
    """

    workers: int
    batch_size: int
    window: int

    def __enter__(self) -> Self: ...

    def __exit__(self, *_: object) -> None: ...

    def submit(self, job: Job, batch: Batch) -> Future[tuple[Graded, ...]]:
        """Hand a batch over.

        Raises:
            Unfit: no worker takes it, and none will.
            Exception: one that `lost` knows: a worker was lost just now, and nothing handed over.
        """

    def lost(self, error: BaseException) -> bool:
        """Tell whether an exception means that the worker was lost, not that grading raised."""

    def rebuild(self) -> None:
        """Make good what the loss of a worker has broken."""

    def suspects(self) -> Mapping[int, int]:
        """Return whom the grading process was at when it died, and how often with nobody else."""

    def check(self) -> None:
        """Look after the workers; called while there is nothing to do but to wait.

        Raises:
            Unfit: nobody is left, and nobody is coming.
        """


class Journal(Protocol):
    """Notes what the grading process grades itself, for a run after its death: a `Book` does."""

    def flight(self, ids: Sequence[int]) -> None:
        """Note, before it is graded, what is in flight from now on."""

    def landed(self) -> None:
        """Note that nothing is in flight any more."""

    def suspects(self) -> Mapping[int, int]:
        """Return what never landed, by a process that died: the id, and how often it was alone."""
