"""The exercises of the course: permanent codes in order, hints, examples, and solvable criteria."""

from __future__ import annotations

import re

import pytest

from verify.course import catalog
from verify.course.exercises.expert.ex01_classify import SCENARIOS

EXERCISES = list(catalog.exercises())
CHECKS = [check for exercise in EXERCISES for check in exercise.checks]
COURSE = """\
foundation/01 plan: sandbox, ISSUE-101, exercise
foundation/02 implement: sandbox, ISSUE-101, exercise
foundation/03 publish: sandbox, ISSUE-101, exercise
foundation/04 trace: ., ISSUE-102, core
practitioner/01 setup: sandbox, None, core
practitioner/02 delegate: sandbox, ISSUE-201, exercise
practitioner/03 implement: sandbox, ISSUE-201, exercise
practitioner/04 trace: ., ISSUE-202, exercise
expert/01 classify: None, None, core
expert/02 tiers: sandbox, None, exercise
expert/03 cross-domain: sandbox, ISSUE-304, exercise
expert/04 evidence: ., ISSUE-305, exercise
"""


def test_the_course_has_the_twelve_exercises_of_its_design() -> None:
    described = [f"{e.name} {e.slug}: {e.target}, {e.issue}, {e.profile}\n" for e in EXERCISES]

    assert "".join(described) == COURSE


def test_p11_no_exercise_asks_for_an_artifact_that_the_specification_does_not_have() -> None:
    ours = {"test-result.json", "review-result.json"}

    asked = {path.rpartition("/")[2] for exercise in EXERCISES for path in exercise.paths}

    assert asked & ours == set()


def test_codes_are_numbered_from_one_in_order_and_unique_in_the_course() -> None:
    codes = [
        f"{exercise.code}.{number}"
        for exercise in EXERCISES
        for number in range(1, len(exercise.checks) + 1)
    ]

    assert [check.code for check in CHECKS] == codes
    assert len(set(codes)) == len(codes)


def test_the_title_of_a_check_says_in_a_line_what_holds() -> None:
    titles = [check.title for check in CHECKS]

    assert [t for t in titles if not re.fullmatch(r"\S.{0,58}[^\s.]", t)] == []


def test_a_check_says_why_it_is_there_what_to_look_at_and_what_to_change() -> None:
    for check in CHECKS:
        texts = [check.why, check.look_at, check.hint]

        assert [text for text in texts if not re.fullmatch(r"[\w].{1,100}[.?]", text)] == []
        assert len(set(texts)) == len(texts)


def test_an_exercise_can_be_aimed_at_an_issue_that_the_course_does_not_have() -> None:
    aimed = [
        check
        for exercise in EXERCISES
        for check in exercise.retargeted(target=None, issue="ISSUE-9999", has_criteria=False).checks
    ]

    assert [check.code for check in CHECKS if check not in aimed] == [
        *("F01.8", "P02.7", "P04.14", "E03.7", "E04.14")
    ]


@pytest.mark.spec("2.2.18", "4.22")
def test_the_delegated_exercises_ask_for_the_subplanners_marker() -> None:
    marked = {
        check.code.partition(".")[0]
        for check in CHECKS
        if check.title.endswith(("plan.json is by x-subplanner", ": plan by x-subplanner"))
    }

    assert marked == {"P02", "P03", "P04", "E02", "E03", "E04"}


@pytest.mark.spec("2.4.3")
def test_every_git_result_is_asked_for_a_branch_that_names_its_issue() -> None:
    asked = [check.code for check in CHECKS if check.title.endswith("the branch names its issue")]
    published = [
        f"{exercise.name} {path}"
        for exercise in EXERCISES
        for path in exercise.paths
        if path.endswith("git-result.json")
    ]

    assert asked == ["F03.8", "F04.11", "P04.15", "E02.17", "E02.19", "E02.21", "E04.15"]
    assert len(published) == len(asked)


@pytest.mark.spec("2.5.14", "2.5.15", "2.5.16", "2.5.17", "2.5.18")
def test_the_five_scenarios_are_those_of_the_specifications_table() -> None:
    table = [(s.least_files, s.most_files, s.domain_scope, s.tier) for s in SCENARIOS]
    words = [
        ["typo", "README"],
        ["GET endpoint", "validation", "tests"],
        ["real-time chat", "WebSocket", "persistence", "rate limiting"],
        ["Rename", "class", "codebase"],
        ["role-based access control", "three roles", "middleware"],
    ]
    unsaid = [w for s, each in zip(SCENARIOS, words, strict=True) for w in each if w not in s.task]

    assert unsaid == []
    assert [scenario.name for scenario in SCENARIOS] == [
        *("typo", "endpoint", "chat", "rename", "access-control")
    ]
    assert table == [
        (1, 1, "single", "trivial"),
        (3, 3, "single", "standard"),
        (6, 0, "cross-domain", "complex"),
        (2, 0, "single", "trivial"),
        (4, 0, "cross-domain", "complex"),
    ]


def test_git_is_asked_in_the_traces_and_for_points_in_the_last_one_only() -> None:
    evidence = [check for check in CHECKS if check.compares_git]
    codes = [f"F04.{n}" for n in range(13, 18)] + [f"P04.{n}" for n in range(17, 22)]

    assert [each.code for each in evidence if each.needs_history] == codes
    assert [each.code for each in evidence if not each.needs_history] == [
        f"E04.{n}" for n in range(17, 24)
    ]
    assert sum(each.points for each in evidence) == 6
