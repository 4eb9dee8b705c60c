"""Carries tasks out on a Dask cluster: beside each thread of its workers, by processes of ours."""

from __future__ import annotations

import logging
import multiprocessing
import re
import secrets
import threading
import time
import warnings
from concurrent.futures import CancelledError, wait
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from pipeline.display import visible
from verify.batch.chunks import Chunk, Grading
from verify.batch.limits import Failed, Unfit, died
from verify.batch.workers import LocalPool

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from concurrent.futures import Future

    from typing_extensions import Self

    from verify.batch.limits import Limits

T = TypeVar("T")
R = TypeVar("R")

_ADDRESS = re.compile(r"(?:(?:tcp|tls|ws|wss)://)?[^\s/]+:[0-9]{1,5}/?")
_CONNECTING = 10  # seconds in which a scheduler must answer
_RETURNING = 60  # seconds in which a cluster without workers must get one
_LOOK = 1.0  # seconds between two looks at a worker's own processes
_DAEMONIC = (
    "the cluster's workers may not start processes: start them with"
    " DASK_DISTRIBUTED__WORKER__DAEMON=False in the environment, or with --no-nanny"
)


class Order(NamedTuple):
    """What is the same for all chunks of a run; `run` is a name that no other run has."""

    run: str
    call: Callable[[Any, bool], Any]
    limits: Limits


class Cluster:
    """The workers of a scheduler at an address such as `tcp://10.0.0.5:8786`.

    Raises (when it is entered):
        Unfit: the extra is not installed, no scheduler answers, or its workers are of no use.
    """

    most = 2_000

    def __init__(self, address: str) -> None:
        self.workers = 1
        self._address = address
        self._name = secrets.token_hex(8)
        self._client: Any = None
        self._executor: Any = None
        self._order: Order | None = None
        self._deserted: float | None = None  # since when there have been no workers

    def __enter__(self) -> Self:
        with _quiet():
            self._client = _connected(self._address)
        try:
            self._look_at_workers()
        except BaseException:
            self._client.close()
            raise
        self._executor = self._client.get_executor(pure=False)
        return self

    def __exit__(self, *_: object) -> None:
        """Give back what is under way, and leave; the cluster stays as it is."""
        self._executor.shutdown(wait=False)
        with suppress(Exception):  # if the scheduler has gone, its workers go as well
            self._client.run(end_pools, self._name)
        self._client.close()

    def run(
        self,
        call: Callable[[T, bool], R],
        tasks: Iterable[T],
        *,
        limits: Limits,
        expected: int,
        stopping: Callable[[], bool],
    ) -> Iterator[list[tuple[T, R | Failed]]]:
        """Yield tasks with what `call` returns for them; see `workers.run`."""
        self._order = Order(self._name, call, limits)
        yield from Grading(self, tasks, expected, stopping).results()

    def _look_at_workers(self) -> None:
        """Count the workers' threads: more may come, and take part without a larger window."""
        self.workers = sum(self._client.nthreads().values())
        address = visible(self._address)
        if not self.workers:
            text = f"the cluster at {address} has no workers"
            raise Unfit(f"{text}: start some with: dask worker {address} --no-nanny")
        try:
            daemonic = self._client.run(is_daemonic)
        except Exception as error:  # noqa: BLE001  # whatever a worker raises
            raise _meant(error) from None
        if any(daemonic.values()):
            raise Unfit(_DAEMONIC)

    def submit(self, chunk: Chunk) -> Future[Any]:
        """Give a chunk to the scheduler."""
        self._check()
        future: Future[Any] = self._executor.submit(carried_out_beside, self._order, chunk)
        return future

    def outcome(self, future: Future[Any]) -> list[Any] | Failed | None:
        """Return the results of a chunk, None if another worker has to try."""
        from distributed import KilledWorker

        try:
            outcome: list[Any] | Failed | None = future.result()
        except KilledWorker:  # the Dask worker itself, several times
            return died(None, self._order.limits)  # type: ignore[union-attr]  # of a run
        except (Exception, CancelledError) as error:  # noqa: BLE001  # whatever a worker raises
            raise _meant(error) from None
        return outcome

    def look(self, under_way: Iterable[Future[Any]], silence: float) -> None:  # noqa: ARG002  # as any pool's
        """Look whether any worker is there."""
        self._check()
        now = time.monotonic()
        if self._client.nthreads():
            self._deserted = None
        elif self._deserted is None:
            self._deserted = now
        elif now - self._deserted > _RETURNING:
            raise Unfit(f"the cluster at {visible(self._address)} has lost all its workers")

    def _check(self) -> None:
        if self._client.status != "running":
            raise Unfit(f"the scheduler at {visible(self._address)} has gone")


def _meant(error: BaseException) -> BaseException:
    """Return what an exception means: a worker without our code can grade nothing."""
    text = f"{type(error).__name__}: {error} {error.__cause__ or ''}"
    if isinstance(error, ImportError) or "deserializ" in text:
        install = "install the same commit of the course wherever Dask runs"
        return Unfit(f"a worker or the scheduler lacks the course's code: {install}")
    return error


def _connected(address: str) -> Any:
    expected = "expected an address such as tcp://10.0.0.5:8786"
    if not _ADDRESS.fullmatch(address):  # the library would look for a host of that name
        raise Unfit(f"{visible(address)} is not an address of a scheduler: {expected}")
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
        raise Unfit(f"{reason}: {expected}") from None


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep the library from writing to the terminal: what matters is said by us, in one line."""
    logging.getLogger("distributed").setLevel(logging.CRITICAL + 1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


# What follows runs in the workers of Dask.

_pools: dict[tuple[str, int], LocalPool] = {}  # by the run and the thread that they work for


def is_daemonic() -> bool:
    """Tell whether this process may start none."""
    return multiprocessing.current_process().daemon


def carried_out_beside(order: Order, chunk: Chunk) -> list[Any] | Failed | None:
    """Return what came of a chunk, of a process that may die without harm to this one."""
    key = order.run, threading.get_ident()
    if key not in _pools:
        if is_daemonic():  # one that came later
            raise Unfit(_DAEMONIC)
        _pools[key] = LocalPool(order.call, order.limits, 1, "spawn").__enter__()
    pool = _pools[key]
    future = pool.submit(chunk)
    begun = time.monotonic()
    while not wait([future], _LOOK).done:
        pool.look([future], time.monotonic() - begun)
    return pool.outcome(future)


def end_pools(run: str) -> None:
    """End the processes of this worker that work for a run: it is over."""
    for key in [key for key in _pools if key[0] == run]:
        _pools.pop(key).__exit__()
