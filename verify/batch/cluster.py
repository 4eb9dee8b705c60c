"""Carries tasks out on a Dask cluster, whose workers start a process with limits for each chunk."""

from __future__ import annotations

import logging
import re
import warnings
from concurrent.futures import FIRST_COMPLETED, CancelledError, wait
from contextlib import AbstractContextManager, ExitStack
from functools import partial
from typing import TYPE_CHECKING, Any

from pipeline.terminal.display import visible
from verify.child.limits import CannotContinue, Failed, Limits, died
from verify.child.workers import SERVED, Chunk, Done, Grading, begin

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from concurrent.futures import Future

    from verify.child.workers import Running

_ADDRESS = re.compile(r"(?:(?:tcp|tls|ws|wss)://)?[^\s/]+:[0-9]{1,5}/?")
_EXPECTED = "expected an address such as tcp://10.0.0.5:8786"
_CONNECTING = 10  # seconds in which a scheduler must answer
_RETURNING = 60  # seconds in which a cluster without workers must get one
_WINDOW = 2  # chunks for each thread: none waits for the next
_DAEMONIC = (
    "the cluster's workers cannot start processes: start the workers"
    " with DASK_DISTRIBUTED__WORKER__DAEMON=False in the environment, or with --no-nanny"
)


class Cluster(AbstractContextManager["Cluster"]):
    """The workers of a scheduler at an address such as `tcp://10.0.0.5:8786`.

    Raises `CannotContinue`: the extra is not installed, no scheduler answers, or its workers are of
    no use.
    """

    def __init__(self, address: str) -> None:
        self._place = visible(address)
        with ExitStack() as stack:
            self._client = stack.enter_context(_connected(address))
            self._workers = _WINDOW * self._threads()  # more may come, and take part
            stack.pop_all()
        self._executor = self._client.get_executor(pure=False)

    def __exit__(self, *_: object) -> None:
        """Give back what is under way, and leave; the cluster stays as it is."""
        self._executor.shutdown(wait=False)
        self._client.close()

    def _threads(self) -> int:
        """Return how many threads the workers have; each of them may start processes."""
        threads: int = sum(self._client.nthreads().values())
        if not threads:
            start = f"start one with: dask worker {self._place} --no-nanny"
            raise CannotContinue(f"the cluster at {self._place} has no workers ({start})")
        try:
            self._client.run(in_child, bool, Limits(), Chunk([]))
        except Exception as error:  # noqa: BLE001  # whatever a worker raises
            raise _meant(error) from None
        return threads

    def run(
        self, call: Callable[[Any, bool], Any], tasks: Iterable[Any], *, limits: Limits, **more: Any
    ) -> Iterator[list[tuple[Any, Any | Failed]]]:
        """Yield tasks with what `call` returns for them; see `workers.run`."""
        submit = partial(self._submit, call, limits)
        yield from Grading(submit, self._ready, self._workers, tasks, **more)

    def _ready(self, futures: Iterable[Future[Done]], seconds: float) -> Iterable[Future[Done]]:
        done = wait(futures, seconds, FIRST_COMPLETED).done
        if not done:
            self._look()
        return done

    def _submit(self, call: Callable[[Any, bool], Any], limits: Limits, chunk: Chunk) -> Running:
        self._look()
        future = self._executor.submit(in_child, call, limits, chunk)
        return future, partial(_outcome, future, limits)

    def _look(self) -> None:
        """Wait for a worker where there is none."""
        from distributed import TimeoutError as NoWorker

        if self._client.status != "running":
            raise CannotContinue(f"the scheduler at {self._place} no longer answers")
        try:
            self._client.wait_for_workers(1, timeout=_RETURNING)
        except NoWorker:
            raise CannotContinue(f"the cluster at {self._place} has lost all its workers") from None


def _outcome(future: Future[Done], limits: Limits) -> Done:
    from distributed import KilledWorker

    try:
        return future.result()
    except KilledWorker:  # the Dask worker itself, several times
        return Done([], died(None, limits))
    except (Exception, CancelledError) as error:  # noqa: BLE001  # whatever a worker raises
        raise _meant(error) from None


def _meant(error: BaseException) -> BaseException:
    """Return what an exception means: a worker without our code can grade nothing."""
    text = f"{type(error).__name__}: {error} {error.__cause__ or ''}"
    if "daemonic processes" in text:
        return CannotContinue(_DAEMONIC)
    if isinstance(error, ImportError) or "deserializ" in text:
        install = "install the same commit of the course wherever Dask runs"
        return CannotContinue(
            f"a worker or the scheduler does not have the course's code: {install}"
        )
    return error


def _connected(address: str) -> Any:
    """Return a client of the scheduler; the library writes nothing: we say it, in one line."""
    if not _ADDRESS.fullmatch(address):  # the library would look for a host of that name
        raise CannotContinue(f"{visible(address)} is not the address of a scheduler: {_EXPECTED}")
    try:
        import distributed
    except ImportError:
        install = "run python3 start.py cluster, or pip install '.[cluster]'"
        raise CannotContinue(f"--scheduler needs Dask, which is not installed: {install}") from None
    logging.getLogger("distributed").setLevel(logging.CRITICAL + 1)
    client: Any = distributed.Client  # the library has no types
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return client(address, timeout=_CONNECTING, set_as_default=False)
    except (OSError, ValueError) as error:
        reason = f"no scheduler answers at {visible(address)} ({type(error).__name__})"
        raise CannotContinue(f"{reason}: start one, or check the address") from None


def in_child(call: Callable[[Any, bool], Any], limits: Limits, chunk: Chunk) -> Done:
    """Return what came of a chunk, in a worker of Dask, by a process that may die without harm."""
    _, outcome = begin(call, limits, chunk, SERVED)
    return outcome()
