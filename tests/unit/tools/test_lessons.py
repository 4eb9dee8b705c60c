"""The part of a tutorial that explains the checks, complete for all (the pages show the words)."""

from __future__ import annotations

import re

import pytest

from tools.lessons import check_sections
from verify import catalog

EXERCISES = [exercise for level in catalog.LEVELS for exercise in catalog.level(level)]


@pytest.mark.parametrize("name", [exercise.name for exercise in EXERCISES])
def test_every_check_has_one_section_with_its_anchor_and_its_own_failure(name: str) -> None:
    exercise = catalog.find(*name.split("/"))
    sections = check_sections(exercise)
    codes = [check.code for check in exercise.checks]

    assert re.findall(r'<a id="([^"]+)">', sections) == [check.anchor for check in exercise.checks]
    assert re.findall(r"When it fails:\n\n```text\n(\S+)  ", sections) == codes


def test_a_check_is_shown_failing_on_a_mistake_rather_than_on_nothing() -> None:
    sections = check_sections(catalog.find("foundation", "04"))
    first = sections.partition("### ")[2].partition("### ")[0]

    assert "found     sandbox/.pipeline/ISSUE-102/plan.json" in first
