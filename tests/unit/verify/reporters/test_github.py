"""Annotations and the step summary are what GitHub's runner and its Markdown make of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from markdown_it import MarkdownIt

from verify.grading.model import PASSED, Finding, failed
from verify.reporters import table
from verify.reporters.github import MOST_SUMMARY, render

if TYPE_CHECKING:
    from collections.abc import Callable

    from verify.reporters.base import GradedRun, View


def run_on(run_of: Callable[..., GradedRun], *findings: Finding) -> GradedRun:
    return run_of(failed(*findings), PASSED, PASSED, PASSED, PASSED)


@pytest.mark.parametrize(
    ("payload", "data", "file"),
    [
        ("50%", "50%25", "50%25"),
        ("a\nb\rc", "a\\nb\\rc", "a\\nb\\rc"),
        ("x,line=1::forged", "x,line=1::forged", "x%2Cline=1%3A%3Aforged"),
    ],
    ids=ascii,
)
def test_an_annotation_is_escaped_as_the_runner_unescapes_it(
    run_of: Callable[..., GradedRun], view: View, payload: str, data: str, file: str
) -> None:
    run = run_on(run_of, Finding(payload, file=payload, action="Step."))

    assert render(run, view).text == (
        f"::error file={file},title=F01.1 plan.json is where the pipeline looks for it::"
        f"{data}%0AStep.\n"
    )


def test_advice_is_a_warning_and_an_error_where_it_counts(
    mixed_run: GradedRun, strict_run: GradedRun, view: View
) -> None:
    lenient, strict = (render(run, view).text for run in (mixed_run, strict_run))

    assert lenient.count("::warning ") == 1
    assert strict == lenient.replace("::warning ", "::error ")


@pytest.mark.parametrize("payload", ["a|b", "`` a ` b ``` c", "~~~", "<b>@everyone #1", "a\n\n# b"])
def test_the_summary_is_the_table_in_a_block_that_nothing_closes(
    run_of: Callable[..., GradedRun], view: View, payload: str
) -> None:
    run = run_on(run_of, Finding(payload, payload, payload, payload, payload, action=payload))
    (block,) = MarkdownIt("commonmark").parse(render(run, view).summary)
    full = view._replace(hints=3, verbose=True, provenance=True)

    assert (block.type, block.content) == ("fence", table.render(run, full).text)


def test_a_summary_that_is_too_large_is_cut_and_closed(
    run_of: Callable[..., GradedRun], view: View
) -> None:
    run = run_on(run_of, *[Finding("\u00e9" * 999, "\U00020000" * 999)] * 5)
    summary = render(run._replace(reports=run.reports * 200), view).summary

    assert len(summary) <= MOST_SUMMARY + 20
    assert len(summary.encode()) <= 1 << 20
    assert [each.type for each in MarkdownIt("commonmark").parse(summary)] == ["fence"]
