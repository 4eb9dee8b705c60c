"""What a run shows: how far it is, by tqdm, and at its end a table and what has no score."""

from __future__ import annotations

import io
import sys
import threading
import time
from typing import TYPE_CHECKING, Any

from tabulate import tabulate

from pipeline.terminal.display import visible
from pipeline.terminal.streams import tell
from verify.model import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from verify.batch.kernel import Graded
    from verify.gradebook.reading import Cohort, Counts
    from verify.gradebook.records import Mark

_EVERY = 5.0  # seconds between two lines
_DELAY = 0.5  # seconds without a bar
# shorter than a terminal's line: ^C, which a terminal writes behind it, must not break the line
_BAR = "{desc}{percentage:3.0f}%|{bar:20}| {n:,} of {total:,} [{remaining} left{postfix}]"
_LINE = "{desc}{n:,} of {total:,} ({percentage:.0f}%), {rate_fmt}, {remaining} left{postfix}"
_MOST = 20  # lines of one kind: a gradebook and its exports have them all
_MISSING = "missing"
_COUNTED = (Outcome.PASS, Outcome.FAIL, Outcome.UNRESOLVED, Outcome.ERROR, Outcome.MISSING)
_CRASHES = 20  # of which the traceback is kept for the log: more say the same


class Tally:
    """How many submissions were graded, by the worst outcome of their exercises.

    `unchanged` are those that were not graded again; `crashes` the tracebacks of the first errors.
    """

    def __init__(self) -> None:
        self.submissions = 0
        self.passed = 0
        self.failed = 0
        self.unresolved = 0
        self.errors = 0
        self.unchanged = 0
        self.crashes: list[str] = []

    def add(self, results: Sequence[Graded]) -> None:
        """Count what came of a batch."""
        self.submissions += len(results)
        for _, marks in results:
            outcomes = {mark.outcome for mark in marks if mark is not None}
            if "error" in outcomes:
                self.errors += 1
                self.crashes += [c for mark in marks if mark is not None for c in mark.crashes]
                del self.crashes[_CRASHES:]
            elif "unresolved" in outcomes:
                self.unresolved += 1
            elif "fail" in outcomes:
                self.failed += 1
            elif outcomes:
                self.passed += 1
            else:
                self.unchanged += 1

    def __str__(self) -> str:
        """Return the counts in words, without those that are 0.

        The number that passed is there where anything was graded.
        """
        graded = not self.unchanged or self.submissions > self.unchanged
        words = [f"{self.passed:,} passed" if graded else ""]
        words += [f"{self.failed:,} failed" if self.failed else ""]
        words += [f"{self.unresolved:,} unresolved" if self.unresolved else ""]
        words += [f"{self.errors:,} error{'s' * (self.errors != 1)}" if self.errors else ""]
        words += [f"{self.unchanged:,} unchanged" if self.unchanged else ""]
        return ", ".join(filter(None, words))


class Progress:
    """How far a run or an export is, on stderr.

    It is a bar on a terminal, a line every few seconds elsewhere, and nothing where it is quiet or
    tqdm is not installed.
    """

    def __init__(self, total: int, *, quiet: bool = False) -> None:
        self._total = total
        self._quiet = quiet
        self._begun = time.monotonic()
        self._bar = None if quiet else _bar(total)

    def begin(self, what: str) -> None:
        """Begin to count from zero; `what` is shown before the numbers."""
        self.close()
        self._bar = None if self._quiet else _bar(self._total, f"{what}: ")

    def update(self, done: int, counts: object = "") -> None:
        """Show how many are done, if it is time to; the text of `counts` is shown behind it."""
        if self._bar is not None:
            self._bar.set_postfix_str(str(counts), refresh=False)
            self._bar.update(done - self._bar.n)

    def clear(self) -> None:
        """Remove the bar, so that another line can be written."""
        if self._bar is not None:
            self._bar.clear()

    def close(self) -> None:
        """Take the bar away."""
        if self._bar is not None:
            self._bar.close()

    def finish(self, tally: Tally) -> None:
        """Take the bar away, and say how many submissions a run graded, and how fast."""
        self.close()
        if not self._quiet:
            seconds = max(time.monotonic() - self._begun, 1e-3)
            rate = tally.submissions / seconds
            done = f"{tally.submissions:,} of {self._total:,} submissions in {seconds:,.1f} s"
            tell(f"verify: {done}, {rate:,.0f} a second: {tally}")


class _Lines(io.StringIO):
    """Writes as lines of our own what tqdm draws over and over."""

    def write(self, text: str) -> int:
        """Write a line, if there is any text."""
        if text.strip():
            tell(f"verify: {text.strip()}")
        return len(text)


def _bar(total: int, what: str = "") -> Any:
    """Return a bar, without tqdm's thread and lock between processes: we fork workers."""
    try:
        from tqdm import tqdm
    except ImportError:  # the extra is not installed
        return None
    tqdm.monitor_interval = 0
    tqdm.set_lock(threading.RLock())
    if sys.stderr.isatty():
        settings: dict[str, Any] = {"file": sys.stderr, "bar_format": _BAR, "delay": _DELAY}
    else:
        settings = {"file": _Lines(), "bar_format": _LINE, "delay": _EVERY, "mininterval": _EVERY}
    return tqdm(desc=what, total=total, dynamic_ncols=True, leave=False, **settings)


def table(counts: Counts, points: Sequence[int], *, rostered: bool, attempts: bool) -> str:
    """Return the table: a row an exercise. With a roster it has who is missing.

    `points` are the most that each exercise is worth; the mean is of what was graded.
    """
    who = "attempts" if attempts else "learners"
    headers = ["exercise", who, "passed", "failed", "unresolved", "error", _MISSING, "mean"]
    rows = [
        [
            one.exercise,
            f"{counts.standings:,}",
            *(f"{one.outcomes[outcome]:,}" for outcome in _COUNTED),
            "-" if one.mean is None else f"{one.mean:.2f}/{most}",
        ]
        for one, most in zip(counts.exercises, points, strict=True)
    ]
    if not rostered:
        at = headers.index(_MISSING)
        for row in (headers, *rows):
            row.pop(at)
    rule = ["-" * max(map(len, column)) for column in zip(headers, *rows, strict=True)]
    grid = tabulate(  # tabulate pads its own headers: the table has 80 columns at most
        [headers, rule, *rows],
        tablefmt="plain",
        disable_numparse=True,
        colalign=("left", *["right"] * (len(headers) - 1)),
    )
    return grid + "\n"


def error_lines(cohort: Cohort) -> Iterator[str]:
    """Yield a line for each result that is an error: whose, of which exercise, why, the step."""
    count = left_out = 0
    for standing in cohort.standings():
        for what, why, step in dict.fromkeys(map(_why, standing.marks)):
            if not what:
                continue
            if count == _MOST:
                left_out += 1
                continue
            count += 1
            who = visible(f"{standing.learner.key} {standing.attempt}".strip())
            then = f". {visible(step, 300)}" if step else ""
            yield f"{who}, {what}: {visible(why, 600)}{then}"
    if left_out:
        yield f"and {left_out:,} more: an export such as --csv lists them all"


def _why(mark: Mark) -> tuple[str, str, str]:
    """Return what has no score for now, why, and what to do; empty texts for any other mark."""
    if mark.outcome is not Outcome.ERROR:
        return "", "", ""
    findings = [finding for check in mark.results for finding in check.findings]
    if not findings:
        return mark.exercise.name, "not graded", ""
    return mark.exercise.name, findings[0].message, findings[0].action
