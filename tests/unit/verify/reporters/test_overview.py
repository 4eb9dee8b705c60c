"""The list of a level: each exercise's state, and the next one to do."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from verify import catalog
from verify.model import Report, Result
from verify.progress import Line
from verify.reporters.base import Run
from verify.reporters.overview import overview
from verify.reporters.table import render
from verify.verdicts import PASSED, Finding, Outcome, Verdict, failed

if TYPE_CHECKING:
    from verify.model import Exercise
    from verify.reporters.base import View

WRONG = failed(Finding("wrong"))
CRASHED = Verdict(Outcome.ERROR, (Finding("ours"),), crash="Trace")

MIXED = """\
foundation: 1 of 4 exercises passed

exercise    state      title                 issue        points
----------  ---------  --------------------  ---------  --------
01          passed     Plan an issue         ISSUE-101       8/8
02          begun      Implement the plan    ISSUE-101      1/10
03          not begun  Publish the work      ISSUE-101       0/8
04          ERROR      Trace a pipeline run  ISSUE-102       8/9

Next, foundation/02 - Implement the plan:
  grade foundation/02
"""


def graded(exercise: Exercise, *verdicts: Verdict) -> Report:
    """Return a report whose first checks have these verdicts, the others the last of them."""
    rest = [verdicts[-1]] * (len(exercise.checks) - len(verdicts))
    results = map(Result, exercise.checks, [*verdicts, *rest])
    return Report(exercise, "work", tuple(results))


def run_of(level: str, *verdicts: tuple[Verdict, ...]) -> Run:
    """Return the run of a level's exercises, one tuple of verdicts for each."""
    pairs = zip(catalog.level(level), verdicts, strict=True)
    return Run(level, tuple(graded(exercise, *each) for exercise, each in pairs), overview=True)


def test_every_state_is_told_and_the_first_exercise_to_do_is_suggested(view: View) -> None:
    run = run_of("foundation", (PASSED,), (PASSED, WRONG), (WRONG,), (CRASHED, PASSED))

    assert render(run, view).text == MIXED


def test_a_narrow_terminal_leaves_issues_and_figures_out(view: View) -> None:
    run = run_of("practitioner", (PASSED,), (WRONG,), (WRONG,), (WRONG,))

    assert overview(run, view._replace(width=40)) == (
        "practitioner: 1 of 4 exercises passed\n"
        "\n"
        "exercise    state      title\n"
        "----------  ---------  -----------------\n"
        "01          passed     Install the IDE\n"
        "                       pack\n"
        "02          not begun  Delegate the plan\n"
        "03          not begun  Implement the\n"
        "                       delegated plan\n"
        "04          not begun  Trace a delegated\n"
        "                       run\n"
        "\n"
        "Next, practitioner/02 - Delegate the plan:\n"
        "  grade practitioner/02\n"
    )


@pytest.mark.parametrize("level", catalog.LEVELS)
def test_no_line_of_the_table_is_longer_than_the_terminal_is_wide(view: View, level: str) -> None:
    run = run_of(level, *[(WRONG,)] * 4)
    tables = {
        width: overview(run, view._replace(width=width)).rpartition("\n\n")[0]
        for width in range(40, 201)
    }

    assert [w for w, table in tables.items() if max(map(len, table.split("\n"))) > w] == []


def test_the_states_are_painted_where_colour_is_wanted(view: View) -> None:
    run = run_of("foundation", (PASSED,), (PASSED, WRONG), (WRONG,), (CRASHED, PASSED))
    shown = overview(run, view._replace(colour=True))
    states = ["\x1b[32mpassed", "\x1b[1;31mbegun", "\x1b[2mnot begun", "\x1b[1;35mERROR"]

    assert [state in shown for state in states] == [True] * 4


RECORD = {
    "foundation/01": Line("foundation/01", "2026-11-21 19:03", 8, 8, 4),
    "foundation/03": Line("foundation/03", "", 1, 8, 1),
    "expert/01": Line("expert/01", "", 1, 12, 9),
}


def test_what_the_learners_record_adds_stands_under_the_table(view: View) -> None:
    run = run_of("foundation", (PASSED,), (PASSED, WRONG), (WRONG,), (CRASHED, PASSED))
    table, _, rest = MIXED.partition("\n\nNext")

    assert overview(run, view._replace(progress=RECORD)) == (
        f"{table}\n\nSo far: 01 4 runs, first passed 2026-11-21 19:03; 03 1 run.\n\nNext{rest}"
    )
    assert "So far" not in overview(run, view._replace(progress=RECORD, width=59))
