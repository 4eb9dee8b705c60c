"""One run over submissions: the workers that carry it out, and how it is interrupted."""

from __future__ import annotations

import os
import signal
from contextlib import contextmanager, suppress
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from pipeline.terminal.fault import Fault
from verify.batch.job import Graded, grade_submission, prepared, unresolved
from verify.batch.progress import Progress
from verify.child import workers
from verify.child.limits import CannotContinue, Failed, Interrupted, Limits
from verify.gradebook.records import ungraded
from verify.grading.model import Finding
from verify.intake.opening import stamp_for

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from types import FrameType

    from verify.batch.job import Job
    from verify.gradebook.records import Pending
    from verify.intake.collection import Stamp

_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_STOPPING = b"\nverify: stopping; press Ctrl-C again to stop at once\n"
_WORTH = 8  # submissions that a worker gets at least, because starting one takes a while


class GradingRun(NamedTuple):
    """A job that workers carry out on submissions, each with the limits."""

    job: Job
    limits: Limits  #: of each submission
    jobs: int | None  #: processes, None for one per processor
    scheduler: str | None  #: the address of a Dask cluster, None without one
    quiet: bool  #: no progress is shown
    interrupted: Callable[[], int]  #: that of `interrupts`

    def carry_out(
        self,
        pending: Iterable[Pending],
        total: int,
        take: Callable[[list[Graded]], object],
        stamps: Mapping[tuple[str, str], Stamp] = MappingProxyType({}),
    ) -> Progress:
        """Grade submissions, and hand what comes of them to `take`, several at a time.

        `stamps` are those of the collections when they were listed, by kind and container; of
        any other collection it is what it is now.

        Raises:
            Fault: the cluster cannot be used.
            StopRun: grading cannot go on.
            Interrupted: a signal came, and the submissions in progress are done.
        """
        known = dict(stamps)

        def task(pending: Pending) -> tuple[Pending, Stamp]:
            place = (pending.kind, pending.container)
            if place not in known:
                known[place] = stamp_for(*place)
            return pending, known[place]

        with self._engine(total) as engine:
            tally = Progress(total, quiet=self.quiet)
            try:
                for pairs in engine(
                    partial(grade_submission, self.job),
                    map(task, pending),
                    limits=self.limits,
                    expected=total,
                    stopping=lambda: bool(self.interrupted()),
                ):
                    results = [self._graded(pending.id, result) for (pending, _), result in pairs]
                    take(results)
                    tally.add(results)
            finally:
                tally.finish()
        if code := self.interrupted():
            raise Interrupted(f"{tally.counts.total():,} of {total:,} are graded", code)
        return tally

    @contextmanager
    def _engine(self, total: int) -> Iterator[Callable[..., Iterator[list[tuple[Any, Any]]]]]:
        """Yield what carries tasks out as `workers.run` does, here or elsewhere."""
        if self.scheduler is None:
            count = usable_processors() if self.jobs is None else self.jobs
            worth = 1 if self.job.run else _WORTH
            yield partial(workers.run, workers=max(1, min(count, -(-total // worth))))
            return
        from verify.batch.cluster import Cluster  # most runs need none

        try:
            cluster = Cluster(self.scheduler)
        except CannotContinue as error:
            raise Fault(str(error)) from None
        with cluster:
            yield cluster.run

    def _graded(self, number: int, result: Graded | Failed) -> Graded:
        """Return what came of a submission: no score where it cannot be graded.

        A submission that is too large is unresolved, unless the checks are an instructor's own.
        """
        if not isinstance(result, Failed):
            return result
        why = Finding(result.reason, action=result.step)
        exercises = prepared(self.job)
        if result.is_large and not self.job.course:
            return Graded(number, unresolved(exercises, result.reason, result.step))
        return Graded(number, tuple(ungraded(e.info, why, result.crash) for e in exercises))


def usable_processors() -> int:
    """Return how many processors this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0)) or 1
    return os.cpu_count() or 1


@contextmanager
def interrupts() -> Iterator[Callable[[], int]]:
    """Note the first signal instead of ending the process; the second one ends it.

    Yield a function that returns the exit code for the signal, 130 or 143, and 0 while there is
    none. A signal that the shell has set to be ignored stays ignored.
    """
    heard: list[int] = []

    def hear(number: int, _: FrameType | None) -> None:
        if heard:
            with suppress(OSError):
                os.write(2, b"\ninterrupted\n")
            os._exit(128 + number)  # the workers end with this process
        heard.append(number)
        if os.isatty(2):  # a person waits, and sees the bar
            with suppress(OSError):
                os.write(2, _STOPPING)

    listened = [number for number in _SIGNALS if signal.getsignal(number) is not signal.SIG_IGN]
    before = [signal.signal(number, hear) for number in listened]
    try:
        yield lambda: 128 + heard[0] if heard else 0
    finally:
        for number, handler in zip(listened, before, strict=True):
            signal.signal(number, handler)
