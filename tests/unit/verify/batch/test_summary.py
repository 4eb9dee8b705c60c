"""The table at the end of a run, and the lines about whom it could not grade."""

from __future__ import annotations

from typing import TYPE_CHECKING

from verify.batch.summary import error_lines, table
from verify.gradebook.reading import Counts, ExerciseCount
from verify.gradebook.records import Learner, Standing, ungraded
from verify.model import CheckInfo, ExerciseInfo, Finding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verify.gradebook.copies import Copies

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


def test_without_a_roster_nobody_is_missing_and_without_a_score_there_is_no_mean() -> None:
    counts = Counts((ExerciseCount("expert/04", 0, 0, 0, 2, 0, None),), 2, 0)

    assert table(counts, [3], rostered=False, attempts=True).splitlines() == [
        "exercise   attempts  passed  failed  unresolved  error  mean",
        "---------  --------  ------  ------  ----------  -----  ----",
        "expert/04         2       0       0           0      2     -",
    ]


def test_the_table_of_a_large_cohort_has_80_columns() -> None:
    counts = Counts((ExerciseCount("practitioner/02", 99_858, 70, 30, 2, 40, 11.5),), 100_000, 0)

    assert table(counts, [13], rostered=True, attempts=False).splitlines() == [
        "exercise         learners  passed  failed  unresolved  error  missing      mean",
        "---------------  --------  ------  ------  ----------  -----  -------  --------",
        "practitioner/02   100,000  99,858      70          30      2       40  11.50/13",
    ]


def test_an_error_is_told_with_what_to_do_and_drives_no_terminal() -> None:
    assert list(error_lines(Fixed(1))) == [
        "verify: learner0, expert/04: it\\u{1b}[2J died. Report it."
    ]


def test_of_many_errors_the_first_are_told_and_the_rest_counted() -> None:
    lines = list(error_lines(Fixed(1_025)))

    assert len(lines) == 21
    assert lines[-1] == "verify: and 1,005 more: an export such as --csv lists them all"
