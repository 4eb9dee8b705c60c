"""The generated parts of the rule are the classifier's rules and the routing table."""

from __future__ import annotations

import re

from pipeline.agents.routing_rule import filled
from pipeline.classifying.rules import RULES
from pipeline.tiers import ROUTING


def test_the_rules_are_the_classifiers_in_their_order() -> None:
    items = re.split(r"\n(?=\d+\. )", filled("{rules}"))

    assert [" ".join(item.split()) for item in items] == [
        f"{number}. {rule.sentence}" for number, rule in enumerate(RULES, 1)
    ]


def test_the_table_says_who_handles_a_tier_and_who_plans_it() -> None:
    assert filled("a\n{routing}\nb") == (
        "a\n"
        "| tier | agents | plan |\n"
        "| --- | --- | --- |\n"
        "| `trivial` | `x-worker-fast`, `x-reviewer-fast` | none |\n"
        "| `standard` | `x-worker`, `x-reviewer` | `plan.json`, which `x-planner` may write |\n"
        "| `complex` | `x-subplanner`, `x-worker`, `x-reviewer` |"
        " `plan.json`, always by `x-subplanner` |\n"
        "b"
    )
    assert list(ROUTING) == ["trivial", "standard", "complex"]


def test_a_text_without_placeholders_stays_as_it_is() -> None:
    assert filled('{"a": 1}') == '{"a": 1}'
