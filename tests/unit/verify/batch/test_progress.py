"""What a run tells of itself: counts, rate, time left."""

from __future__ import annotations

import io
import re
import sys
from typing import TYPE_CHECKING

from verify.batch.kernel import Graded
from verify.batch.progress import Progress, Tally
from verify.gradebook.records import Record

if TYPE_CHECKING:
    import pytest

PASS = Record("pass", 1, "p", "[]", b"")
FAIL = Record("fail", 0, "f", "[]", b"")
ERROR = Record("error", None, "e", "[]", b"", (), "Traceback")


class Terminal(io.StringIO):
    """A terminal that keeps what is written to it."""

    def isatty(self) -> bool:
        return True


def terminal_by(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """Return a terminal in the place of stderr."""
    made = Terminal()
    monkeypatch.setattr(sys, "stderr", made)
    monkeypatch.setattr("tqdm.std._screen_shape_wrapper", lambda: lambda _: (120, 24))
    monkeypatch.setattr("verify.batch.progress._DELAY", 0)
    return made


def test_a_submission_counts_by_its_worst_outcome() -> None:
    tally = Tally()
    tally.add([Graded(1, (PASS, PASS)), Graded(2, (PASS, FAIL)), Graded(3, (None, PASS))])
    tally.add([Graded(4, (None, None)), *(Graded(number, (FAIL, ERROR)) for number in range(30))])

    assert (tally.submissions, tally.passed, tally.failed) == (34, 2, 1)
    assert (tally.errors, tally.unchanged, tally.crashes) == (30, 1, ["Traceback"] * 20)
    assert str(tally) == "2 passed, 1 failed, 30 errors, 1 unchanged"


def test_that_nobody_passed_is_not_told_where_nothing_was_graded() -> None:
    told = []
    for results in ([], [Graded(1, (None,))], [Graded(1, (None,)), Graded(2, (FAIL,))]):
        tally = Tally()
        tally.add(results)
        told.append(str(tally))

    assert told == ["0 passed", "1 unchanged", "0 passed, 1 failed, 1 unchanged"]


def test_a_line_is_said_every_five_seconds_and_one_at_the_end(
    capsys: pytest.CaptureFixture[str],
) -> None:
    now = [100.0]
    progress = Progress(10_000, clock=lambda: now[0])
    tally = Tally()
    for _ in range(12):
        now[0] += 1.0
        tally.add([Graded(number, (PASS,)) for number in range(500)])
        progress.update(tally.submissions, tally)
    progress.finish(tally)

    assert capsys.readouterr().err.splitlines() == [
        "verify: 2,500 of 10,000 (25%), 500 a second, 0:00:15 left: 2,500 passed",
        "verify: 5,000 of 10,000 (50%), 500 a second, 0:00:10 left: 5,000 passed",
        "verify: 6,000 of 10,000 submissions in 12.0 s, 500 a second: 6,000 passed",
    ]


def test_what_is_begun_anew_is_named_and_counts_from_zero(
    capsys: pytest.CaptureFixture[str],
) -> None:
    now = [0.0]
    progress = Progress(300, clock=lambda: now[0])
    for name in ("csv", "html"):
        now[0] += 60.0
        progress.begin(f"writing --{name}")
        now[0] += 5.0
        progress.update(100)
    progress.clear()
    progress.close()

    assert capsys.readouterr().err.splitlines() == [
        "verify: writing --csv: 100 of 300 (33%), 20 a second, 0:00:10 left",
        "verify: writing --html: 100 of 300 (33%), 20 a second, 0:00:10 left",
    ]


def test_a_terminal_has_a_bar_and_a_line_in_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = terminal_by(monkeypatch)
    progress = Progress(2)
    tally = Tally()
    progress.begin("writing --csv")
    tally.add([Graded(1, (PASS,))])
    assert progress._bar is not None  # noqa: SLF001  # not to wait for the clock
    progress._bar.mininterval = 0  # noqa: SLF001  # as above
    progress.update(1, tally)
    drawn = terminal.getvalue()
    progress.finish(tally)

    assert re.search(
        r"writing --csv:  50%\|.{20}\| 1 of 2 \[.* left, .*, 1 passed\]", drawn.rpartition("\r")[2]
    )
    assert re.fullmatch(
        r"verify: 1 of 2 submissions in [0-9.]+ s, [0-9,]+ a second: 1 passed\n",
        terminal.getvalue().rpartition("\r")[2],
    )


def test_without_tqdm_a_terminal_has_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = terminal_by(monkeypatch)
    monkeypatch.setitem(sys.modules, "tqdm", None)
    now = [0.0]
    progress = Progress(2, clock=lambda: now[0])
    now[0] = 5.0
    progress.update(1)

    assert terminal.getvalue() == "verify: 1 of 2 (50%), 0 a second, 0:00:05 left\n"
