"""Each lesson has all its parts: a page that lacks one is not finished."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pipeline.bootstrap import ROOT
from verify import catalog

EXERCISES = {
    exercise.name: exercise for level in catalog.LEVELS for exercise in catalog.level(level)
}
SECTIONS = [
    "## The task",
    "## Where the file",
    "## Do it in the IDE",
    "## Do it without an IDE",
    "field by field",
    "## Check it",
    "## What is checked",
    "## Where to go next",
]
WITHOUT_DISPATCH = ("practitioner/01", "expert/01")  # installing and judging are one's own work
MOST_WORDS = 2_000  # by hand: what is generated, and code, is looked up and not read through
_NOT_READ_THROUGH = re.compile(r"<!-- generated[\s\S]*?<!-- end -->|```[\s\S]*?```")
TIERED = ("ISSUE-301", "ISSUE-302", "ISSUE-303")


def lesson(name: str) -> str:
    return Path(ROOT, EXERCISES[name].page).read_text(encoding="utf-8")


@pytest.mark.parametrize("name", EXERCISES)
def test_a_lesson_says_what_it_teaches_and_then_has_its_sections_in_order(name: str) -> None:
    text = lesson(name)
    places = [text.find(section) for section in ("**You will be able to**", *SECTIONS)]

    assert -1 not in places
    assert places == sorted(places)


@pytest.mark.parametrize("name", EXERCISES)
def test_a_lesson_quotes_its_issue_a_finished_run_and_its_checks(name: str) -> None:
    exercise = EXERCISES[name]
    issues = [exercise.issue] if exercise.issue else []
    tasks = {"expert/01": ["scenarios"], "expert/02": [f"issue {issue}" for issue in TIERED]}
    wanted = [
        *tasks.get(name, [f"issue {issue}" for issue in issues]),
        *(f"run {name} solved", f"table {name}", f"checks {name}"),
    ]
    text = lesson(name)
    regions = re.findall("^<!-- generated: (.+) -->$", text, re.MULTILINE)
    dispatched = "`subagent_type" in text or "subagent_type:" in text

    assert [region for region in regions if region in wanted] == wanted
    assert dispatched or name in WITHOUT_DISPATCH


@pytest.mark.parametrize("name", EXERCISES)
def test_l7_a_lesson_does_not_grow_and_its_catalogue_of_checks_comes_after_all_to_do(
    name: str,
) -> None:
    text = lesson(name)
    read = _NOT_READ_THROUGH.sub("", text)

    assert len(read.split()) <= MOST_WORDS
    assert "\n```sh" not in text.partition("\n## What is checked")[2]
