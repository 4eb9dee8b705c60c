"""What a run tells of itself: counts, rate, time left."""

from __future__ import annotations

import io
import re
import sys
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from verify.batch.kernel import Graded
from verify.batch.progress import Progress, Tally, error_lines, table
from verify.gradebook.reading import Counts, ExerciseCount
from verify.gradebook.records import Learner, Mark, Standing, ungraded
from verify.model import CheckInfo, ExerciseInfo, Finding, Outcome

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verify.gradebook.copies import Copies

CHECK = CheckInfo("T01.1", "toy", 1, advisory=False, page="")
EXERCISE = ExerciseInfo("toy/01", "Toy", 1, (CHECK,))
PASS = Mark(EXERCISE, Outcome.PASS, 1)
FAIL = Mark(EXERCISE, Outcome.FAIL, 0)
ERROR = ungraded(EXERCISE, Finding("died"), "Traceback")


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
    nothing = str(tally)
    tally.add([Graded(1, (PASS, PASS)), Graded(2, (PASS, FAIL)), Graded(3, (None, PASS))])
    tally.add([Graded(4, (None, None)), *(Graded(number, (FAIL, ERROR)) for number in range(30))])

    assert (tally.submissions, tally.unchanged, tally.crashes) == (34, 1, ["Traceback"] * 20)
    assert str(tally) == "2 passed, 1 failed, 30 with an error, 1 unchanged"
    assert nothing == "none graded"


def test_a_terminal_has_a_bar_and_a_line_in_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = terminal_by(monkeypatch)
    progress = Progress(2)
    tally = Tally()
    tally.add([Graded(1, (PASS,))])
    assert progress._bar is not None  # noqa: SLF001  # not to wait for the clock
    progress._bar.mininterval = 0  # noqa: SLF001  # as above
    progress.update(1, tally)
    drawn = terminal.getvalue()
    progress.finish(tally)

    assert re.search(r" 50%\|.{20}\| 1 of 2 \[.* left, 1 passed\]", drawn.rpartition("\r")[2])
    assert re.fullmatch(
        r"verify: 1 of 2 submissions in [0-9.]+ s, [0-9,]+ a second: 1 passed\n",
        terminal.getvalue().rpartition("\r")[2],
    )


@pytest.mark.parametrize("terminal", [True, False])
def test_without_tqdm_or_a_terminal_only_the_end_is_said(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *, terminal: bool
) -> None:
    if terminal:
        monkeypatch.setitem(sys.modules, "tqdm", None)
        monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    progress = Progress(2)
    progress.update(1)
    progress.finish(Tally())

    assert capsys.readouterr().err.startswith("verify: 0 of 2 submissions in ")


CHECK = CheckInfo("E04.1", "One", 3, advisory=False, page="p#1")
EXERCISE = ExerciseInfo("expert/04", "Evidence", 3, (CHECK,))


class Fixed:
    """A cohort of learners whose grading failed."""

    exercises = (EXERCISE,)
    has_roster = False

    def __init__(self, learners: int) -> None:
        self._learners = learners

    def copies(self) -> Iterator[Copies]:
        return iter(())

    def standings(self) -> Iterator[Standing]:
        mark = ungraded(EXERCISE, Finding("it\x1b[2J died", action="Report it."))
        for number in range(self._learners):
            yield Standing(Learner(f"learner{number}"), (mark,))


def test_without_a_roster_no_one_is_missing_and_without_a_score_there_is_no_mean() -> None:
    counts = Counts((ExerciseCount("expert/04", Counter({Outcome.ERROR: 2}), None),), 2, 0)

    assert table(counts, [3], rostered=False, attempts=True).splitlines() == [
        "exercise   attempts  passed  failed  unresolved  error  mean",
        "---------  --------  ------  ------  ----------  -----  ----",
        "expert/04         2       0       0           0      2     -",
    ]


def test_the_table_of_a_large_cohort_has_80_columns() -> None:
    outcomes = {
        Outcome.PASS: 99_858,
        Outcome.FAIL: 70,
        Outcome.UNRESOLVED: 30,
        Outcome.ERROR: 2,
        Outcome.MISSING: 40,
    }
    counts = Counts((ExerciseCount("practitioner/02", outcomes, 11.5),), 100_000, 0)

    assert table(counts, [13], rostered=True, attempts=False).splitlines() == [
        "exercise         learners  passed  failed  unresolved  error  missing      mean",
        "---------------  --------  ------  ------  ----------  -----  -------  --------",
        "practitioner/02   100,000  99,858      70          30      2       40  11.50/13",
    ]


def test_an_error_is_reported_with_what_to_do_and_drives_no_terminal() -> None:
    assert list(error_lines(Fixed(1))) == ["learner0, expert/04: it\\u{1b}[2J died. Report it."]
