"""Grades on a Dask cluster: the scheduler replaces a lost worker and gives its batch to others."""

from __future__ import annotations

import logging
import re
import secrets
import time
import warnings
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, wait
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from pipeline.display import visible
from verify.batch.bounds import BOUNDS, died
from verify.batch.executors.base import Unfit
from verify.batch.executors.elsewhere import Order, end_children, graded_beside
from verify.batch.executors.wire import packed_batch
from verify.batch.executors.wire_answers import settle

if TYPE_CHECKING:
    from collections.abc import Iterator
    from concurrent.futures import Executor

    from typing_extensions import Self

    from verify.batch.bounds import Bounds
    from verify.batch.executors.base import Grade
    from verify.batch.work import Batch, Graded, Job

_ADDRESS = re.compile(r"(?:(?:tcp|tls|ws|wss)://)?[^\s/]+:[0-9]{1,5}/?")
_CONNECTING = 10  # seconds in which a scheduler must answer
_RETURNING = 60  # seconds in which a cluster without workers must get one


class Cluster:
    """The workers of a scheduler at an address such as `tcp://10.0.0.5:8786`.

    Raises (when it is entered):
        Unfit: the extra is not installed, nobody answers, or there are no workers.
    """

    batch_size = 2_000

    def __init__(self, grade: Grade, address: str, bounds: Bounds = BOUNDS) -> None:
        self.workers = 1
        self.window = 3
        self.bounds = bounds
        self._grade = grade
        self._address = address
        self._run = secrets.token_hex(8)
        self._client: Any = None
        self._executor: Executor | None = None
        self._under_way: set[Future[bytes]] = set()
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
        with suppress(Exception):  # where the scheduler has gone, its workers go as well
            self._client.run(end_children, self._run)
        self._client.close()

    def _count(self) -> None:
        """Count the workers' threads: more may come, and take part without a larger window."""
        threads = sum(self._client.nthreads().values())
        if not threads:
            told = f"the cluster at {visible(self._address)} has no workers"
            raise Unfit(f"{told}: start some with: dask worker {visible(self._address)}")
        self.workers = threads
        self.window = 3 * threads

    def submit(self, job: Job, batch: Batch, *, alone: bool = False) -> Future[tuple[Graded, ...]]:
        """Hand a batch to the scheduler."""
        if self._executor is None or self._client.status != "running":
            raise Unfit(f"the scheduler at {visible(self._address)} has gone")
        packed = packed_batch(batch)
        slack = self.bounds.slack(batch.kind)
        order = Order(self._run, self._grade, job, self.bounds)
        answer = self._executor.submit(graded_beside, order, packed, slack, alone=alone)
        self._under_way.add(answer)
        future: Future[tuple[Graded, ...]] = Future()

        def come(done: Future[bytes]) -> None:
            self._under_way.discard(done)
            try:
                settle(future, done.result())
            except (Exception, CancelledError) as error:  # noqa: BLE001  # for who asks
                future.set_exception(self._meant(error))

        answer.add_done_callback(come)
        return future

    def _meant(self, error: BaseException) -> BaseException:
        """Return what an exception means: a worker without our code grades nobody."""
        from distributed import KilledWorker

        if isinstance(error, KilledWorker):  # not its child only: several workers, one by one
            return died(None)
        told = f"{type(error).__name__}: {error} {error.__cause__ or ''}"
        if isinstance(error, ImportError) or "deserializ" in told:
            install = "install the same commit of the course wherever Dask runs"
            return Unfit(f"a worker or the scheduler lacks the course's code: {install}")
        return error

    def wait(self, seconds: float) -> None:
        """Wait for an answer, so long at most, and look whether anybody is there to give one.

        Raises:
            Unfit: the scheduler has gone, or for a minute there has been no worker.
        """
        if not wait(tuple(self._under_way), seconds, FIRST_COMPLETED).done:
            self._check()

    def _check(self) -> None:
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
