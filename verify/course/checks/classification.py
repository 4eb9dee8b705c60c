"""Checks of the classification exercise (specification, sections 2.5 and 4)."""

from __future__ import annotations

import json
import re
from functools import lru_cache
from itertools import permutations
from typing import TYPE_CHECKING, NamedTuple

from pipeline.protocol.problems import Problem
from pipeline.terminal.display import listed, quoted
from pipeline.tiers import ROUTING
from verify.course.checks.validity import ArtifactCheck, has_no_problem, passes_without_problems
from verify.grading.model import PASSED, Outcome, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pipeline.schema import Classification
    from verify.grading.artifacts import ArtifactRef, CheckFunction, Context

_WORD = re.compile(r"[a-z0-9]+")
_COMMON = frozenset(  # words that say nothing about a task
    (
        "a", "across", "all", "an", "and", "any", "are", "as", "at", "be", "by", "each", "for",
        "from", "in", "into", "is", "it", "its", "of", "on", "one", "or", "over", "own", "returns",
        "so", "that", "the", "their", "them", "then", "there", "these", "this", "those", "to",
        "where", "whole", "with",
    )
)  # fmt: skip
_LEAST = 1.0  # one word that only one scenario has, or shared words of the same weight
_MAX_CHARACTERS = 4_000  # of a task: a scenario is a sentence
_FACTOR_NAMES = "file count, domain scope, mechanical, new abstractions, security or concurrency"
_FIRST_CASE = "the tier of the first case that applies"
_FACTORS = re.compile(  # what signals are about, by the specification
    r"fil|domain|scope|cross|secur|auth|permission|role|access|limit|abstract|concurren|real.?time"
    r"|socket|connection|shared|state|order|mechanic|rename|logic|test|doc|pattern|typo|edit|change"
    r"|simpl|trivial|standard|complex|valid|persist|stor|endpoint|route|module|word|text|code",
    re.IGNORECASE,
)
_NOTHING = re.compile(r"(?!)")
_SAID = r"^(?!.*\b(?:no|not|none|non|without)\b).*"
_AGAINST = {  # what a signal may not say of a tier
    "trivial": re.compile(rf"{_SAID}(?:new abstract|concurren|secur)", re.IGNORECASE),
    "standard": re.compile(rf"{_SAID}(?:mechanical|documentation only)", re.IGNORECASE),
    "complex": re.compile(
        rf"{_SAID}(?:mechanical|documentation only|single file|existing pattern)|no new abstract",
        re.IGNORECASE,
    ),
}


class Scenario(NamedTuple):
    """One task that learners classify, and what the course expects of its record."""

    name: str
    task: str
    tier: str
    domain_scope: str
    least_files: int  #: that the task affects
    most_files: int = 0  #: 0 for no upper bound
    ask: str = ""  #: a question that helps to find the tier
    reason: str = ""  #: what decides the tier
    signals: tuple[str, ...] = ()  #: an example


def has_five_records(source: ArtifactRef, scenarios: tuple[Scenario, ...]) -> CheckFunction:
    """Pass if the file holds an array of exactly five objects."""
    check = has_no_problem(source, lambda problem: len(problem.path) <= 1)

    def advised(context: Context) -> Verdict:
        verdict = check(context)
        if verdict == PASSED or not verdict.findings[0].message.startswith("too "):
            return verdict
        action = _count_action(context.artifact(source).value, scenarios)
        return verdict.advising(action) if action else verdict

    return ArtifactCheck(source, advised)


def _count_action(records: object, scenarios: tuple[Scenario, ...]) -> str:
    """Return which scenario or which record has no counterpart; empty if it is unclear."""
    values = records if isinstance(records, list) else []
    texts = [record.get("task") for record in values if isinstance(record, dict)]
    texts = [text for text in texts if isinstance(text, str)]
    if len(texts) != len(values) or not 0 < len(texts) <= len(scenarios) + 1:
        return ""
    tasks = tuple(texts + [""] * (len(scenarios) - len(texts)))
    found = assign(tasks, tuple(scenario.task for scenario in scenarios))
    missing = [scenario for scenario, index in zip(scenarios, found, strict=True) if index is None]
    if missing and len(texts) < len(scenarios):
        names = " and ".join(scenario.name for scenario in missing)
        return f"Add a record for {names}: {quoted(missing[0].task)}"
    spare = [index for index in range(len(texts)) if index not in found]
    if not spare:
        return ""
    return f"Keep one record for each scenario: remove $[{spare[0]}]."


def has_required_fields(source: ArtifactRef) -> CheckFunction:
    """Pass if every record has its fields in their types; the tier has its own check."""
    return has_no_problem(source, lambda p: p.path[1:2] not in ((), ("tier",)))


def has_valid_tiers(source: ArtifactRef) -> CheckFunction:
    """Pass if every tier is one of the three values."""
    return has_no_problem(source, lambda p: p.path[1:2] == ("tier",))


@passes_without_problems
def covers_scenarios(
    context: Context, source: ArtifactRef, scenarios: tuple[Scenario, ...]
) -> Iterator[Problem]:
    """Pass if each scenario is the task of one record."""
    records: list[Classification] = context.artifact(source).value
    matched = _matched(records, scenarios)
    spare = (index for index in range(len(records)) if index not in matched)
    for scenario, match in zip(scenarios, matched, strict=True):
        if match is None:
            index, text = next(spare), quoted(scenario.task)
            message = f"no record is about the scenario {scenario.name}"
            place, found = (index, "task"), quoted(records[index]["task"])
            action = f'Copy the text of the scenario into "task": {text}'
            yield Problem("scenarios", place, message, text, found, action=action)


def expects_tier(
    source: ArtifactRef, scenarios: tuple[Scenario, ...], scenario: Scenario, codes: tuple[str, str]
) -> CheckFunction:
    """Pass if the record of one scenario has the tier that the course expects.

    A failure does not name the tier: the exercise is to find it. Without a record or a known tier
    the check waits for one of `codes`, which reports this.
    """

    def check(context: Context) -> Verdict:
        artifact = context.artifact(source)
        index = _matched(artifact.value, scenarios)[scenarios.index(scenario)]
        tier = "" if index is None else _tier_of(artifact.value[index])
        if index is None or not tier:
            return Verdict(Outcome.SKIP, waits_for=codes[index is not None])
        if tier == scenario.tier:
            return PASSED
        message = f"x-tier-routing gives a different tier for the scenario {scenario.name}"
        action = f"Go through the rule's cases again. {scenario.ask}"
        found = quoted(artifact.value[index]["tier"])
        problem = Problem("tier", (index, "tier"), message, _FIRST_CASE, found, action=action)
        return artifact.failed_at([problem])

    return check


def _tier_of(record: Classification) -> str:
    """Return a record's tier, in whatever case it is written; empty for an unknown one."""
    tier = str(record.get("tier", "")).strip().lower()
    return tier if tier in ROUTING else ""


def routes_trivial_tasks(source: ArtifactRef, code: str) -> CheckFunction:
    """Pass if every record of tier trivial names both agents of that tier.

    With an unknown tier the check waits for `code`, which reports this.
    """

    def check(context: Context) -> Verdict:
        artifact = context.artifact(source)
        problems = list(_lacking(artifact.value))
        if not problems and not all(map(_tier_of, artifact.value)):
            return Verdict(Outcome.SKIP, waits_for=code)
        return artifact.failed_at(problems)

    return check


def _lacking(records: list[Classification]) -> Iterator[Problem]:
    for index, record in enumerate(records):
        missing = [agent for agent in ROUTING["trivial"] if agent not in record["agents"]]
        if _tier_of(record) == "trivial" and missing:
            message = "the record of a trivial task lacks an agent"
            yield _agents(index, record, message, missing, f"Add {listed(missing)}.")


@passes_without_problems
def routes_as_the_table(context: Context, source: ArtifactRef) -> Iterator[Problem]:
    """Pass if every record names exactly the agents of the course's routing table."""
    records: list[Classification] = context.artifact(source).value
    for index, record in enumerate(records):
        expected = list(ROUTING[record["tier"]])
        if set(record["agents"]) != set(expected):
            message = f"the agents are not those of the tier {record['tier']}"
            action = f"Write {json.dumps(expected)}."
            if any(set(record["agents"]) == set(agents) for agents in ROUTING.values()):
                action = (
                    "Find out which is right, the tier or the agents, and correct the other one."
                )
            yield _agents(index, record, message, expected, action)


def _agents(
    index: int, record: Classification, message: str, expected: list[str], action: str
) -> Problem:
    found = listed(record["agents"])
    return Problem("agents", (index, "agents"), message, listed(expected), found, action=action)


@passes_without_problems
def estimates_scope(
    context: Context, source: ArtifactRef, scenarios: tuple[Scenario, ...]
) -> Iterator[Problem]:
    """Pass if file counts and domain scopes are the specification's, and signals fit the tiers."""
    records: list[Classification] = context.artifact(source).value
    for scenario, index in zip(scenarios, _matched(records, scenarios), strict=True):
        if index is not None:
            yield from _scope_differs(scenario, index, records[index])
            yield from _signals_differ(index, records[index])


def _signals_differ(index: int, record: Classification) -> Iterator[Problem]:
    against = _AGAINST.get(_tier_of(record), _NOTHING)
    wrong = list(filter(against.search, record["signals"]))
    if wrong:
        message, expected = "a signal contradicts the tier", f"signals of a {_tier_of(record)} task"
        action = "Decide which of the two is right, and change the other."
    elif not any(map(_FACTORS.search, record["signals"])):
        message, expected = "the signals do not say what decided the tier", _FACTOR_NAMES
        action = "Write the signals that decided the tier, each in a few words."
    else:
        return
    place, found = (index, "signals"), listed(wrong or record["signals"]) or "no signal"
    yield Problem("signals", place, message, expected, found, action=action)


def _scope_differs(scenario: Scenario, index: int, record: Classification) -> Iterator[Problem]:
    if record["domain_scope"] != scenario.domain_scope:
        expected, found = quoted(scenario.domain_scope), quoted(record["domain_scope"])
        message, action = (
            f"the scenario {scenario.name} has a different domain scope",
            f"Write {expected}.",
        )
        yield Problem("scope", (index, "domain_scope"), message, expected, found, action=action)
    count, most = record["file_count"], scenario.most_files
    if count < scenario.least_files or (most and count > most):
        expected = f"{most}" if most == scenario.least_files else f"{scenario.least_files} or more"
        message = f"the scenario {scenario.name} affects a different number of files"
        action = f"Write {expected}." if most else f"Write at least {scenario.least_files}."
        yield Problem(
            "scope", (index, "file_count"), message, expected, quoted(count), action=action
        )


def _matched(
    records: list[Classification], scenarios: tuple[Scenario, ...]
) -> tuple[int | None, ...]:
    tasks = tuple(record["task"] for record in records)
    return assign(tasks, tuple(scenario.task for scenario in scenarios))


@lru_cache(maxsize=1)  # seven checks in turn compare the same records
def assign(tasks: tuple[str, ...], scenarios: tuple[str, ...]) -> tuple[int | None, ...]:
    """Return, for each scenario, the index of its task; None if no task is about it.

    The assignment has the greatest total weight; a word weighs less the more scenarios have it.
    Tasks are found in any order, also if their texts are shortened or reworded.
    With `n` scenarios all `n!` orders are tried; the course has five.
    """
    words = [_words_of(text) for text in scenarios]
    weight = {
        word: 1 / sum(word in scenario for scenario in words) for text in words for word in text
    }
    table = [
        [
            sum(weight[word] for word in sorted(expected.intersection(_words_of(task))))
            for task in tasks
        ]
        for expected in words
    ]
    best = max(
        permutations(range(len(tasks)), len(words)),
        key=lambda order: sum(row[task] for row, task in zip(table, order, strict=True)),
    )
    return tuple(
        task if row[task] >= _LEAST else None for row, task in zip(table, best, strict=True)
    )


def _words_of(task: str) -> frozenset[str]:
    return frozenset(_WORD.findall(task[:_MAX_CHARACTERS].lower())) - _COMMON
