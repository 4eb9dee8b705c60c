"""Tasks are matched to scenarios by the words that they share, in any order and wording."""

from __future__ import annotations

from itertools import permutations

import pytest

from verify.checks.matching import assign

SCENARIOS = (
    "Fix a typo in the README",
    "Add a GET endpoint with validation and tests",
    "Rename the class UserManager across the codebase",
)


def test_tasks_in_any_order_are_matched() -> None:
    for order in permutations(range(3)):
        tasks = [SCENARIOS[index] for index in order]

        assert assign(tasks, SCENARIOS) == tuple(order.index(index) for index in range(3))


@pytest.mark.parametrize(
    "tasks",
    [
        ("typo readme", "endpoint", "rename"),
        ("README.MD: FIX THE TYPO!", "a new endpoint, validated: get it", "UserManager: rename"),
        (
            "Fix the typo in the endpoint's README",
            "Add the endpoint and its validation",
            "Rename a class",
        ),
    ],
    ids=["shortened", "reworded", "with each other's words"],
)
def test_shortened_and_reworded_tasks_are_matched(tasks: tuple[str, ...]) -> None:
    assert assign(tasks, SCENARIOS) == (0, 1, 2)


def test_a_few_words_that_every_scenario_has_match_nothing() -> None:
    scenarios = ("write the first file", "write the second file", "write the third file")

    assert assign(("write the code", "the file", ""), scenarios) == (None, None, None)


def test_of_two_tasks_about_one_scenario_one_is_matched_and_what_is_about_none_is_spare() -> None:
    tasks = ("Fix a typo in the README", "Fix a typo in the README", "Rename the class")

    assert assign(tasks, SCENARIOS) == (0, None, 2)
    assert assign(("Rename the class", "Brew coffee", "Fix a typo"), SCENARIOS) == (2, None, 0)


def test_the_whole_assignment_counts_not_the_first_best_pair() -> None:
    scenarios = ("alpha beta gamma", "alpha beta delta epsilon")
    tasks = ("alpha beta gamma delta", "gamma")

    assert assign(tasks, scenarios) == (1, 0)


def test_a_task_of_a_million_characters_is_read_in_part() -> None:
    tasks = ("noise " * 200_000 + "typo", "endpoint", "rename")

    assert assign(tasks, SCENARIOS) == (None, 1, 2)
