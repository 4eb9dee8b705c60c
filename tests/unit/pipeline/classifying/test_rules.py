"""The first rule that holds decides."""

from __future__ import annotations

import pytest

from pipeline.bootstrap import ROOT
from pipeline.classifying.rules import RULES, decide
from pipeline.classifying.signals import Signals


@pytest.mark.spec("2.5.19", "2.5.20")
@pytest.mark.parametrize(
    ("signals", "number"),
    [
        (Signals(file_count=90, mechanical=True, new_abstractions=True, access_control=True), 0),
        (Signals(access_control=True, new_abstractions=True), 1),
        (Signals(access_control=True), 4),
        (Signals(new_abstractions=True, concurrency=True), 2),
        (Signals(new_abstractions=True, security=True), 2),
        (Signals(new_abstractions=True, domains=("a", "b")), 2),
        (Signals(new_abstractions=True, domains=("a",)), 4),
        (Signals(documentation=True), 3),
        (Signals(obvious=True), 3),
        (Signals(obvious=True, file_count=2), 4),
        (Signals(obvious=True, tests_wanted=True), 4),
        (Signals(concurrency=True, security=True, domains=("a", "b"), file_count=9), 4),
        (Signals(), 4),
    ],
)
def test_the_first_rule_that_holds_decides(signals: Signals, number: int) -> None:
    assert decide(signals) is RULES[number]


def test_the_tiers_of_the_rules_are_in_the_specifications_order() -> None:
    assert [rule.tier for rule in RULES] == [
        "trivial",
        "complex",
        "complex",
        "trivial",
        "standard",
    ]


def test_the_page_shows_the_rules_as_they_are() -> None:
    rows = "\n".join(
        f"| {n} | {rule.sentence} | `{rule.tier}` |" for n, rule in enumerate(RULES, start=1)
    )
    with open(f"{ROOT}/docs/explanation/classification.md", encoding="utf-8") as page:  # a text
        text = page.read()

    assert rows in text
