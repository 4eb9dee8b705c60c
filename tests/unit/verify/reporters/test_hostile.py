"""Nothing that a submission holds drives a terminal, forges a line or commands a runner."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest
from markdown_it import MarkdownIt

from tests.stubs.payloads import PAYLOADS, RAW
from verify.grading.levels import Level, Provenance, Traced, WhyNot
from verify.grading.model import PASSED, Finding, failed
from verify.learner.request import reporter
from verify.reporters import REPORTERS

if TYPE_CHECKING:
    from collections.abc import Callable

    from verify.reporters.base import GradedRun, View

COMMAND = re.compile(r"^\s*::|##\[", re.MULTILINE)
OURS = re.compile(
    r"^::(?:error|warning) (?:file=[^:]*,)?title=[^:]*::.*$",
    re.MULTILINE,
)
INLINE = {"text", "code_inline", "strong_open", "strong_close"}


def summary_parts(summary: str) -> list[tuple[str, str]]:
    """Return the kinds and texts that Markdown makes of the lines of a summary."""
    tokens = MarkdownIt("commonmark").enable("table").parse(summary)
    return [(part.type, part.content) for token in tokens for part in token.children or []]


def assert_inert(run: GradedRun, view: View, name: str) -> None:
    rendered = reporter(name)(run, view)
    text = OURS.sub("", rendered.text) if name == "github" else rendered.text

    for shown in (text, rendered.summary):
        assert RAW.findall(shown) == []
        assert COMMAND.findall(shown) == []
    assert {kind for kind, _ in summary_parts(rendered.summary)} - INLINE == set()
    assert "html_block" not in {t.type for t in MarkdownIt("commonmark").parse(rendered.summary)}


@pytest.mark.parametrize("name", REPORTERS)
def test_a_payload_in_every_part_of_a_finding_is_inert(
    run_of: Callable[..., GradedRun], view: View, name: str
) -> None:
    for number, (payload, _) in enumerate(PAYLOADS.values()):
        finding = Finding(payload, payload, payload, payload, payload, 1, 1, action=payload)
        why = (WhyNot(Level.WITNESSED, payload),)
        levels = Provenance((Traced("plan.json", "plan.json", Level.DECLARED, why),))
        run = run_of(failed(finding), PASSED, PASSED, failed(finding), PASSED)
        run = run._replace(reports=(run.reports[0]._replace(provenance=levels),))

        assert_inert(run, view._replace(width=(40, 61, 80)[number % 3], hints=True), name)


def test_the_json_report_keeps_a_payload_as_it_was(
    run_of: Callable[..., GradedRun], view: View
) -> None:
    for payload, _ in PAYLOADS.values():
        run = run_of(failed(Finding(payload)), PASSED, PASSED, PASSED, PASSED)
        document = json.loads(reporter("json")(run, view).text)

        assert document["exercises"][0]["checks"][0]["findings"][0]["message"] == payload
