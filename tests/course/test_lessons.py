"""Each lesson has all its parts and stays short: a page that lacks one is not finished."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pipeline.bootstrap import ROOT
from verify.course import catalog

EXERCISES = {exercise.name: exercise for exercise in catalog.exercises()}
SECTIONS = ["**Goal:**", "## The task", "## Do it", "## Check it", "## Next"]
WITHOUT_DISPATCH = ("practitioner/01", "expert/01")  # installing and judging are one's own work
QUOTED_EARLIER = ("foundation/02", "foundation/03", "practitioner/03")
TIERED = ("ISSUE-301", "ISSUE-302", "ISSUE-303")
MOST_BY_HAND, MOST_WORDS = 900, 1_300  # code apart
_CODE = re.compile(r"^(```|~~~)[\s\S]*?^\1\s*$", re.MULTILINE)
_GENERATED = re.compile(r"<!-- generated[\s\S]*?<!-- end -->")


def lesson(name: str) -> str:
    return Path(ROOT, EXERCISES[name].page).read_text(encoding="utf-8")


def words(text: str) -> int:
    return len(re.findall(r"[A-Za-z][A-Za-z'-]*", text))


@pytest.mark.parametrize("name", EXERCISES)
def test_a_lesson_says_its_goal_and_then_has_its_sections_in_order(name: str) -> None:
    text = lesson(name)
    places = [text.find(f"\n{section}") for section in SECTIONS]

    assert -1 not in places
    assert places == sorted(places)


@pytest.mark.parametrize("name", EXERCISES)
def test_a_lesson_quotes_its_issue_once_and_a_finished_run(name: str) -> None:
    exercise = EXERCISES[name]
    issues = [] if not exercise.issue or name in QUOTED_EARLIER else [f"issue {exercise.issue}"]
    wanted = [*(["scenarios"] if name == "expert/01" else issues), f"run {name} solved"]
    text = lesson(name)
    regions = re.findall("^<!-- generated: (.+) -->$", text, re.MULTILINE)
    linked = TIERED if name == "expert/02" else (exercise.issue,)
    dispatched = "`subagent_type" in text or "subagent_type:" in text

    assert [each for each in regions if each.startswith(("issue", "scenarios", "run"))] == wanted
    assert all(f"issues/{issue}.md)" in text for issue in linked if issue and not issues)
    assert f"(../../reference/checks-{exercise.level}.md)" in text
    assert dispatched or name in WITHOUT_DISPATCH


@pytest.mark.parametrize("name", EXERCISES)
def test_l7_a_lesson_is_short(name: str) -> None:
    text = lesson(name)

    assert words(_CODE.sub(" ", _GENERATED.sub(" ", text))) <= MOST_BY_HAND
    assert words(_CODE.sub(" ", text)) <= MOST_WORDS
