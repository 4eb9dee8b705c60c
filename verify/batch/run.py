"""One run over submissions: its job, the workers that carry it out, and how it is interrupted."""

from __future__ import annotations

import os
import signal
from contextlib import contextmanager, suppress
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from verify import catalog
from verify.batch import workers
from verify.batch.kernel import Graded, grade_submission, prepared, rules_of
from verify.batch.limits import Failed, Limits
from verify.gradebook.records import ungraded
from verify.intake.opening import stamp_for
from verify.model import Finding

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from types import FrameType

    from typing_extensions import Self

    from verify.batch.kernel import Job
    from verify.gradebook.records import Pending
    from verify.intake.collection import Stamp
    from verify.model import ExerciseInfo

_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_STOPPING = b"\nverify: stopping: what is being graded is kept; Ctrl-C again ends at once\n"
_WORTH = 8  # submissions that a worker should get at least: to start one takes a while


class Engine(Protocol):
    """Carries tasks out as `workers.run` does, here or elsewhere."""

    def __call__(
        self,
        call: Callable[[Any, bool], Any],
        tasks: Iterable[Any],
        *,
        limits: Limits,
        expected: int,
        stopping: Callable[[], bool],
    ) -> Iterator[list[tuple[Any, Any | Failed]]]:
        """Yield tasks with their results, or why they have none."""


@contextmanager
def engine_for(jobs: int | None, scheduler: str | None, total: int) -> Iterator[Engine]:
    """Yield the engine that runs so many submissions.

    Raises:
        Unfit: the cluster cannot be used.
    """
    if scheduler is None:
        count = usable_processors() if jobs is None else jobs
        yield partial(workers.run, workers=max(1, min(count, -(-total // _WORTH))))
        return
    from verify.batch.cluster import Cluster  # most runs need none

    with Cluster(scheduler) as cluster:
        yield cluster.run


def usable_processors() -> int:
    """Return how many processors this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0)) or 1
    return os.cpu_count() or 1


class Run(NamedTuple):
    """A job that an engine carries out on submissions, each with the limits.

    `exercises` are those of the job, with their checks. `stopping` returns whether to begin nothing
    more.
    """

    engine: Engine
    job: Job
    exercises: Sequence[ExerciseInfo]
    limits: Limits
    stopping: Callable[[], bool]

    def graded(
        self,
        pending: Iterable[Pending],
        *,
        expected: int,
        stamps: Mapping[tuple[str, str], Stamp] = MappingProxyType({}),
    ) -> Iterator[list[Graded]]:
        """Yield what came of submissions, several at a time.

        `stamps` are those of the collections when they were listed, by kind and container; of
        any other collection it is what it is now.

        Raises:
            StopRun: nothing can be graded (any more), or a worker has other rules.
        """
        known = dict(stamps)

        def task(pending: Pending) -> tuple[Pending, Stamp]:
            place = (pending.kind, pending.container)
            if place not in known:
                known[place] = stamp_for(*place)
            return pending, known[place]

        for results in self.engine(
            partial(grade_submission, self.job),
            map(task, pending),
            limits=self.limits,
            expected=expected,
            stopping=self.stopping,
        ):
            yield [
                self._error(each.id, result) if isinstance(result, Failed) else result
                for (each, _), result in results
            ]

    def _error(self, number: int, failed: Failed) -> Graded:
        """Return the marks of a submission that cannot be graded: an error, and no score."""
        why = Finding(failed.reason, action=failed.step)
        return Graded(number, tuple(ungraded(e, why, failed.crash) for e in self.exercises))


def with_rules(job: Job) -> Job:
    """Return a job with the digests that its exercises are graded under here and now."""
    return job._replace(rules=rules_of(job))


def infos_of(job: Job) -> tuple[ExerciseInfo, ...]:
    """Return a job's exercises as the gradebook keeps them.

    Raises:
        UnknownExercise: the job asks for what does not exist.
        MalformedIssue: the course is damaged.
    """
    return tuple(each.info for each in prepared(job))


def canonical(chosen: Iterable[tuple[str, str]], course: str) -> tuple[str, ...]:
    """Return the names of exercises in the order given, each once: `expert`, `4` is `expert/04`.

    Raises:
        UnknownExercise: an exercise does not exist.
    """
    return tuple(dict.fromkeys(catalog.find(*each, course).name for each in chosen))


class Interrupts:
    """Notes the first signal in place of ending the process, while it is entered.

    What a shell lets its background jobs ignore stays ignored.
    """

    def __init__(self) -> None:
        self._number = 0
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Self:
        for number in _SIGNALS:
            if signal.getsignal(number) is not signal.SIG_IGN:
                self._before[number] = signal.signal(number, self._heard)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def stopping(self) -> bool:
        """Return whether a signal has come."""
        return bool(self._number)

    @property
    def exit_code(self) -> int:
        """Return what a process ends with that the signal has ended: 130 or 143."""
        return 128 + self._number

    def _heard(self, number: int, frame: FrameType | None) -> None:  # noqa: ARG002  # as the system calls it
        if self._number:
            with suppress(OSError):
                os.write(2, b"\ninterrupted\n")
            os._exit(128 + number)  # the workers end with us
        self._number = number
        if os.isatty(2):  # a person waits, and sees the bar
            with suppress(OSError):
                os.write(2, _STOPPING)
