"""Tells people how far an export is: a bar on a terminal, else a line now and then."""

from __future__ import annotations

import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol

from pipeline.streams import tell

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from verify.gradebook.reading import Cohort
    from verify.gradebook.values import ExerciseInfo, Standing

_FORMAT = "{desc} {percentage:3.0f}%|{bar}| {n_fmt} of {total_fmt}"
_EVERY = 5.0  # seconds between two lines
_DELAY = 0.5  # seconds of which nobody needs a bar
_STEP = 100  # standings: less often, nobody waits for; more often, the clock costs


class Shown(Protocol):
    """Shows how far an export is."""

    def begin(self, name: str) -> None:
        """Show that an export begins, or goes over the cohort once more."""

    def update(self, done: int) -> None:
        """Show how many learners it has written, if it is time to."""

    def clear(self) -> None:
        """Make room for a line of somebody else's."""

    def close(self) -> None:
        """Show nothing any more."""


class Silent:
    """Shows nothing."""

    def begin(self, name: str) -> None:
        """Show nothing."""

    def update(self, done: int) -> None:
        """Show nothing."""

    def clear(self) -> None:
        """Show nothing."""

    def close(self) -> None:
        """Show nothing."""


SILENT: Shown = Silent()


class Lines:
    """A line every few seconds, of exports that take so long."""

    def __init__(
        self,
        total: int,
        clock: Callable[[], float] = time.monotonic,
        say: Callable[[str], None] = tell,
    ) -> None:
        self._total = total
        self._clock = clock
        self._say = say
        self._name = ""
        self._last = clock()

    def begin(self, name: str) -> None:
        """Begin an export."""
        self._name = name

    def update(self, done: int) -> None:
        """Say a line where the last one is some seconds old."""
        now = self._clock()
        if now - self._last >= _EVERY:
            self._last = now
            self._say(f"verify: writing --{self._name}: {done:,} of {self._total:,}")

    def clear(self) -> None:
        """Do nothing: a line is in nobody's way."""

    def close(self) -> None:
        """Say nothing: what was written is told elsewhere."""


class Bar:
    """A bar, begun anew for each export."""

    def __init__(self, total: int) -> None:
        from verify.batch.progress_bar import bar_of

        self._bar: Any = bar_of(total, _FORMAT, delay=_DELAY)

    def begin(self, name: str) -> None:
        """Begin an export."""
        self._bar.n = self._bar.last_print_n = 0
        self._bar.set_description_str(f"writing --{name}", refresh=False)

    def update(self, done: int) -> None:
        """Draw the bar; tqdm leaves out what nobody could see."""
        self._bar.update(done - self._bar.n)

    def clear(self) -> None:
        """Take the bar away until it is drawn again."""
        self._bar.clear()

    def close(self) -> None:
        """Take the bar away."""
        self._bar.close()


@contextmanager
def shown(total: int, *, quiet: bool) -> Iterator[Shown]:
    """Show how far exports are, until they are done."""
    progress = SILENT if quiet else _fitting(total)
    try:
        yield progress
    finally:
        progress.close()


def _fitting(total: int) -> Shown:
    """Return what fits stderr: a bar on a terminal where tqdm is installed, else lines."""
    if sys.stderr.isatty():
        try:
            return Bar(total)
        except ImportError:  # the extra is not installed: lines tell the same
            return Lines(total)
    return Lines(total)


class Told:
    """A cohort that tells how far somebody has read it."""

    def __init__(self, cohort: Cohort, name: str, progress: Shown) -> None:
        self._cohort = cohort
        self._name = name
        self._progress = progress

    @property
    def exercises(self) -> tuple[ExerciseInfo, ...]:
        """Return the exercises of the cohort."""
        return self._cohort.exercises

    @property
    def has_roster(self) -> bool:
        """Tell whether there is a roster."""
        return self._cohort.has_roster

    def standings(self) -> Iterator[Standing]:
        """Yield the standings of the cohort."""
        self._progress.begin(self._name)
        for number, standing in enumerate(self._cohort.standings(), 1):
            yield standing
            if number % _STEP == 0:
                self._progress.update(number)
