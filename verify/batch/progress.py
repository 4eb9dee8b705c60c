"""What a run shows: how far it is, and at its end a table and the results that are errors."""

from __future__ import annotations

import sys
import threading
import time
from collections import Counter
from functools import partial
from typing import TYPE_CHECKING, Any

from tabulate import tabulate

from pipeline.terminal.display import aligned, visible, width_of
from pipeline.terminal.streams import tell
from verify.grading.model import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from verify.batch.job import Graded
    from verify.gradebook.reading import Cohort, Counts

_DELAY = 0.5  # seconds without a bar
# shorter than a terminal's line: ^C, which a terminal writes behind it, must not break the line
_BAR = "{percentage:3.0f}%|{bar:20}| {n:,} of {total:,} [{remaining} left{postfix}]"
_COLUMNS = {
    Outcome.PASS: "passed",
    Outcome.FAIL: "failed",
    Outcome.UNRESOLVED: "unresolved",
    Outcome.ERROR: "error",
    Outcome.MISSING: "missing",
    Outcome.EXCUSED: "excused",
}
_IF_ANY = (Outcome.EXCUSED,)  # columns that are only there if they count something
_IF_WIDE = (*_IF_ANY, Outcome.UNRESOLVED, Outcome.ERROR, Outcome.MISSING)
UNCHANGED = "unchanged"
# outcomes of a submission, the worst first, and how many are in words
_WORDS = {"error": "with an error", "unresolved": "unresolved", "fail": "failed", "pass": "passed"}
_MOST = 20  # errors that are listed: an export has them all
_CRASHES = 20  # of which the traceback is kept for the log: more say the same


class Progress:
    """How many submissions a run has graded, by the worst outcome of their exercises.

    On a terminal, it is shown behind a progress bar, unless it is `quiet` or tqdm is not
    installed. `crashes` are the tracebacks of the first errors.
    """

    def __init__(self, total: int, *, quiet: bool = False) -> None:
        self.counts = Counter[str]()
        self.crashes: list[str] = []
        self._total = total
        self._quiet = quiet
        self._begun = time.monotonic()
        self._bar = None if quiet or not sys.stderr.isatty() else _bar(total)

    def add(self, results: Sequence[Graded]) -> None:
        """Count the results of a batch, and show the counts."""
        for _, marks in results:
            outcomes = {mark.outcome.value for mark in marks if mark is not None}
            worst = next((outcome for outcome in _WORDS if outcome in outcomes), UNCHANGED)
            self.counts[worst] += 1
            if worst == "error" and len(self.crashes) < _CRASHES:
                self.crashes += [c for mark in marks if mark is not None for c in mark.crashes]
        if self._bar is not None:
            self._bar.set_postfix_str(str(self), refresh=False)
            self._bar.update(len(results))

    def finish(self) -> None:
        """Remove the bar, and report how many submissions were graded, and how fast."""
        if self._bar is not None:
            self._bar.close()
        if not self._quiet:
            seconds = max(time.monotonic() - self._begun, 1e-3)
            number = self.counts.total()
            done = f"{number:,} of {self._total:,} submissions in {seconds:,.1f} s"
            tell(f"verify: {done}, {number / seconds:,.0f} a second: {self}")

    def __str__(self) -> str:
        """Return the counts in words."""
        words = [*reversed(_WORDS.items()), (UNCHANGED, UNCHANGED)]
        counts = [
            f"{self.counts[outcome]:,} {word}" for outcome, word in words if self.counts[outcome]
        ]
        return ", ".join(counts) or "none graded"


def _bar(total: int) -> Any:
    """Return a bar without tqdm's thread and lock: workers are forked from this process."""
    try:
        from tqdm import tqdm
    except ImportError:  # the extra is not installed
        return None
    tqdm.monitor_interval = 0
    tqdm.set_lock(threading.RLock())
    settings: dict[str, Any] = {"bar_format": _BAR, "delay": _DELAY, "dynamic_ncols": True}
    return tqdm(total=total, file=sys.stderr, leave=False, **settings)


def table(
    counts: Counts, points: Sequence[int], *, rostered: bool, attempts: bool, of: str = "exercise"
) -> str:
    """Return the table, with a row for each exercise; only with a roster can a learner be missing.

    `points` is what each exercise is worth; the mean is of the scores that there are. `of` is what
    a row is about: of a term, an assignment.
    """
    columns = [outcome for outcome in _COLUMNS if rostered or outcome is not Outcome.MISSING]
    found = {outcome for count in counts.exercises for outcome in count.outcomes}
    # one column more than usual is wider than a terminal: then others that count nothing go
    left_out = _IF_WIDE if found.intersection(_IF_ANY) else _IF_ANY
    columns = [outcome for outcome in columns if outcome in found or outcome not in left_out]
    who = "attempts" if attempts else "learners"
    headers = [of, who, *(_COLUMNS[outcome] for outcome in columns), "mean"]
    rows = [
        [
            count.exercise,
            f"{counts.standings:,}",
            *(f"{count.outcomes[outcome]:,}" for outcome in columns),
            "-" if count.mean is None else f"{count.mean:.2f}/{most}",
        ]
        for count, most in zip(counts.exercises, points, strict=True)
    ]
    rule = ["-" * max(map(width_of, column)) for column in zip(headers, *rows, strict=True)]
    lay_out = partial(  # tabulate pads its own headers: the table has 80 columns at most
        tabulate,
        tablefmt="plain",
        disable_numparse=True,
        colalign=("left", *["right"] * (len(headers) - 1)),
    )
    return aligned([headers, rule, *rows], lay_out) + "\n"


def error_lines(cohort: Cohort, errors: int) -> Iterator[str]:
    """Yield a line for each result that is an error, at most 20: whose, why, and what to do."""
    left = _MOST
    for standing in cohort.standings():
        who = visible(f"{standing.learner.key} {standing.attempt}".strip())
        for mark in standing.marks:
            if mark.outcome is not Outcome.ERROR:
                continue
            if not left:
                yield f"and {errors - _MOST:,} more: an export such as --csv lists them all"
                return
            left -= 1
            why = f"{mark.why.message}. {mark.why.action}".removesuffix(". ")
            yield f"{who}, {mark.exercise.name}: {visible(why, 900)}"
