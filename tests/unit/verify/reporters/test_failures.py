"""Under the table: each failure with its places, whole, and its values shortened."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from verify.model import PASSED, Check, Finding, Outcome, Result, Verdict, failed
from verify.reporters.base import place
from verify.reporters.failures import failure_lines

if TYPE_CHECKING:
    from verify.reporters.base import View

CHECK = Check(
    code="F01.1",
    title="all is well",
    run=lambda _: PASSED,
    hint="Fix it.",
    look_at="The first line.",
    example='{\n  "a": 1\n}',
)
LOOK = "  Look at: The first line."
CHANGE = "  Change: Fix it."
EXAMPLE = ["  Example:", "    {", '      "a": 1', "    }"]
WRONG = Finding("wrong")
TOLD = Finding("is a folder", action="Put a file there.")
MORE = "  More: add --hint, or run: verify explain F01.1"
AGAIN = "  More: add --hint once more, or run: verify explain F01.1"
ALL = "  More: verify explain F01.1"
LONG_FILE = "/".join(["folder"] * 30)


def lines(view: View, *findings: Finding) -> list[str]:
    return failure_lines(Result(CHECK, failed(*findings)), view)


def test_values_are_wrapped_below_their_labels(view: View) -> None:
    finding = Finding("message " * 6, "expected " * 5, "found " * 6)

    assert lines(view._replace(width=40), finding) == [
        "F01.1  all is well",
        "  message message message message",
        "  message message",
        "    expected  expected expected expected",
        "              expected expected",
        "    found     found found found found",
        "              found found",
    ]


def test_a_place_is_never_wrapped_so_that_editors_jump_from_it(view: View) -> None:
    finding = Finding("wrong", file=LONG_FILE, path="$.steps[0].file", line=3, column=14)

    assert f"  {LONG_FILE}:3:14  $.steps[0].file" in lines(view._replace(width=40), finding)


@pytest.mark.parametrize(
    ("finding", "shown"),
    [
        (Finding("wrong", file="plan.json"), "plan.json"),
        (Finding("wrong", file="plan.json", line=3, column=1), "plan.json:3:1"),
        (Finding("wrong", file="plan.json", path="$.steps"), "plan.json  $.steps"),
        (Finding("wrong", file="a\nb", path="$.\x1b"), "a\\u{a}b  $.\\u{1b}"),
    ],
)
def test_a_place_is_a_file_a_spot_and_a_path(finding: Finding, shown: str) -> None:
    assert place(finding) == shown


def test_a_value_of_a_million_characters_is_cut(view: View) -> None:
    shown = lines(view, Finding("wrong", found="x" * 1_000_000))

    assert 1_000 < sum(map(len, shown)) < 1_500


@pytest.mark.parametrize(
    ("finding", "stage", "shown"),
    [
        (WRONG, 0, [MORE]),
        (WRONG, 1, [LOOK, AGAIN]),
        (WRONG, 2, [LOOK, CHANGE, AGAIN]),
        (WRONG, 9, [LOOK, CHANGE, *EXAMPLE, ALL]),
        (TOLD, 0, ["  To do: Put a file there.", MORE]),
        (TOLD, 1, ["  To do: Put a file there.", LOOK, AGAIN]),
        (TOLD, 9, ["  To do: Put a file there.", LOOK, *EXAMPLE, ALL]),
    ],
)
def test_each_hint_that_is_asked_for_comes_after_those_before_it(
    view: View, finding: Finding, stage: int, shown: list[str]
) -> None:
    result = Result(CHECK, failed(finding))
    head = ["F01.1  all is well", f"  {finding.message}"]
    hinted = view._replace(hints=stage)

    assert failure_lines(result, hinted, first=True) == [*head, *shown]
    assert failure_lines(result, hinted) == [*head, *shown[: bool(finding.action)]]


def test_a_key_asks_for_the_next_hint_where_keys_are_read(view: View) -> None:
    shown = failure_lines(Result(CHECK, failed(WRONG)), view._replace(keys=True), first=True)

    assert shown[-1] == "  More: press h, or run: verify explain F01.1"


def test_a_crash_has_no_hints(view: View) -> None:
    crash = Result(CHECK, Verdict(Outcome.ERROR, (Finding("crashed", action="Report it."),)))

    assert failure_lines(crash, view._replace(hints=9), first=True) == [
        *("F01.1  all is well", "  crashed", "  To do: Report it.")
    ]


def test_findings_with_one_action_have_it_once(view: View) -> None:
    other = Finding("empty", action="Fill it.")

    assert lines(view, TOLD, TOLD, other)[1:] == [
        *("  is a folder", "  is a folder", "  To do: Put a file there."),
        *("  empty", "  To do: Fill it."),
    ]
