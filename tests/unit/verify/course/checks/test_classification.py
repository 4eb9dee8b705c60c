"""Classification records are five, complete, about the scenarios, and of the expected tiers."""

from __future__ import annotations

from itertools import permutations
from typing import TYPE_CHECKING, Any

import pytest

from verify.course.checks import classification
from verify.course.checks.classification import Scenario, assign
from verify.grading.artifacts import ArtifactRef
from verify.grading.model import PASSED, Finding, Outcome, Verdict, failed

if TYPE_CHECKING:
    from collections.abc import Callable

    from verify.grading.artifacts import Context

    AttemptOn = Callable[..., Context]


FILE = "out/classifications.json"
SOURCE = ArtifactRef("classifications.json", path=FILE)
SCENARIOS = (
    Scenario("typo", "Fix a typo in the README", "trivial", "single", 1, 1),
    Scenario("endpoint", "Add a GET endpoint", "standard", "single", 3, 3),
    Scenario("chat", "Build a chat over WebSocket", "complex", "cross-domain", 6),
    Scenario("rename", "Rename UserManager everywhere", "trivial", "single", 2),
    Scenario("roles", "Introduce access control by roles", "complex", "cross-domain", 4),
)
FAST = ["x-worker-fast", "x-reviewer-fast"]
ROUTES = {
    "trivial": FAST,
    "standard": ["x-worker", "x-reviewer"],
    "complex": ["x-subplanner", "x-worker", "x-reviewer"],
}


@pytest.fixture
def records() -> list[dict[str, Any]]:
    return [
        {
            "task": scenario.task,
            "file_count": scenario.least_files,
            "domain_scope": scenario.domain_scope,
            "signals": ["file count"],
            "tier": scenario.tier,
            "agents": list(ROUTES[scenario.tier]),
        }
        for scenario in SCENARIOS
    ]


@pytest.mark.spec("2.5.5")
@pytest.mark.parametrize(
    ("index", "count", "expected"),
    [(0, 0, "1"), (0, 2, "1"), (1, 2, "3"), (1, 4, "3"), (2, 5, "6 or more"), (3, 1, "2 or more")],
)
def test_an_estimate_out_of_bounds_is_shown(
    context_on: AttemptOn, records: list[dict[str, Any]], index: int, count: int, expected: str
) -> None:
    records[index]["file_count"] = count
    verdict = classification.estimates_scope(SOURCE, SCENARIOS)(context_on({FILE: records}))
    (finding,) = verdict.findings
    name = SCENARIOS[index].name
    action = f"Write {expected}." if expected.isdigit() else f"Write at least {expected[0]}."

    assert finding == Finding(
        f"the scenario {name} affects a different number of files",
        *(expected, str(count), FILE, f"$[{index}].file_count", finding.line, 19, action),
    )


@pytest.mark.spec("2.5.6")
def test_another_domain_scope_is_shown_and_a_missing_scenario_is_not(
    context_on: AttemptOn, records: list[dict[str, Any]]
) -> None:
    records[0]["domain_scope"] = "cross-domain"
    records[2]["task"] = "Brew coffee"
    records[2]["domain_scope"] = "single"
    verdict = classification.estimates_scope(SOURCE, SCENARIOS)(context_on({FILE: records}))
    message, place = (
        "the scenario typo has a different domain scope",
        (FILE, "$[0].domain_scope", 5, 21),
    )

    assert verdict == failed(
        Finding(message, '"single"', '"cross-domain"', *place, 'Write "single".')
    )


def verdicts_on(context: Context) -> list[Verdict]:
    """Return the verdicts on the tier of each scenario, and on the agents of trivial tasks."""
    codes = ("scenarios", "tiers")
    checks = [classification.expects_tier(SOURCE, SCENARIOS, each, codes) for each in SCENARIOS]
    return [
        check(context) for check in (*checks, classification.routes_trivial_tasks(SOURCE, "tiers"))
    ]


WAITS = Verdict(Outcome.SKIP, waits_for="tiers")


@pytest.mark.parametrize("change", [str.title, str.upper, " {} ".format])
def test_t11_a_tier_in_the_wrong_case_is_judged_as_what_it_means(
    context_on: AttemptOn, records: list[dict[str, Any]], change: Callable[[str], str]
) -> None:
    for record in records:
        record["tier"] = change(record["tier"])

    assert verdicts_on(context_on({FILE: records})) == [PASSED] * 6
    assert classification.has_valid_tiers(SOURCE)(context_on({FILE: records})).outcome == "fail"


@pytest.mark.parametrize("tiers", [["low", "medium", "high", "low", "high"], [1, None, [], {}, ""]])
def test_t11_an_unknown_tier_is_reported_once_and_its_other_checks_wait(
    context_on: AttemptOn, records: list[dict[str, Any]], tiers: list[Any]
) -> None:
    for record, tier in zip(records, tiers, strict=True):
        record["tier"] = tier

    assert verdicts_on(context_on({FILE: records})) == [WAITS] * 6


def test_t11_only_the_record_with_an_unknown_tier_waits(
    context_on: AttemptOn, records: list[dict[str, Any]]
) -> None:
    del records[1]["tier"]
    records[4]["task"] = "Brew coffee"
    verdicts = verdicts_on(context_on({FILE: records}))

    waits_for_task = Verdict(Outcome.SKIP, waits_for="scenarios")
    assert verdicts == [PASSED, WAITS, PASSED, PASSED, waits_for_task, WAITS]


CONTRADICTS = "a signal contradicts the tier"
SAYS_NOTHING = "the signals do not say what decided the tier"


@pytest.mark.parametrize(
    ("index", "signals", "message"),
    [
        (0, [], SAYS_NOTHING),
        (2, ["banana"], SAYS_NOTHING),
        (1, ["because", "42"], SAYS_NOTHING),
        (0, ["single file", "new abstractions"], CONTRADICTS),
        (3, ["Security-critical"], CONTRADICTS),
        (1, ["purely mechanical"], CONTRADICTS),
        (2, ["documentation only"], CONTRADICTS),
        (4, ["no new abstractions"], CONTRADICTS),
        (0, ["no new abstractions", "no security implications"], ""),
        (1, ["not mechanical", "3 files"], ""),
        (2, ["concurrency", "security: rate limiting"], ""),
        (4, ["auth domain", "4 or more files"], ""),
        (3, ["same edit everywhere", "many files"], ""),
    ],
)
def test_t11_signals_that_contradict_the_tier_or_say_nothing_are_a_note(
    context_on: AttemptOn,
    records: list[dict[str, Any]],
    index: int,
    signals: list[str],
    message: str,
) -> None:
    records[index]["signals"] = signals
    verdict = classification.estimates_scope(SOURCE, SCENARIOS)(context_on({FILE: records}))
    expected = [(message, f"$[{index}].signals")] if message else []

    assert [(each.message, each.path) for each in verdict.findings] == expected


TEXTS = (
    "Fix a typo in the README",
    "Add a GET endpoint with validation and tests",
    "Rename the class UserManager across the codebase",
)


def test_tasks_in_any_order_are_matched() -> None:
    for order in permutations(range(3)):
        tasks = tuple(TEXTS[index] for index in order)

        assert assign(tasks, TEXTS) == tuple(order.index(index) for index in range(3))


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
    assert assign(tasks, TEXTS) == (0, 1, 2)


def test_a_few_words_that_every_scenario_has_match_nothing() -> None:
    scenarios = ("write the first file", "write the second file", "write the third file")

    assert assign(("write the code", "the file", ""), scenarios) == (None, None, None)


def test_of_two_tasks_about_one_scenario_one_is_matched_and_what_is_about_none_is_spare() -> None:
    tasks = ("Fix a typo in the README", "Fix a typo in the README", "Rename the class")

    assert assign(tasks, TEXTS) == (0, None, 2)
    assert assign(("Rename the class", "Brew coffee", "Fix a typo"), TEXTS) == (2, None, 0)


def test_the_whole_assignment_counts_not_the_first_best_pair() -> None:
    scenarios = ("alpha beta gamma", "alpha beta delta epsilon")
    tasks = ("alpha beta gamma delta", "gamma")

    assert assign(tasks, scenarios) == (1, 0)


def test_a_task_of_a_million_characters_is_read_in_part() -> None:
    tasks = ("noise " * 200_000 + "typo", "endpoint", "rename")

    assert assign(tasks, TEXTS) == (None, 1, 2)
