"""Grades a batch so that whatever comes of it names the submission that it came of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipeline.display import visible
from verify.batch.bounds import raised, too_big, unopened
from verify.batch.executors.base import Unfit
from verify.batch.heartbeat import noted, place_of
from verify.batch.rules import RulesDiffer
from verify.sources.base import UnusableSource

if TYPE_CHECKING:
    from verify.batch.bounds import Bounds, Stopped
    from verify.batch.executors.base import Grade
    from verify.batch.heartbeat import Slot
    from verify.batch.work import Batch, Graded, Job


def attended(
    grade: Grade,
    job: Job,
    batch: Batch,
    bounds: Bounds,
    slot: Slot,
    number: int = 0,
) -> tuple[Graded, ...]:
    """Grade a batch, the `number`th of this process; its places are noted in `slot`.

    Raises:
        Stopped: it came to no end; which submission it was at is in there.
        RulesDiffer, Unfit: as `grade` does.
    """
    items = noted(batch.items, slot, number)
    try:
        return grade(job, batch._replace(items=items))
    except (RulesDiffer, Unfit):
        raise
    except (Exception, SystemExit) as error:  # noqa: BLE001  # as in a worker: it is the result
        stopped = _stopped(error, batch, bounds, place_of(slot[0], number))
    raise stopped


def _stopped(error: BaseException, batch: Batch, bounds: Bounds, at: int | None) -> Stopped:
    import traceback  # a fault is rare, a start is not

    if at is None and isinstance(error, UnusableSource):
        return unopened(str(error))
    if at is None and isinstance(error, OSError):
        told = f"{visible(batch.container, 300)} cannot be read any more"
        return unopened(f"{told} ({(error.strerror or type(error).__name__).lower()})")
    if isinstance(error, MemoryError):
        return too_big(bounds, at=at)
    told = visible(f"{type(error).__name__}: {error}".removesuffix(": "), 300)
    return raised(told, "".join(traceback.format_exception(error)), at=at)
