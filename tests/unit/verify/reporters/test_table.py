"""The table in whole texts: aligned at every width, told apart without colour, nothing lost."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from verify import catalog
from verify.levels import Level, Provenance, Traced, WhyNot
from verify.model import Report, Result
from verify.reporters.base import Run
from verify.reporters.provenance import reasons
from verify.reporters.table import render
from verify.verdicts import PASSED, Finding, failed

if TYPE_CHECKING:
    from collections.abc import Callable

    from verify.reporters.base import View

COUNTS = "(1 passed, 1 failed, 1 skipped, 1 note, 1 not graded)"
TO_DO = "Fix the first failure, then run again:\n  grade foundation/01\n"


def closing(text: str) -> str:
    return text.rpartition("\n\n")[2]


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


@pytest.mark.parametrize(("width", "gap"), [(78, " "), (77, "\n")])
def test_counts_that_do_not_fit_stand_on_a_line_of_their_own(
    mixed_run: Run, view: View, width: int, gap: str
) -> None:
    shown = render(mixed_run, view._replace(width=width)).text

    assert closing(shown) == (
        f"NOT YET  1 of 11 points{gap}{COUNTS}\n{TO_DO}For hints, add: --hint\n"
    )


def test_notes_are_counted_apart_and_fail_nothing(run_of: Callable[..., Run], view: View) -> None:
    note = failed(Finding("wrong"))
    shown = render(run_of(PASSED, PASSED, PASSED, note, PASSED), view).text

    assert closing(shown).startswith("PASSED  11 of 11 points (4 passed, 1 note)\n")


def test_a_heading_is_wrapped_at_the_width(mixed_run: Run, view: View) -> None:
    (report,) = mixed_run.reports
    long = replace(report.exercise, title="Break an issue down into well-known parts")
    run = mixed_run._replace(reports=(report._replace(exercise=long),))
    heading = "foundation/01 - Break an issue down into well-known parts - ISSUE-7"
    shown = {
        width: render(run, view._replace(width=width)).text.partition("\n\n")[0]
        for width in (67, 66, 20)
    }
    without = run._replace(reports=(report._replace(exercise=replace(long, issue=None)),))

    assert shown == {
        67: heading,
        66: heading.replace(" ISSUE-7", "\nISSUE-7"),
        20: heading.replace("into well", "into\nwell"),
    }
    assert render(without, view).text.startswith(f"{heading.removesuffix(' - ISSUE-7')}\n\n")


def test_a_reason_of_all_artifacts_names_none_of_them() -> None:
    missed = (WhyNot(Level.CONSISTENT, "nothing is compared"),)
    traced = [Traced(name, name, Level.DECLARED, missed) for name in ("plan.json", "other.json")]

    assert reasons(Provenance(tuple(traced))) == ["not L1: nothing is compared"]


@pytest.mark.parametrize("level", catalog.LEVELS)
def test_no_line_of_a_level_is_longer_than_the_terminal_is_wide(view: View, level: str) -> None:
    wrong = failed(Finding("wrong"))
    reports = [
        Report(each, "work", tuple(Result(check, wrong) for check in each.checks))
        for each in catalog.level(level)
    ]
    run = Run(level, tuple(reports), overview=True)
    tables = {
        width: render(run, view._replace(width=width)).text.rpartition("\n\n")[0]
        for width in range(40, 201)
    }

    assert [w for w, table in tables.items() if max(map(len, table.split("\n"))) > w] == []
