"""The bar of a run leaves room at the terminal's edge."""

from __future__ import annotations

import io
import re
import sys
from typing import TYPE_CHECKING

import pytest

from verify.batch.progress import Tally
from verify.batch.progress_bar import Bar, bar_of
from verify.batch.work import Graded
from verify.gradebook.records import Record

if TYPE_CHECKING:
    from collections.abc import Callable

PASS = Record("pass", 1, "p", "[]", b"")
FORM = "{percentage:3.0f}%|{bar}| {n_fmt} of {total_fmt}"


class Terminal(io.StringIO):
    """A terminal that keeps what is written to it."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], Terminal]:
    """Return a function that puts a terminal of so many columns in the place of stderr."""

    def put(columns: int) -> Terminal:
        made = Terminal()
        monkeypatch.setattr(sys, "stderr", made)
        monkeypatch.setattr("tqdm.std._screen_shape_wrapper", lambda: lambda _: (columns, 24))
        return made

    return put


@pytest.mark.parametrize("columns", [200, 80, 40])
def test_three_columns_are_left_behind_the_bar(
    terminal: Callable[[int], Terminal], columns: int
) -> None:
    shown = terminal(columns)
    bar = bar_of(1_000, FORM)
    bar.update(500)
    bar.refresh()
    widths = {len(line) for line in shown.getvalue().split("\r") if line}

    assert widths == {columns - 3}
    assert "50%|" in shown.getvalue()


def test_a_bar_has_no_thread_and_vanishes(terminal: Callable[[int], Terminal]) -> None:
    shown = terminal(80)
    bar = bar_of(10, FORM)
    bar.close()

    assert bar.monitor is None
    assert shown.getvalue().endswith(f"\r{' ' * 77}\r")


def test_the_counts_stand_behind_the_bar_and_a_line_in_its_place(
    terminal: Callable[[int], Terminal],
) -> None:
    shown = terminal(100)
    tally = Tally()
    bar = Bar(2)
    tally.add([Graded(1, (PASS,))])
    bar._bar.mininterval = 0  # noqa: SLF001  # not to wait for the clock
    bar.update(tally)
    drawn = shown.getvalue()
    bar.close(tally)

    assert re.search(r" 50%\|.*\| 1 of 2 \[.* left, .*, 1 passed\]", drawn)
    assert re.fullmatch(
        r"verify: 1 of 2 submissions in [0-9.]+ s, [0-9,]+ a second: 1 passed\n",
        shown.getvalue().rpartition("\r")[2],
    )
