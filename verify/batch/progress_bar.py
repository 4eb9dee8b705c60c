"""The bar on a terminal: how far, how fast, how much longer, and how many passed."""

from __future__ import annotations

import sys
import threading
from typing import TYPE_CHECKING, Any

from tqdm import tqdm

from verify.batch.progress import Lines

if TYPE_CHECKING:
    from verify.batch.progress import Tally

_FORMAT = "{percentage:3.0f}%|{bar}| {n_fmt} of {total_fmt} [{remaining} left, {rate_fmt}{postfix}]"
_ROOM = 3  # columns behind the bar: a terminal writes ^C there, which would break the line


class _Narrow(tqdm):  # type: ignore[type-arg]  # it goes over nothing
    """A bar that leaves room behind it."""

    @property
    def format_dict(self) -> dict[str, Any]:
        """Return what the bar is drawn from."""
        told: dict[str, Any] = dict(super().format_dict)
        if told["ncols"]:
            told["ncols"] = max(told["ncols"] - _ROOM, 1)
        return told


def bar_of(total: int, form: str, *, delay: float = 0) -> tqdm[Any]:
    """Return a bar of tqdm's, without its thread and its lock between processes: we fork workers.

    It is drawn after so many seconds, and vanishes when it is closed.
    """
    tqdm.monitor_interval = 0
    tqdm.set_lock(threading.RLock())
    return _Narrow(
        total=total,
        file=sys.stderr,
        dynamic_ncols=True,
        leave=False,
        unit="",
        bar_format=form,
        delay=delay,
    )


class Bar:
    """The bar of a run of grading."""

    def __init__(self, total: int) -> None:
        self._lines = Lines(total)
        self._bar = bar_of(total, _FORMAT)

    def update(self, tally: Tally) -> None:
        """Draw the bar; tqdm leaves out what nobody could see."""
        self._bar.set_postfix_str(str(tally), refresh=False)
        self._bar.update(tally.submissions - self._bar.n)

    def close(self, tally: Tally) -> None:
        """Put a line in the place of the bar."""
        self._bar.close()
        self._lines.close(tally)
