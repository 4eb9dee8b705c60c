"""The table in whole texts: aligned at every width, told apart without colour, nothing lost."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from verify.reporters.base import Rendered
from verify.reporters.table import render
from verify.verdicts import PASSED, Finding, failed

if TYPE_CHECKING:
    from collections.abc import Callable

    from verify.model import Exercise
    from verify.reporters.base import Run, View

FAILURES = """\
F01.2  affected_files and steps name the same files, each of them only once
  sandbox/.pipeline/ISSUE-7/plan.json:4:5  $.steps[0]
  this file stands in no step
    expected  a step
    found     "a.js"
  sandbox/.pipeline/ISSUE-7/plan.json
  plan.json is a folder
  and 3 more like these
  To do: Put a file there.
  To do: read docs/foundation/tutorials/01-toy.md#f01-2

F01.4  the branch names its issue
  the branch does not name its issue
    expected  7
    found     "feature/x"
  To do: read docs/foundation/tutorials/01-toy.md#f01-4

F01.5  the plan was made by x-subplanner
  F01.5 crashed
  To do: Report it.

NOT YET  1 of 11 points (1 passed, 1 failed, 1 skipped, 1 note, 1 not graded)
Mend the first failure, then run again:
  grade foundation/01
For hints, add: --hint
"""

AT_80 = """\
foundation/01 - Plan a toy - ISSUE-7

check    result    what is checked                                       points
-------  --------  --------------------------------------------------  --------
F01.1    ✓ pass    plan.json is where the pipeline looks for it             1/1
F01.2    ✗ FAIL    affected_files and steps name the same files, each       0/2
                   of them only once
F01.3    · skip    every criterion is mapped (after F01.2)                  0/3
F01.4    ! note    the branch names its issue (advisory)                      -
F01.5    ? ERROR   the plan was made by x-subplanner                        0/5
"""

AT_60 = """\
foundation/01 - Plan a toy - ISSUE-7

check    result    what is checked                    points
-------  --------  -------------------------------  --------
F01.1    ✓ pass    plan.json is where the pipeline       1/1
                   looks for it
F01.2    ✗ FAIL    affected_files and steps name         0/2
                   the same files, each of them
                   only once
F01.3    · skip    every criterion is mapped             0/3
                   (after F01.2)
F01.4    ! note    the branch names its issue              -
                   (advisory)
F01.5    ? ERROR   the plan was made by                  0/5
                   x-subplanner
"""

AT_40 = """\
foundation/01 - Plan a toy - ISSUE-7

check    result    what is checked
-------  --------  --------------------
F01.1    pass      plan.json is where
                   the pipeline looks
                   for it
F01.2    FAIL      affected_files and
                   steps name the same
                   files, each of them
                   only once
F01.3    skip      every criterion is
                   mapped (after F01.2)
F01.4    note      the branch names its
                   issue (advisory)
F01.5    ERROR     the plan was made by
                   x-subplanner
"""

PASSED_RUN = """\
foundation/01 - Plan a toy - ISSUE-7

check    result    what is checked                                       points
-------  --------  --------------------------------------------------  --------
F01.1    ✓ pass    plan.json is where the pipeline looks for it             1/1
F01.2    ✓ pass    affected_files and steps name the same files, each       2/2
                   of them only once
F01.3    ✓ pass    every criterion is mapped                                3/3
F01.4    ✓ pass    the branch names its issue (advisory)                      -
F01.5    ✓ pass    the plan was made by x-subplanner                        5/5

PASSED  11 of 11 points (4 passed)
"""

COUNTS = "(1 passed, 1 failed, 1 skipped, 1 note, 1 not graded)"
TO_DO = "Mend the first failure, then run again:\n  grade foundation/01\n"
COLOURS = {"32": "pass", "1;31": "FAIL", "2": "skip", "33": "note", "1;35": "ERROR"}


def closing(text: str) -> str:
    return text.rpartition("\n\n")[2]


def test_the_table_of_a_standard_terminal_with_every_outcome(mixed_run: Run, view: View) -> None:
    assert render(mixed_run, view) == Rendered(f"{AT_80}\n{FAILURES}")


@pytest.mark.parametrize(("width", "table"), [(60, AT_60), (40, AT_40), (20, AT_40)])
def test_the_table_fits_the_terminal(mixed_run: Run, view: View, width: int, table: str) -> None:
    shown = render(mixed_run, view._replace(width=width)).text

    assert shown.startswith(f"{table}\nF01.2  affected_files and steps name")


@pytest.mark.parametrize("symbols", [True, False])
def test_no_line_of_the_table_is_longer_than_the_terminal_is_wide(
    mixed_run: Run, view: View, *, symbols: bool
) -> None:
    tables = {
        width: render(mixed_run, view._replace(width=width, symbols=symbols)).text.partition(
            "\n\nF01.2"
        )[0]
        for width in range(40, 201)
    }

    assert [w for w, table in tables.items() if max(map(len, table.split("\n"))) > w] == []


def test_without_symbols_the_report_is_ascii(mixed_run: Run, view: View) -> None:
    shown = render(mixed_run, view._replace(symbols=False)).text
    table = re.sub("[✓✗·!?] ([a-zA-Z]+)", r"\1  ", AT_80)

    assert shown == f"{table}\n{FAILURES}"
    assert shown.isascii()


def test_colour_is_added_to_the_words_and_changes_nothing_else(mixed_run: Run, view: View) -> None:
    shown = render(mixed_run, view._replace(colour=True)).text
    painted = re.findall(r"\x1b\[([0-9;]+)m. (\w+)\x1b\[0m", shown)

    assert dict(painted) == COLOURS
    assert "\n\x1b[1;31mNOT YET\x1b[0m  1 of 11 points" in shown
    assert re.sub(r"\x1b\[[0-9;]*m", "", shown) == f"{AT_80}\n{FAILURES}"


def test_a_run_that_passed_ends_with_the_next_exercise(
    passing_run: Run, view: View, toy_exercise: Callable[..., Exercise]
) -> None:
    shown = render(passing_run, view._replace(following=toy_exercise())).text

    assert shown == f"{PASSED_RUN}Next, foundation/01 - A toy:\n  grade foundation/01\n"


def test_hints_stand_instead_of_the_pointer_to_the_lesson(mixed_run: Run, view: View) -> None:
    shown = render(mixed_run, view._replace(hints=1)).text
    hinted = FAILURES.replace("For hints, add: --hint", "For what to change, add --hint once more.")
    for number in (2, 4):
        lesson = f"docs/foundation/tutorials/01-toy.md#f01-{number}\n"
        hinted = hinted.replace(
            f"  To do: read {lesson}",
            f"  Look at: Number {number}, from its first line.\n  Lesson: {lesson}",
        )

    assert shown == f"{AT_80}\n{hinted}"


@pytest.mark.parametrize(("width", "gap"), [(78, " "), (77, "\n")])
def test_counts_that_do_not_fit_stand_on_a_line_of_their_own(
    mixed_run: Run, view: View, width: int, gap: str
) -> None:
    shown = render(mixed_run, view._replace(width=width)).text

    assert closing(shown) == (
        f"NOT YET  1 of 11 points{gap}{COUNTS}\n{TO_DO}For hints, add: --hint\n"
    )


def test_strict_grading_shows_and_counts_notes_as_failures(strict_run: Run, view: View) -> None:
    shown = render(strict_run, view).text

    assert "F01.4    ✗ FAIL    the branch names its issue (advisory)   " in shown
    assert "1 of 11 points (1 passed, 2 failed, 1 skipped, 1 not graded)\n" in closing(shown)


def test_notes_are_counted_apart_and_fail_nothing(run_of: Callable[..., Run], view: View) -> None:
    note = failed(Finding("wrong"))
    shown = render(run_of(PASSED, PASSED, PASSED, note, PASSED), view).text

    assert closing(shown).startswith("PASSED  11 of 11 points (4 passed, 1 note)\n")


def test_an_exercise_without_an_issue_has_none_in_its_heading(
    mixed_run: Run, view: View, toy_exercise: Callable[..., Exercise]
) -> None:
    report = mixed_run.reports[0]._replace(exercise=toy_exercise(issue=None))
    shown = render(mixed_run._replace(reports=(report,)), view).text

    assert shown.startswith("foundation/01 - A toy\n\n")


def test_a_heading_is_wrapped_at_the_width(mixed_run: Run, view: View) -> None:
    (report,) = mixed_run.reports
    long = replace(report.exercise, title="Break an issue down into well-known parts")
    run = mixed_run._replace(reports=(report._replace(exercise=long),))
    heading = "foundation/01 - Break an issue down into well-known parts - ISSUE-7"
    shown = {
        width: render(run, view._replace(width=width)).text.partition("\n\n")[0]
        for width in (67, 66, 20)
    }

    assert shown == {
        67: heading,
        66: heading.replace(" ISSUE-7", "\nISSUE-7"),
        20: heading.replace("into well", "into\nwell"),
    }
