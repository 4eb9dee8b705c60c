"""Under the table: each failure with its places, whole, and its values shortened."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from verify.model import Check, Result
from verify.reporters.failures import failure_lines, place
from verify.verdicts import PASSED, Finding, failed

if TYPE_CHECKING:
    from verify.reporters.base import View

CHECK = Check(code="F01.1", title="all is well", run=lambda _: PASSED, hint="Fix it.")
PAGE = "docs/foundation/tutorials/01-toy.md"
LONG_FILE = "/".join(["folder"] * 30)


def lines(view: View, *findings: Finding) -> list[str]:
    return failure_lines(Result(CHECK, failed(*findings)), view, PAGE)


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
        "  To do: read docs/foundation/tutorials/01-toy.md#f01-1",
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
