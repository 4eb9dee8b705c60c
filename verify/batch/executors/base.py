"""The interface of executors: who carries batches out, here, in other processes or elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Future

    from typing_extensions import Self

    from verify.batch.bounds import Bounds
    from verify.batch.work import Batch, Graded, Job

    Grade = Callable[[Job, Batch], tuple[Graded, ...]]


class Unfit(Exception):
    """The workers cannot do this job, or there are none; the message is one line."""


class Executor(Protocol):
    """Carries batches out. Results come as they are ready, in any order.

    `workers` is how many batches are carried out at a time, `batch_size` the most submissions of
    one, `window` how many may be under way: enough that no worker waits for the next. `bounds` hold
    for each submission.
    """

    workers: int
    batch_size: int
    window: int
    bounds: Bounds

    def __enter__(self) -> Self: ...

    def __exit__(self, *_: object) -> None: ...

    def submit(self, job: Job, batch: Batch, *, alone: bool = False) -> Future[tuple[Graded, ...]]:
        """Hand a batch over; `alone`: to a process that has graded nothing else, and will not.

        Its future raises `Stopped` where it came to no end, `RulesDiffer` where a worker has other
        rules, `Unfit` as this does.

        Raises:
            Unfit: no worker takes it, and none will.
        """

    def wait(self, seconds: float) -> None:
        """Wait until a future is done, so long at most, and look after the workers.

        Raises:
            Unfit: nobody is left, and nobody is coming.
        """
