"""What a client lets choose is read as far as it is as the protocol says."""

from __future__ import annotations

from typing import Any

import pytest

from pipeline.drivers.acp.options import Option, meant, options_of, parameters
from pipeline.tiers import Selection


def test_config_options_are_known_by_category_before_id_and_before_the_older_way() -> None:
    answer = {
        "models": {"currentModelId": "old", "availableModels": [{"modelId": "old"}]},
        "configOptions": [
            {"id": "model", "category": "other", "currentValue": "wrong"},
            {
                "id": "llm",
                "category": "model",
                "currentValue": "new",
                "options": [{"value": "new", "name": "New"}],
            },
        ],
    }

    assert options_of(answer) == {"model": Option(id="llm", current="new", offered={"new": "New"})}


@pytest.mark.parametrize(
    "answer",
    [
        {},
        {"configOptions": None, "models": None, "modes": None},
        {"configOptions": "none", "models": [], "modes": 7},
        {"configOptions": [7, {}, {"id": ["model"], "category": {"of": "mine"}}]},
    ],
)
def test_what_is_not_as_the_protocol_says_is_left_out(answer: dict[str, Any]) -> None:
    assert options_of(answer) == {}


def test_entries_that_say_nothing_are_left_out_of_what_is_offered() -> None:
    listed = [7, {"name": "nameless"}, {"value": "a"}]
    answer = {"configOptions": [{"id": "model", "currentValue": "a", "options": listed}]}

    assert options_of(answer)["model"].offered == {"a": "a"}


@pytest.mark.parametrize(
    ("asked", "value"),
    [
        (Selection(model="claude-opus[1m]"), "claude-opus[1m]"),
        (Selection(model="Opus"), "opus"),
        (Selection(model="gpt"), "gpt(openai)"),
        (Selection(model="composer"), "composer[fast=false]"),
        (Selection(model="composer", fast=True), "composer[effort=high, fast=true]"),
        (Selection(model="composer", effort="high"), "composer[effort=high, fast=true]"),
        (Selection(model="composer", effort="low"), "composer[fast=false]"),
        (Selection(model="comp"), None),
    ],
)
def test_a_model_is_meant_by_its_value_its_name_or_its_id(
    asked: Selection, value: str | None
) -> None:
    values = (
        *("claude-opus[1m]", "opus", "gpt(openai)"),
        *("composer[fast=false]", "composer[effort=high, fast=true]"),
    )
    offered = {each: each.title() for each in values}

    assert meant(Option(id="model", current="", offered=offered), asked) == value


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("id", set()),
        ("id[]", set()),
        ("id(account)", set()),
        ("id[effort=high, fast=true]", {"effort=high", "fast=true"}),
    ],
)
def test_the_parameters_of_a_value_are_those_in_its_brackets(value: str, found: set[str]) -> None:
    assert parameters(value) == found
