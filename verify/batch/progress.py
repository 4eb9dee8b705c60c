"""Counts what a run has graded and tells people how far it is: a bar, or a line now and then."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Protocol

from pipeline.streams import tell

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from verify.batch.work import Graded

_EVERY = 5.0  # seconds between two lines
_CRASHES = 20  # of which the traceback is kept for the log: more say the same


class Tally:
    """How many submissions were graded, by the worst outcome of their exercises.

    `unchanged` are those that were not graded again; `crashes` the tracebacks of the first errors.
    """

    def __init__(self) -> None:
        self.submissions = 0
        self.passed = 0
        self.failed = 0
        self.errors = 0
        self.unchanged = 0
        self.crashes: list[str] = []

    def add(self, results: Sequence[Graded]) -> None:
        """Count what came of a batch."""
        self.submissions += len(results)
        for _, records in results:
            outcomes = {record.outcome for record in records if record is not None}
            if "error" in outcomes:
                self.errors += 1
                self.crashes += [r.crash for r in records if r is not None and r.crash]
                del self.crashes[_CRASHES:]
            elif "fail" in outcomes:
                self.failed += 1
            elif outcomes:
                self.passed += 1
            else:
                self.unchanged += 1

    def __str__(self) -> str:
        """Return the counts in words; what there is none of is left out.

        That none passed is told where something was graded.
        """
        graded = not self.unchanged or self.submissions > self.unchanged
        words = [f"{self.passed:,} passed" if graded else ""]
        words += [f"{self.failed:,} failed" if self.failed else ""]
        words += [f"{self.errors:,} error{'s' * (self.errors != 1)}" if self.errors else ""]
        words += [f"{self.unchanged:,} unchanged" if self.unchanged else ""]
        return ", ".join(filter(None, words))


class Progress(Protocol):
    """Is told after each batch, and once at the end."""

    def update(self, tally: Tally) -> None:
        """Show how far it is, if it is time to."""

    def close(self, tally: Tally) -> None:
        """Show how it ended."""


class Silent:
    """Shows nothing."""

    def update(self, tally: Tally) -> None:
        """Show nothing."""

    def close(self, tally: Tally) -> None:
        """Show nothing."""


class Lines:
    """A line on stderr every few seconds, and one at the end: for logs."""

    def __init__(
        self,
        total: int,
        clock: Callable[[], float] = time.monotonic,
        say: Callable[[str], None] = tell,
    ) -> None:
        self._total = total
        self._clock = clock
        self._say = say
        self._begun = self._last = clock()

    def update(self, tally: Tally) -> None:
        """Say a line where the last one is some seconds old."""
        now = self._clock()
        if now - self._last < _EVERY or tally.submissions >= self._total:
            return
        self._last = now
        rate = tally.submissions / max(now - self._begun, 1e-3)
        left = f", {_period((self._total - tally.submissions) / rate)} left" if rate else ""
        share = 100 * tally.submissions // max(self._total, 1)
        told = f"{tally.submissions:,} of {self._total:,} ({share}%), {rate:,.0f} a second{left}"
        self._say(f"verify: {told}: {tally}")

    def close(self, tally: Tally) -> None:
        """Say what was done, and how fast."""
        seconds = max(self._clock() - self._begun, 1e-3)
        rate = tally.submissions / seconds
        told = f"{tally.submissions:,} of {self._total:,} submissions"
        self._say(f"verify: {told} in {_period(seconds)}, {rate:,.0f} a second: {tally}")


def progress_of(total: int, *, quiet: bool) -> Progress:
    """Return what fits stderr: a bar on a terminal where tqdm is installed, else lines."""
    if quiet:
        return Silent()
    if sys.stderr.isatty():
        try:
            from verify.batch.progress_bar import Bar
        except ImportError:  # the extra is not installed: lines tell the same
            return Lines(total)
        return Bar(total)
    return Lines(total)


def _period(seconds: float) -> str:
    if seconds < 10:  # noqa: PLR2004  # below it a tenth is worth showing
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 60:  # noqa: PLR2004  # seconds of a minute
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    if minutes < 60:  # noqa: PLR2004  # minutes of an hour
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"
