"""The JUnit report is read back by a parser that is not ours."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from junitparser import Error, Failure, JUnitXml, Skipped

from verify.reporters.junit import render
from verify.verdicts import PASSED, Finding, failed

if TYPE_CHECKING:
    from collections.abc import Callable

    from verify.reporters.base import Run, View

FILE = "sandbox/.pipeline/ISSUE-7/plan.json"


def read_back(run: Run, view: View) -> Any:
    return JUnitXml.fromstring(render(run, view).text.encode())


def results_of(suites: Any) -> list[tuple[str, list[tuple[type, str, str | None]]]]:
    return [
        (case.name, [(type(each), each.message, each.text) for each in case.result])
        for suite in suites
        for case in suite
    ]


def test_every_outcome_is_read_back(mixed_run: Run, view: View) -> None:
    assert results_of(read_back(mixed_run, view)) == [
        ("F01.1 plan.json is where the pipeline looks for it", []),
        (
            "F01.2 affected_files and steps name the same files, each of them only once",
            [
                (
                    Failure,
                    "this file stands in no step",
                    (
                        f"{FILE}:4:5  $.steps[0]\n"
                        "this file stands in no step\n"
                        "expected a step\n"
                        'found "a.js"\n'
                        "Mend number 2.\n"
                        f"{FILE}\n"
                        "plan.json is a folder\n"
                        "Put a file there.\n"
                        "and 3 more like these"
                    ),
                )
            ],
        ),
        ("F01.3 every criterion is mapped", [(Skipped, "waits for F01.2", None)]),
        (
            "F01.4 the branch names its issue",
            [
                (
                    Skipped,
                    "the branch does not name its issue",
                    (
                        "the branch does not name its issue\n"
                        "expected 7\n"
                        'found "feature/x"\n'
                        "Mend number 4."
                    ),
                )
            ],
        ),
        (
            "F01.5 the plan was made by x-subplanner",
            [(Error, "F01.5 crashed", "F01.5 crashed\nReport it.")],
        ),
    ]


def test_a_level_has_a_suite_for_each_exercise(
    strict_run: Run, passing_run: Run, view: View
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
    run_of: Callable[..., Run], view: View, payload: str, shown: str
) -> None:
    finding = Finding(payload, payload, payload, payload, payload, next_step=payload)
    run = run_of(failed(finding), PASSED, PASSED, PASSED, PASSED)
    (_, ((_, message, text),)), *_ = results_of(read_back(run, view))

    assert message == shown
    assert text == "\n".join(
        [f"{shown}  {shown}", shown, f"expected {shown}", f"found {shown}", shown]
    )
