"""The JUnit report is read back by a parser that is not ours."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from junitparser import JUnitXml

from verify.grading.model import PASSED, Finding, failed
from verify.reporters.junit import render

if TYPE_CHECKING:
    from collections.abc import Callable

    from verify.reporters.base import GradedRun, View


def read_back(run: GradedRun, view: View) -> Any:
    return JUnitXml.fromstring(render(run, view).text.encode())


def results_of(suites: Any) -> list[tuple[str, list[tuple[type, str, str | None]]]]:
    return [
        (case.name, [(type(each), each.message, each.text) for each in case.result])
        for suite in suites
        for case in suite
    ]


def test_a_level_has_a_suite_for_each_exercise(
    strict_run: GradedRun, passing_run: GradedRun, view: View
) -> None:
    both = passing_run._replace(reports=(*passing_run.reports, *strict_run.reports))
    suites = read_back(both, view)

    assert suites.name == "verify foundation"
    assert {case.classname for suite in suites for case in suite} == {"verify.foundation.F01"}
    assert [
        (suite.name, suite.tests, suite.failures, suite.errors, suite.skipped) for suite in suites
    ] == [("foundation/01", 5, 0, 0, 0), ("foundation/01", 5, 2, 1, 1)]


@pytest.mark.parametrize(
    ("payload", "shown"),
    [
        ("\0\x01\x08\x0b\x1f", "\\u{0}\\u{1}\\u{8}\\u{b}\\u{1f}"),
        ("\ufffe\uffff", "\\u{fffe}\\u{ffff}"),
        ("]]> <![CDATA[ <!-- -->", "]]> <![CDATA[ <!-- -->"),
        ("<a href='x'>&amp;&#0;\"</a>", "<a href='x'>&amp;&#0;\"</a>"),
    ],
    ids=ascii,
)
def test_any_text_makes_a_document_that_can_be_read_back(
    run_of: Callable[..., GradedRun], view: View, payload: str, shown: str
) -> None:
    finding = Finding(payload, payload, payload, payload, payload, action=payload)
    run = run_of(failed(finding), PASSED, PASSED, PASSED, PASSED)
    (_, ((_, message, text),)), *_ = results_of(read_back(run, view))

    assert message == shown
    assert text == "\n".join(
        [f"{shown}  {shown}", shown, f"expected {shown}", f"found {shown}", shown]
    )
