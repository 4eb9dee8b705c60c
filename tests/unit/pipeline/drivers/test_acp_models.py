"""A session has the model, the mode and the pace that were asked for, or there is a fault."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

from pipeline.drivers.acp.options import Option, meant, options_of
from pipeline.drivers.base import DriverFault
from pipeline.tiers import Selection
from tests.stubs.scripted_client import a_turn, choice

if TYPE_CHECKING:
    from pathlib import Path

    from tests.stubs.scripted_client import ScriptedClient


MODELS = choice("model", "small(openai)", "large(openai)")
STRONG = {"selection": Selection(model="large")}


def nothing(_: str) -> None:
    """Hear a word about a turn."""


def options(*each: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Return a script whose sessions have options."""
    return {"session": {"configOptions": list(each)}, **more}


def legacy(*models: str, mode: str = "default") -> dict[str, Any]:
    """Return a script whose sessions have modes and models in the older way."""
    offered = [{"modelId": model, "name": model} for model in models]
    modes = {"currentModeId": "plan", "availableModes": [{"id": "plan"}, {"id": mode}]}
    return {
        "session": {
            "models": {"currentModelId": models[0], "availableModels": offered},
            "modes": modes,
        }
    }


def chosen(client: ScriptedClient) -> list[tuple[str, str, str | bool]]:
    """Return what the client was asked to set: session, option, value."""
    sent = client.heard("session/set_config_option")
    return [(each["sessionId"], each["configId"], each["value"]) for each in sent]


def fault_of(client: ScriptedClient, root: Path, script: dict[str, Any], **turn: Any) -> str:
    with pytest.raises(DriverFault) as fault:
        client.driver(script).take(a_turn(root, **turn), nothing)
    return re.sub(r" \(its log: .*\)$", "", str(fault.value))


def test_nothing_is_set_where_nothing_is_asked_for(client: ScriptedClient, root: Path) -> None:
    reply = client.driver(options(MODELS)).take(a_turn(root), nothing)

    assert chosen(client) == []
    assert reply.model == "small(openai)"


def test_the_model_of_a_turn_is_set_and_confirmed(client: ScriptedClient, root: Path) -> None:
    reply = client.driver(options(MODELS)).take(a_turn(root, **STRONG), nothing)

    assert chosen(client) == [("session-1", "model", "large(openai)")]
    assert reply.model == "large(openai)"


def test_a_model_that_a_user_names_is_taken_for_every_role_and_without_the_tables_effort(
    client: ScriptedClient, root: Path
) -> None:
    script = options(MODELS, choice("thought_level", "low", "high"))
    turn = a_turn(root, selection=Selection(model="small", effort="high"))
    client.driver(script, models={"*": "large"}).take(turn, nothing)

    assert chosen(client) == [("session-1", "model", "large(openai)")]


def test_another_model_than_the_one_asked_for_is_a_fault(
    client: ScriptedClient, root: Path
) -> None:
    script = options(MODELS, confirms={"model": "small(openai)"})

    assert fault_of(client, root, script, **STRONG) == (
        'qwen was asked for the model "large(openai)" and says that it has "small(openai)"; '
        'it offers "small(openai)", "large(openai)"'
    )


@pytest.mark.parametrize("purpose", ["thought_level"])
def test_another_value_of_any_option_than_the_one_asked_for_is_a_fault(
    client: ScriptedClient, root: Path, purpose: str
) -> None:
    value = {"mode": "default", "thought_level": "high"}[purpose]
    script = options(choice(purpose, "first", value), confirms={purpose: "first"})

    assert fault_of(client, root, script, selection=Selection(effort="high")) == (
        f'qwen was asked for the {purpose} "{value}" and says that it has "first"; '
        f'it offers "first", "{value}"'
    )


def test_a_client_that_falls_back_to_another_model_in_a_turn_is_a_fault(
    client: ScriptedClient, root: Path
) -> None:
    fallen = {"sessionUpdate": "config_option_update", "configOptions": [MODELS]}
    script = options(MODELS, turns=[[{"update": fallen}]])

    assert fault_of(client, root, script, **STRONG).startswith(
        'qwen was asked for the model "large(openai)" and says that it has "small(openai)"'
    )


def test_a_model_that_is_not_offered_is_a_fault_that_lists_what_is(
    client: ScriptedClient, root: Path
) -> None:
    turn = {"selection": Selection(model="huge")}

    assert fault_of(client, root, options(MODELS), **turn) == (
        'qwen does not offer the model "huge": it offers "small(openai)", "large(openai)"; '
        "choose one by --model x-worker=ID"
    )


def test_a_client_that_lets_no_model_be_chosen_is_a_fault_where_one_is_asked_for(
    client: ScriptedClient, root: Path
) -> None:
    assert fault_of(client, root, {}, **STRONG) == (
        'qwen lets no model be chosen, and "large" was asked for x-worker: '
        "choose it in the client's own settings"
    )


def test_the_older_way_is_taken_where_there_is_no_other(client: ScriptedClient, root: Path) -> None:
    script = legacy("gemini-a", "gemini-b")
    driver = client.driver(script, "gemini", models={"*": "gemini-b"})
    reply = driver.take(a_turn(root), nothing)

    assert client.heard("session/set_mode") == [{"sessionId": "session-1", "modeId": "default"}]
    assert client.heard("session/set_model") == [{"sessionId": "session-1", "modelId": "gemini-b"}]
    assert reply.model == "gemini-b"


def test_a_mode_is_set_for_what_the_role_may_do(client: ScriptedClient, root: Path) -> None:
    driver = client.driver(
        options(choice("mode", "agent-full-access", "agent", "read-only")), "codex"
    )
    driver.take(a_turn(root), nothing)
    driver.take(a_turn(root, session="x-git", role="x-git", writes="nothing"), nothing)

    assert chosen(client) == [
        ("session-1", "mode", "agent"),
        ("session-2", "mode", "read-only"),
    ]


def test_a_mode_that_is_gone_from_a_client_is_a_fault(client: ScriptedClient, root: Path) -> None:
    assert fault_of(client, root, options(choice("mode", "auto", "yolo"))) == (
        'qwen does not offer the mode "default": it offers "auto", "yolo"'
    )


@pytest.mark.parametrize(
    "effort",
    [
        choice("effort", "low", "high", category=None),
        choice("thought_level", "low", options=[{"options": [{"value": "high"}]}]),
    ],
)
def test_effort_is_set_by_the_options_category_or_else_its_id(
    client: ScriptedClient, root: Path, effort: dict[str, Any]
) -> None:
    turn = a_turn(root, selection=Selection(effort="high"))
    client.driver(options(effort)).take(turn, nothing)

    assert chosen(client) == [("session-1", effort["id"], "high")]


def test_an_effort_that_is_not_offered_is_told_and_left(client: ScriptedClient, root: Path) -> None:
    turn = a_turn(root, selection=Selection(effort="high", fast=True))
    client.driver(options(choice("thought_level", "low"))).take(turn, client.told.append)

    assert chosen(client) == []
    assert client.told == [
        "qwen offers no thought level high: left as it is",
        "qwen offers no fast true: left as it is",
    ]


def test_the_quick_variant_is_an_option_that_is_on_or_off(
    client: ScriptedClient, root: Path
) -> None:
    fast = {"id": "fast", "name": "Fast", "type": "boolean", "currentValue": False}
    client.driver(options(fast)).take(a_turn(root, selection=Selection(fast=True)), nothing)

    assert chosen(client) == [("session-1", "fast", True)]


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
