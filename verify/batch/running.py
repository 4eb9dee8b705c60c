"""Grades what a gradebook has pending: puts planner, executor, engine and progress together."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from verify.batch.bounds import BOUNDS, Bounds
from verify.batch.engine import Engine
from verify.batch.executors.choice import executor_for
from verify.batch.kernel import grade_batch
from verify.batch.planning import Pace, Planner
from verify.batch.progress import Progress, Tally
from verify.batch.recovery import Task

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from verify.batch.executors.base import Executor
    from verify.batch.work import Graded, Job
    from verify.gradebook.book import Book
    from verify.gradebook.records import Pending
    from verify.gradebook.values import ExerciseInfo
    from verify.sources.base import Source


class Orders(NamedTuple):
    """How a run is carried out; nothing of it changes a result.

    `jobs` is 1 for this very process, None for a worker a usable processor; `scheduler` is the
    address of a cluster in place of them. Without `resume` nothing that is known counts. `bounds`
    are what grading one submission may take.
    """

    latest: bool = True
    resume: bool = True
    jobs: int | None = None
    scheduler: str | None = None
    quiet: bool = False
    bounds: Bounds = BOUNDS


def chosen(orders: Orders, total: int) -> Executor:
    """Return the executor that the orders ask for, for so many submissions."""
    return executor_for(
        grade_batch,
        jobs=orders.jobs,
        scheduler=orders.scheduler,
        total=total,
        bounds=orders.bounds,
    )


class Running:
    """One run over a book's pending submissions, `total` at most, by an executor in use."""

    def __init__(
        self,
        book: Book,
        job: Job,
        infos: Sequence[ExerciseInfo],
        executor: Executor,
        *,
        total: int,
        stopping: Callable[[], bool],
    ) -> None:
        self.tally = Tally()
        self._book = book
        self._executor = executor
        self._total = total
        checks = tuple(len(info.checks) for info in infos)
        self._task = Task(job, checks, self._keep, stopping)

    def grade(self, sources: Iterable[Source], orders: Orders) -> None:
        """Grade; what came of it is in the tally, however it ends.

        Raises:
            Unfit: there are no workers for it (any more); what was graded has been kept.
            RulesDiffer: a worker has other rules; what was graded has been kept.
        """
        executor = self._executor
        self._pace = Pace(total=self._total, workers=executor.workers, most=executor.batch_size)
        self._progress = Progress(self._total, quiet=orders.quiet)
        planner = Planner(_payloads(sources), lambda: self._pace.size)
        pending = self._book.pending(latest=orders.latest)
        try:
            Engine(self._task, executor).run(
                planner.batches(pending if orders.resume else _unknown(pending))
            )
        finally:
            self._progress.finish(self.tally)

    def _keep(self, results: Sequence[Graded]) -> None:
        self._book.record(results)
        self._pace.note(len(results))
        self.tally.add(results)
        self._progress.update(self.tally.submissions, self.tally)


def _payloads(sources: Iterable[Source]) -> Callable[[Pending], Any]:
    """Return what asks the right source for the payload of a submission."""
    by_place: Mapping[tuple[str, str], Source] = {(s.kind, s.container): s for s in sources}
    return lambda one: by_place[one.kind, one.container].payload(one.inner)


def _unknown(pending: Iterable[Pending]) -> Iterator[Pending]:
    """Yield submissions as if nothing were known of them."""
    for one in pending:
        yield one._replace(known=())
