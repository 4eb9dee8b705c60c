"""What a worker answers to a batch, as bytes: its results, or why there are none."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING

from verify.batch.bounds import Stopped
from verify.batch.executors.base import Unfit
from verify.batch.executors.wire import packed_results, unpacked_results
from verify.batch.rules import RulesDiffer

if TYPE_CHECKING:
    from collections.abc import Sequence
    from concurrent.futures import Future

    from verify.batch.work import Graded

_PROTOCOL = 5
_RESULTS, _STOPPED, _RULES, _UNFIT = b"+", b"-", b"r", b"u"


def packed_graded(results: Sequence[Graded]) -> bytes:
    """Return the answer that has results."""
    return _RESULTS + packed_results(results)


def packed_fault(fault: Stopped | RulesDiffer | Unfit) -> bytes:
    """Return the answer that says why there are no results."""
    if isinstance(fault, Stopped):
        told = (fault.reason, fault.step, fault.at, fault.crash, fault.is_source)
        return _STOPPED + pickle.dumps(told, _PROTOCOL)
    kind = _RULES if isinstance(fault, RulesDiffer) else _UNFIT
    return kind + str(fault).encode("utf-8", "backslashreplace")


def settle(future: Future[tuple[Graded, ...]], answer: bytes) -> None:
    """Give a future what an answer says; the answer is always one of our own processes'."""
    kind, body = answer[:1], answer[1:]
    if kind == _RESULTS:
        future.set_result(unpacked_results(body))
    elif kind == _STOPPED:
        reason, step, at, crash, is_source = pickle.loads(body)  # noqa: S301  # our own bytes
        future.set_exception(Stopped(reason, step, at=at, crash=crash, is_source=is_source))
    else:
        fault = RulesDiffer if kind == _RULES else Unfit
        future.set_exception(fault(body.decode()))
