"""The exercises of the course: permanent codes in order, hints, examples, and solvable criteria."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from pipeline.schema import KINDS
from verify import catalog
from verify.exercises.expert.scenarios import SCENARIOS

if TYPE_CHECKING:
    from verify.model import Check, Exercise

EXERCISES = [exercise for level in catalog.LEVELS for exercise in catalog.level(level)]
CHECKS = [check for exercise in EXERCISES for check in exercise.checks]
COURSE = """\
foundation/01 plan: planning; sandbox, ISSUE-101, exercise, 8 points in 10 checks
foundation/02 implement: implementation; sandbox, ISSUE-101, exercise, 10 points in 8 checks
foundation/03 publish: publishing; sandbox, ISSUE-101, exercise, 8 points in 9 checks
foundation/04 trace: pipeline trace; ., ISSUE-102, core, 9 points in 17 checks
practitioner/01 setup: set-up; sandbox, None, core, 8 points in 13 checks
practitioner/02 delegate: planning, delegated; sandbox, ISSUE-201, exercise, 11 points in 10 checks
practitioner/03 implement: implementation, delegated; sandbox, ISSUE-201, exercise, \
11 points in 9 checks
practitioner/04 trace: pipeline trace, delegated; ., ISSUE-202, exercise, 13 points in 21 checks
expert/01 classify: classification; None, None, core, 12 points in 14 checks
expert/02 tiers: tiered pipeline; sandbox, None, exercise, 16 points in 21 checks
expert/03 cross-domain: planning, delegated, cross-domain; sandbox, ISSUE-304, exercise, \
13 points in 10 checks
expert/04 evidence: pipeline trace with evidence; ., ISSUE-305, exercise, 19 points in 24 checks
"""


def by_code(checks: list[Check]) -> list[str]:
    return [check.code for check in checks]


def test_the_course_has_the_twelve_exercises_of_its_design() -> None:
    described = [
        f"{e.name} {e.slug}: {e.kind}; {e.target}, {e.issue}, {e.profile}, "
        f"{e.points} points in {len(e.checks)} checks\n"
        for e in EXERCISES
    ]

    assert "".join(described) == COURSE


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.name)
def test_the_codes_of_an_exercise_are_numbered_from_one_in_order(exercise: Exercise) -> None:
    codes = [f"{exercise.code}.{number}" for number in range(1, len(exercise.checks) + 1)]

    assert [check.code for check in exercise.checks] == codes
    assert len(codes) >= 8


def test_a_code_is_unique_in_the_course() -> None:
    assert len(set(by_code(CHECKS))) == len(CHECKS)


@pytest.mark.parametrize("check", CHECKS, ids=by_code(CHECKS))
def test_the_title_of_a_check_says_in_a_line_what_holds(check: Check) -> None:
    assert check.title == check.title.strip()
    assert not check.title.endswith(".")
    assert len(check.title) <= 60


@pytest.mark.parametrize("check", CHECKS, ids=by_code(CHECKS))
def test_a_check_says_why_it_is_there_what_to_look_at_and_what_to_change(check: Check) -> None:
    texts = [check.why, check.look, check.hint]

    assert [text for text in texts if not re.fullmatch(r"[\w].{1,100}[.?]", text)] == []
    assert len(set(texts)) == len(texts)


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.name)
def test_an_exercise_can_be_aimed_at_an_issue_that_the_course_does_not_have(
    exercise: Exercise,
) -> None:
    aimed = exercise.retargeted(target=None, issue="ISSUE-9999", has_criteria=False)
    dropped = {check.code for check in exercise.checks} - {check.code for check in aimed.checks}

    assert dropped == {"F01.8", "P02.7", "P04.14", "E03.7", "E04.14"} & {
        check.code for check in exercise.checks
    }


@pytest.mark.spec("2.2.18", "4.22")
def test_the_delegated_exercises_ask_for_the_subplanners_marker() -> None:
    marked = {
        check.code.partition(".")[0]
        for check in CHECKS
        if check.title.endswith(
            ("plan.json was produced by x-subplanner", "plan.json came from x-subplanner")
        )
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


def test_expert_02_names_the_issue_in_the_title_of_each_check() -> None:
    titles = [check.title for check in catalog.find("expert", "02").checks]

    assert [title for title in titles if not title.startswith("ISSUE-30")] == []
    assert len(set(titles)) == len(titles)


@pytest.mark.spec("2.5.14", "2.5.15", "2.5.16", "2.5.17", "2.5.18")
def test_the_five_scenarios_are_those_of_the_specifications_table() -> None:
    table = [(s.least_files, s.most_files, s.domain_scope, s.tier) for s in SCENARIOS]

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


@pytest.mark.spec("2.5.14", "2.5.15", "2.5.16", "2.5.17", "2.5.18")
@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("typo", ["typo", "README"]),
        ("endpoint", ["GET endpoint", "validation", "tests"]),
        ("chat", ["real-time chat", "WebSocket", "persistence", "rate limiting"]),
        ("rename", ["Rename", "class", "codebase"]),
        ("access-control", ["role-based access control", "three roles", "middleware"]),
    ],
)
def test_a_scenario_says_what_the_specifications_table_says(name: str, words: list[str]) -> None:
    (task,) = (scenario.task for scenario in SCENARIOS if scenario.name == name)

    assert [word for word in words if word not in task] == []


def test_every_kind_of_artifact_is_graded_by_some_exercise() -> None:
    titles = " ".join(check.title for check in CHECKS)

    assert [kind.ending for kind in KINDS.values() if kind.ending not in titles] == []


def test_git_is_asked_in_the_traces_and_for_points_in_the_last_one_only() -> None:
    evidence = [check for check in CHECKS if check.evidence]
    codes = [f"F04.{n}" for n in range(13, 18)] + [f"P04.{n}" for n in range(17, 22)]

    assert [each.code for each in evidence if each.needs_history] == codes
    assert [each.code for each in evidence if not each.needs_history] == [
        f"E04.{n}" for n in range(17, 25)
    ]
    assert sum(each.points for each in evidence) == 6
