"""Grades on a Dask cluster: the scheduler replaces a lost worker and gives its batch to others."""

from __future__ import annotations

import logging
import re
import time
import warnings
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from pipeline.display import visible
from verify.batch.executors.base import Unfit
from verify.batch.executors.wire import (
    packed_batch,
    packed_results,
    unpacked,
    unpacked_batch,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from concurrent.futures import Executor, Future

    from typing_extensions import Self

    from verify.batch.executors.base import Grade
    from verify.batch.work import Batch, Graded, Job

_ADDRESS = re.compile(r"(?:(?:tcp|tls|ws|wss)://)?[^\s/]+:[0-9]{1,5}/?")
_CONNECTING = 10  # seconds in which a scheduler must answer
_RESTARTING = 20  # seconds that lost workers get to come back before the others go on
_SETTLING = 0.2  # seconds between two looks
_RETURNING = 60  # seconds in which a cluster without workers must get one


class Cluster:
    """The workers of a scheduler at an address such as `tcp://10.0.0.5:8786`.

    Raises (when it is entered):
        Unfit: the extra is not installed, nobody answers, or there are no workers.
    """

    batch_size = 2_000

    def __init__(self, grade: Grade, address: str) -> None:
        self.workers = 1
        self.window = 3
        self._grade = grade
        self._address = address
        self._client: Any = None
        self._executor: Executor | None = None
        self._deserted: float | None = None  # since when there have been no workers

    def __enter__(self) -> Self:
        with _quiet():
            self._client = _connected(self._address)
        try:
            self._count()
        except Unfit:
            self._client.close()
            raise
        self._executor = self._client.get_executor(pure=False)
        return self

    def __exit__(self, *_: object) -> None:
        """Give back what is under way, and leave; the cluster stays as it is."""
        if self._executor is not None:
            self._executor.shutdown(wait=False)
        self._client.close()

    def _count(self) -> None:
        """Count the workers' threads: more may come, and take part without a larger window."""
        threads = sum(self._client.nthreads().values())
        if not threads:
            told = f"the cluster at {visible(self._address)} has no workers"
            raise Unfit(f"{told}: start some with: dask worker {visible(self._address)}")
        self.workers = threads
        self.window = 3 * threads

    def submit(self, job: Job, batch: Batch) -> Future[tuple[Graded, ...]]:
        """Hand a batch to the scheduler."""
        if self._executor is None or self._client.status != "running":
            raise Unfit(f"the scheduler at {visible(self._address)} has gone")
        packed = self._executor.submit(_graded, self._grade, job, packed_batch(batch))
        return unpacked(packed, self._meant)

    def _meant(self, error: BaseException) -> BaseException:
        """Return what an exception means: a worker without our code grades nobody."""
        told = f"{type(error).__name__}: {error} {error.__cause__ or ''}"
        if isinstance(error, ImportError) or "deserializ" in told:
            install = "install the same commit of the course wherever Dask runs"
            return Unfit(f"a worker or the scheduler lacks the course's code: {install}")
        return error

    def lost(self, error: BaseException) -> bool:
        """Tell whether all workers that tried the batch were lost."""
        from distributed import KilledWorker

        return isinstance(error, KilledWorker)

    def rebuild(self) -> None:
        """Let the cluster start workers anew, for some seconds at most.

        A worker that dies again before its nanny has seen it start is given up by the nanny
        (distributed 2026.8): nothing is sent until all have.
        """
        until = time.monotonic() + _RESTARTING
        while not self._is_whole() and time.monotonic() < until:
            time.sleep(_SETTLING)
        self.workers = sum(self._client.nthreads().values()) or 1  # those are not awaited again

    def _is_whole(self) -> bool:
        if sum(self._client.nthreads().values()) < self.workers:
            return False
        try:
            return all(self._client.run(_has_started, nanny=True).values())
        except Exception:  # noqa: BLE001  # workers without nannies, which nobody starts anew
            return True

    def suspects(self) -> Mapping[int, int]:
        """Suspect nobody: a death of a worker is heard of at once."""
        return {}

    def check(self) -> None:
        """Look whether the scheduler and a worker are still there.

        Raises:
            Unfit: the scheduler has gone, or for a minute there has been no worker.
        """
        if self._client.status != "running":
            raise Unfit(f"the scheduler at {visible(self._address)} has gone")
        now = time.monotonic()
        if self._client.nthreads():
            self._deserted = None
        elif self._deserted is None:
            self._deserted = now
        elif now - self._deserted > _RETURNING:
            raise Unfit(f"the cluster at {visible(self._address)} has lost all its workers")


def _connected(address: str) -> Any:
    if not _ADDRESS.fullmatch(address):  # the library would look for a host of that name
        expected = "expected an address such as tcp://10.0.0.5:8786"
        raise Unfit(f"{visible(address)} is no address of a scheduler: {expected}")
    try:
        from distributed import Client
    except ImportError:
        install = "python3 start.py cluster, or pip install '.[cluster]'"
        raise Unfit(f"--scheduler needs Dask, which is not installed: {install}") from None
    try:
        client: Any = Client  # the library has no types
        return client(address, timeout=_CONNECTING, set_as_default=False)
    except (OSError, ValueError) as error:
        reason = f"no scheduler answers at {visible(address)} ({type(error).__name__})"
        raise Unfit(f"{reason}: expected an address such as tcp://10.0.0.5:8786") from None


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep the library from writing to the terminal: what matters is said by us, in one line."""
    logging.getLogger("distributed").setLevel(logging.CRITICAL + 1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def _graded(grade: Grade, job: Job, packed: bytes) -> bytes:
    return packed_results(grade(job, unpacked_batch(packed)))


def _has_started(dask_worker: Any) -> bool:
    """Tell whether a nanny's worker runs; the parameter's name is what Dask fills in."""
    return bool(dask_worker.status.name == "running")
