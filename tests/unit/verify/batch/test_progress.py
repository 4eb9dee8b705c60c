"""What a run tells of itself: counts, rate, time left."""

from __future__ import annotations

import io
import re
import sys
from collections import Counter

import pytest

from tests.stubs.marks import FakeCohort
from verify.batch.job import Graded
from verify.batch.progress import Progress, error_lines, table
from verify.gradebook.reading import Counts, ExerciseCount
from verify.gradebook.records import Learner, Mark, Standing, ungraded
from verify.grading.model import CheckInfo, ExerciseInfo, Finding, Outcome

CHECK = CheckInfo("E04.1", "One", 3, advisory=False, page="p#1")
EXERCISE = ExerciseInfo("expert/04", "Evidence", 3, (CHECK,))
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
    tally = Progress(40, quiet=True)
    nothing = str(tally)
    tally.add([Graded(1, (PASS, PASS)), Graded(2, (PASS, FAIL)), Graded(3, (None, PASS))])
    tally.add([Graded(4, (None, None)), *(Graded(number, (FAIL, ERROR)) for number in range(30))])

    assert (tally.counts.total(), tally.counts["unchanged"], tally.crashes) == (
        34,
        1,
        ["Traceback"] * 20,
    )
    assert str(tally) == "2 passed, 1 failed, 30 with an error, 1 unchanged"
    assert nothing == "none graded"


def test_a_terminal_has_a_bar_and_a_line_in_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = terminal_by(monkeypatch)
    tally = Progress(2)
    assert tally._bar is not None  # noqa: SLF001  # not to wait for the clock
    tally._bar.mininterval = 0  # noqa: SLF001  # as above
    tally.add([Graded(1, (PASS,))])
    drawn = terminal.getvalue()
    tally.finish()

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
    tally = Progress(2)
    tally.add([Graded(1, (PASS,))])
    tally.finish()

    assert capsys.readouterr().err.startswith("verify: 1 of 2 submissions in ")


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


def test_errors_are_reported_with_what_to_do_the_first_of_many_and_drive_no_terminal() -> None:
    mark = ungraded(EXERCISE, Finding("it\x1b[2J died", action="Report it."))
    standings = [Standing(Learner(f"learner{number}"), (mark, PASS)) for number in range(1_025)]
    one, many = (
        list(error_lines(FakeCohort((EXERCISE,), standings[:count]), count)) for count in (1, 1_025)
    )

    assert one == ["learner0, expert/04: it\\u{1b}[2J died. Report it."]
    assert (len(many), many[20]) == (
        21,
        "and 1,005 more: an export such as --csv lists them all",
    )
