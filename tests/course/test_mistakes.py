"""Each mistake of `fixtures/mistakes` is named with its place, and the finding says what to do."""

from __future__ import annotations

import os

import pytest

from pipeline.bootstrap import ROOT
from tools.mistakes import FINDINGS, Mistake, lines_on, mistakes

MISTAKES = mistakes()
SEVERAL_CAUSES = {"an empty object", "every key in camel case"}  # each field is a mistake


@pytest.fixture(scope="module")
def golden() -> dict[str, list[str]]:
    """Return the findings that were read and kept, by the heading of their mistake."""
    with open(os.path.join(ROOT, FINDINGS), encoding="utf-8") as file:
        parts = [part.splitlines() for part in file.read().strip().split("\n\n")]
    return {part[0]: part[1:] for part in parts}


@pytest.mark.parametrize("mistake", MISTAKES, ids=str)
def test_l5_a_mistake_is_named_with_its_place_what_was_expected_and_found_and_what_to_do(
    mistake: Mistake, golden: dict[str, list[str]]
) -> None:
    findings = [each for result in mistake.failures() for each in result.verdict.findings]
    causes = {result.check.code for result in mistake.failures()}

    assert lines_on(mistake) == golden[f"== {mistake}"]
    assert all(each.file and each.expected and each.found and each.action for each in findings)
    assert len(findings) == len(causes) or mistake.name in SEVERAL_CAUSES


def test_there_are_at_least_two_hundred_and_twenty_mistakes_and_no_other_findings(
    golden: dict[str, list[str]],
) -> None:
    assert len(MISTAKES) >= 220
    assert [f"== {mistake}" for mistake in MISTAKES] == list(golden)
