"""The bar on a terminal: how far, how fast, how much longer, and how many passed."""

from __future__ import annotations

import sys
import threading
from typing import TYPE_CHECKING

from tqdm import tqdm

from verify.batch.progress import Lines

if TYPE_CHECKING:
    from verify.batch.progress import Tally

_FORMAT = "{percentage:3.0f}%|{bar}| {n_fmt} of {total_fmt} [{remaining} left, {rate_fmt}{postfix}]"


class Bar:
    """A bar of tqdm's, without its thread and its lock between processes: we fork workers."""

    def __init__(self, total: int) -> None:
        tqdm.monitor_interval = 0
        tqdm.set_lock(threading.RLock())
        self._lines = Lines(total)
        self._bar = tqdm(
            total=total,
            file=sys.stderr,
            dynamic_ncols=True,
            leave=False,
            unit="",
            bar_format=_FORMAT,
        )

    def update(self, tally: Tally) -> None:
        """Draw the bar; tqdm leaves out what nobody could see."""
        self._bar.set_postfix_str(str(tally), refresh=False)
        self._bar.update(tally.submissions - self._bar.n)

    def close(self, tally: Tally) -> None:
        """Put a line in the place of the bar."""
        self._bar.close()
        self._lines.close(tally)
