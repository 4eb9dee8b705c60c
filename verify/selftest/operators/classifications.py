"""Faults of the five records: too few, about other tasks, in other tiers, by other agents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from verify.selftest.mutants import Edit
from verify.selftest.operators.documents import with_value, without
from verify.selftest.subjects import (
    ESTIMATES,
    FIELDS,
    RECORDS,
    ROUTING,
    SCENARIOS,
    TIER_VALUES,
    TRIVIAL_AGENTS,
    tier_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verify.selftest.subjects import Subject


class Expected(NamedTuple):
    """What the specification's table (section 2.5) says of a scenario; `word` tells it apart."""

    name: str
    word: str
    tier: str
    scope: str
    wrong_counts: tuple[int, ...]


_TABLE = (
    Expected("typo", "typo", "trivial", "single", (0, 2)),
    Expected("endpoint", "endpoint", "standard", "single", (2, 4)),
    Expected("chat", "chat", "complex", "cross-domain", (0, 5)),
    Expected("rename", "rename", "trivial", "single", (0, 1)),
    Expected("access-control", "role-based", "complex", "cross-domain", (0, 3)),
)
_TIERS = ("trivial", "standard", "complex")
_SCOPES = ("single", "cross-domain")
_AGENTS = {
    "trivial": ["x-worker-fast", "x-reviewer-fast"],
    "standard": ["x-worker", "x-reviewer"],
    "complex": ["x-subplanner", "x-worker", "x-reviewer"],
}
_EXTRA = {
    "task": "Translate the welcome page into Latin",
    "file_count": 1,
    "domain_scope": "single",
    "signals": ["one file"],
    "tier": "standard",
    "agents": ["x-worker", "x-reviewer"],
}


def too_few_or_many(records: Any, _: Subject) -> Iterator[Edit]:
    """Drop, repeat and add records."""
    for index, record in enumerate(records):
        yield Edit(f"{index}: dropped", (RECORDS,), without(records, (index,)))
        yield Edit(f"{index}: twice", (RECORDS,), [*records, record])
    yield Edit("one more record", (RECORDS,), [*records, _EXTRA])
    yield Edit("no records", (RECORDS,), [])
    yield Edit("all records twice", (RECORDS,), [*records, *records])
    yield Edit("one record, not in an array", (RECORDS,), records[0])


def other_tasks(records: Any, _: Subject) -> Iterator[Edit]:
    """Classify a task twice in the place of another, or something else in its place."""
    for index, record in enumerate(records):
        yield Edit(f"{index}: another task", (SCENARIOS,), with_value(records, (index,), _EXTRA))
        following = (index + 1) % len(records)
        edit = with_value(records, (following,), record)
        yield Edit(f"{following}: the one before it again", (SCENARIOS,), edit)
        for task in ("Scenario", "A task that the lead gave us"):
            edit = with_value(records, (index, "task"), task)
            yield Edit(f"{index}.task: {task!r}", (SCENARIOS,), edit)


def tasks_swapped(records: Any, _: Subject) -> Iterator[Edit]:
    """Swap the tasks of two records, so that each is classified as the other."""
    for one, first in _expected(records):
        for two, second in _expected(records):
            if one < two:
                swapped = with_value(records, (one, "task"), records[two]["task"])
                swapped = with_value(swapped, (two, "task"), records[one]["task"])
                same = first.tier == second.tier
                concerns = (ESTIMATES,) if same else (tier_of(first.name),)
                yield Edit(f"{first.name} and {second.name}: swapped", concerns, swapped)


def other_tiers(records: Any, _: Subject) -> Iterator[Edit]:
    """Give each task each other tier, with the agents of its own and of that tier."""
    for index, expected in _expected(records):
        for tier in _TIERS:
            if tier != expected.tier:
                edit = with_value(records, (index, "tier"), tier)
                concerns = (tier_of(expected.name),)
                yield Edit(f"{expected.name}: {tier}", concerns, edit)
                edit = with_value(edit, (index, "agents"), _AGENTS[tier])
                yield Edit(f"{expected.name}: {tier}, and its agents", concerns, edit)


def no_tiers(records: Any, _: Subject) -> Iterator[Edit]:
    """Write each tier as none of the three values."""
    for index, expected in _expected(records):
        tier = expected.tier
        for word in (tier.capitalize(), tier.upper(), f"{tier} ", f" {tier}", "simple", "tier 1"):
            edit = with_value(records, (index, "tier"), word)
            yield Edit(f"{expected.name}: the tier {word!r}", (TIER_VALUES,), edit)


def other_agents(records: Any, _: Subject) -> Iterator[Edit]:
    """Drop and add agents, and let each task be handled by those of other tiers."""
    for index, expected in _expected(records):
        concern = TRIVIAL_AGENTS if expected.tier == "trivial" else ROUTING
        agents = records[index]["agents"]
        faults = [([a for a in agents if a != agent], concern) for agent in agents]
        faults += [(_AGENTS[tier], concern) for tier in _TIERS if tier != expected.tier]
        faults += [([agent.upper() for agent in agents], concern)]
        faults += [([f"{agent} " for agent in agents], concern)]
        faults += [([*agents, "x-git"], ROUTING), ([*agents, "x-planner"], ROUTING)]
        for wrong, about in faults:
            edit = with_value(records, (index, "agents"), wrong)
            yield Edit(f"{expected.name}: agents {wrong}", (about,), edit)


def other_estimates(records: Any, _: Subject) -> Iterator[Edit]:
    """Estimate other numbers of files and another scope than the table's, and none."""
    for index, expected in _expected(records):
        for count in expected.wrong_counts:
            edit = with_value(records, (index, "file_count"), count)
            yield Edit(f"{expected.name}: {count} files", (ESTIMATES,), edit)
        yield Edit(
            f"{expected.name}: -1 files", (FIELDS,), with_value(records, (index, "file_count"), -1)
        )
        for scope in _SCOPES:
            if scope != expected.scope:
                edit = with_value(records, (index, "domain_scope"), scope)
                yield Edit(f"{expected.name}: the scope {scope}", (ESTIMATES,), edit)
        for scope in ("Single", "cross domain", "multi", "single "):
            edit = with_value(records, (index, "domain_scope"), scope)
            yield Edit(f"{expected.name}: the scope {scope!r}", (FIELDS,), edit)


def _expected(records: Any) -> Iterator[tuple[int, Expected]]:
    for index, record in enumerate(records):
        for expected in _TABLE:
            if expected.word in record["task"].lower():
                yield index, expected


ALL = (
    too_few_or_many,
    other_tasks,
    tasks_swapped,
    other_tiers,
    no_tiers,
    other_agents,
    other_estimates,
)
