"""How far an export is shows while it goes on, and nowhere afterwards."""

from __future__ import annotations

import io
import re
import sys
from typing import TYPE_CHECKING

from verify.exports.progress import SILENT, Lines, Told, shown

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest

    from verify.gradebook.reading import Cohort
    from verify.gradebook.values import Standing


class Noted:
    """Notes what it is told."""

    def __init__(self) -> None:
        self.told: list[str | int] = []

    def begin(self, name: str) -> None:
        self.told.append(name)

    def update(self, done: int) -> None:
        self.told.append(done)

    def clear(self) -> None: ...

    def close(self) -> None: ...


class Terminal(io.StringIO):
    """A terminal that keeps what is written to it."""

    def isatty(self) -> bool:
        return True


def test_a_cohort_tells_now_and_then_how_far_it_was_read(
    cohort_of: Callable[..., Cohort], standing_of: Callable[..., Standing]
) -> None:
    noted = Noted()
    cohort = cohort_of(*(standing_of(f"k{number:03}") for number in range(250)))
    told = Told(cohort, "csv", noted)

    assert (told.exercises, told.has_roster) == (cohort.exercises, cohort.has_roster)
    assert list(told.standings()) == list(cohort.standings())
    assert noted.told == ["csv", 100, 200]
    assert next(told.standings()) == next(cohort.standings())
    assert noted.told == ["csv", 100, 200, "csv"]


def test_a_line_is_said_of_what_takes_long() -> None:
    now, said = [0.0], list[str]()
    lines = Lines(10_000, clock=lambda: now[0], say=said.append)
    for name in ("csv", "html"):
        lines.begin(name)
        for done in range(1_000, 4_000, 1_000):
            now[0] += 2.0
            lines.update(done)
    lines.clear()
    lines.close()

    assert said == [
        "verify: writing --csv: 3,000 of 10,000",
        "verify: writing --html: 3,000 of 10,000",
    ]


def test_a_terminal_has_a_bar_that_vanishes(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with shown(10_000, quiet=False) as progress:
        progress.begin("html")
        quiet_yet = terminal.getvalue()
        progress._bar.delay = progress._bar.mininterval = 0  # type: ignore[attr-defined]  # noqa: SLF001  # not to wait for the clock
        progress.update(4_000)
        progress.clear()
        drawn = terminal.getvalue()

    assert "writing --html  40%|" in drawn
    assert "4000 of 10000" in drawn
    assert quiet_yet == ""
    assert re.fullmatch(r"\r *\r+", terminal.getvalue()[terminal.getvalue().rindex("10000") + 5 :])


def test_quiet_is_quiet_and_what_is_quick_says_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with shown(10_000, quiet=False) as piped:
        piped.begin("csv")
        piped.update(9_999)
    monkeypatch.setattr(sys, "stderr", Terminal())
    with shown(10_000, quiet=True) as progress:
        progress.begin("csv")

    assert type(piped) is Lines
    assert progress is SILENT
    assert capsys.readouterr().err == ""
