"""Hints in stages: each asked for, none where it would be wrong advice."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from verify.model import Check, Result
from verify.reporters.hints import advice_lines, offer
from verify.verdicts import PASSED, Finding, Outcome, Verdict, failed

if TYPE_CHECKING:
    from verify.reporters.base import View

PAGE = "docs/foundation/tutorials/01-toy.md"
CHECK = Check(
    code="F01.1",
    title="all is well",
    run=lambda _: PASSED,
    hint="Fix it.",
    look="The first line.",
    example='{\n  "a": 1\n}',
)
BARE = Check(code="F01.2", title="all is well", run=lambda _: PASSED, hint="Fix.", look="There.")
WRONG = failed(Finding("wrong"))
UNREADABLE = failed(Finding("is a folder", action="Put a file there."))
LOOK = "  Look at: The first line."
CHANGE = "  Change: Fix it."
EXAMPLE = ["  Example:", "    {", '      "a": 1', "    }"]
LESSON = f"  Lesson: {PAGE}#f01-1"


@pytest.mark.parametrize(
    ("stage", "lines"),
    [
        (0, [f"  To do: read {PAGE}#f01-1"]),
        (1, [LOOK, LESSON]),
        (2, [LOOK, CHANGE, LESSON]),
        (9, [LOOK, CHANGE, *EXAMPLE, LESSON]),
    ],
)
def test_each_stage_adds_one_hint_to_those_before_it(
    view: View, stage: int, lines: list[str]
) -> None:
    assert advice_lines(Result(CHECK, WRONG), view._replace(hints=stage), PAGE) == lines


@pytest.mark.parametrize(("stage", "more"), [(0, []), (1, [LOOK, LESSON]), (3, [LOOK, LESSON])])
def test_a_finding_that_says_what_to_do_stands_instead_of_what_the_check_would_change(
    view: View, stage: int, more: list[str]
) -> None:
    lines = advice_lines(Result(CHECK, UNREADABLE), view._replace(hints=stage), PAGE)

    assert lines == ["  To do: Put a file there.", *more]


def test_hints_are_wrapped_but_a_lesson_is_not_so_that_editors_open_it(view: View) -> None:
    lines = advice_lines(Result(CHECK, WRONG), view._replace(hints=1, width=20), "docs/" * 20)

    assert lines == [LOOK, f"  Lesson: {'docs/' * 20}#f01-1"]


@pytest.mark.parametrize(
    ("results", "offers"),
    [
        (
            [Result(CHECK, WRONG)],
            [
                "For hints, add: --hint",
                "For what to change, add --hint once more.",
                "For an example, add --hint once more.",
                "",
            ],
        ),
        ([], [""] * 4),
        ([Result(CHECK, PASSED), Result(CHECK, Verdict(Outcome.SKIP), "F01.0")], [""] * 4),
        ([Result(CHECK, Verdict(Outcome.ERROR, (Finding("crashed"),)))], [""] * 4),
        (
            [Result(CHECK, PASSED), Result(BARE, WRONG)],
            ["For hints, add: --hint", "For what to change, add --hint once more.", "", ""],
        ),
        ([Result(CHECK, UNREADABLE)], ["For hints, add: --hint", "", "", ""]),
    ],
    ids=["failed", "nothing", "passed or skipped", "crashed", "no example", "said by the finding"],
)
def test_the_next_stage_is_offered_where_it_would_help(
    view: View, results: list[Result], offers: list[str]
) -> None:
    assert [offer(results, view._replace(hints=stage)) for stage in range(4)] == offers
