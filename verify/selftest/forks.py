"""Proves exercises on all processors: each in a fork, which has the course that cannot be sent."""

from __future__ import annotations

import multiprocessing
import os
import sys
import threading
from multiprocessing.connection import wait
from multiprocessing.pool import ExceptionWithTraceback  # type: ignore[attr-defined]  # not in typeshed
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from multiprocessing.connection import Connection

T = TypeVar("T")


def on_all_processors(calls: Mapping[str, Callable[[], T]]) -> list[T]:
    """Return what calls return, in their order; each has a name for the message if it breaks.

    Where a fork is not safe, beside other threads, they are made one after the other.

    Raises:
        RuntimeError: the process of a call has ended without a result.
        Exception: as a call did.
    """
    if sys.platform != "linux" or threading.active_count() > 1:
        return [call() for call in calls.values()]
    context: Any = multiprocessing.get_context("fork")
    left = iter(calls.items())
    under_way: dict[Any, tuple[str, Any]] = {}  # by what becomes ready
    found: dict[str, T] = {}
    while len(found) < len(calls):
        while len(under_way) < (os.cpu_count() or 1) and (following := next(left, None)):
            name, call = following
            answer, there = context.Pipe(duplex=False)
            process = context.Process(target=_answer, args=(there, call), daemon=True)
            process.start()
            there.close()
            under_way[answer] = name, process
        for answer in wait([*under_way]):
            name, process = under_way.pop(answer)
            found[name] = _received(name, answer, process)
    return [found[name] for name in calls]


def _answer(there: Connection, call: Callable[[], T]) -> None:
    """Send what a call returns or raises, in a fork."""
    try:
        there.send((call(), None))
    except Exception as error:  # noqa: BLE001  # whoever waits for the result raises it
        there.send((None, ExceptionWithTraceback(error, error.__traceback__)))


def _received(name: str, answer: Any, process: Any) -> Any:
    with answer:
        try:
            result, error = answer.recv()
        except EOFError:
            process.join()
            why = f"the process that proves {name} ended with exit code {process.exitcode}"
            raise RuntimeError(why) from None
    process.join()
    if error is not None:
        raise error
    return result
