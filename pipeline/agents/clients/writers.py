"""How an agent is written for each client; most take Markdown with the same keys."""

from __future__ import annotations

import json
import re
from functools import partial
from typing import TYPE_CHECKING, Any

from pipeline.agents.clients.base import with_front_matter

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pipeline.agents.clients.base import Agent, Value
    from pipeline.tiers import Selection

_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f]")


def writer(client: str, given: Mapping[str, Any]) -> Callable[[Agent, Selection], str]:
    """Return what gives the text of an agent's file in a client.

    Of what is `given`, `reads` are the tools of an agent that edits no file, `inherit` is the model
    where none is chosen, and `effort` says whether the client takes one.
    """
    return partial(_OWN.get(client, _markdown), given)


def _markdown(given: Mapping[str, Any], agent: Agent, chosen: Selection) -> str:
    fields: dict[str, Value] = {"name": agent.name, "description": agent.description}
    if agent.reads_only and given.get("reads"):
        fields["tools"] = given["reads"]
    model = chosen.model or given.get("inherit", "")
    effort = chosen.effort if given.get("effort") else ""
    fields |= {key: value for key, value in (("model", model), ("effort", effort)) if value}
    return with_front_matter(fields, agent.text)


def _cursor(_given: Mapping[str, Any], agent: Agent, chosen: Selection) -> str:
    """Write an agent; its model is `inherit`, or an id as in `composer-2.5[fast=true]`."""
    parameters = [f"effort={chosen.effort}"] * bool(chosen.effort) + ["fast=true"] * chosen.fast
    model = chosen.model + (f"[{','.join(parameters)}]" if parameters else "")
    return _markdown({"inherit": "inherit"}, agent, chosen._replace(model=chosen.model and model))


def _opencode(given: Mapping[str, Any], agent: Agent, chosen: Selection) -> str:
    """Write an agent; opencode sends a key that it does not know to the model's provider."""
    fields: dict[str, Value] = {
        "description": agent.description,
        "mode": "all" if agent.dispatches else "subagent",
    }
    if chosen.model:  # `inherit` is not known here: without a model the caller's is used
        fields["model"] = chosen.model
    if chosen.effort:
        fields["reasoningEffort"] = chosen.effort
    if agent.reads_only or agent.dispatches:  # a subagent cannot dispatch without the permission
        fields["permission"] = given["reads"] if agent.reads_only else {"task": "allow"}
    return with_front_matter(fields, agent.text)


def _codex(_given: Mapping[str, Any], agent: Agent, chosen: Selection) -> str:
    fields = {"name": agent.name, "description": agent.description}
    if chosen.model:
        fields["model"] = chosen.model
    if chosen.effort:
        fields["model_reasoning_effort"] = chosen.effort
    if agent.reads_only:
        fields["sandbox_mode"] = "read-only"  # commands run, and the system lets them write nothing
    return _toml_agent(fields, "developer_instructions", agent.text)


def _vibe(_given: Mapping[str, Any], agent: Agent, chosen: Selection) -> str:
    """Write an agent; its name is the file's, and a model is one of the user's configuration."""
    fields: dict[str, str | list[str]] = {
        "agent_type": "subagent",
        "description": agent.description,
    }
    if chosen.model:
        fields["active_model"] = chosen.model
    if agent.reads_only:
        fields["disabled_tools"] = ["edit", "write_file"]
    return _toml_agent(fields, "instructions", agent.text)


_OWN = {"cursor": _cursor, "opencode": _opencode, "codex": _codex, "vibe": _vibe}


def _toml_agent(fields: Mapping[str, str | list[str]], prompt: str, text: str) -> str:
    """Return an agent in TOML: its fields, then the key `prompt` with the text."""
    lines = [f"{key} = {_toml(value)}" for key, value in fields.items()]
    # a block of lines, unless such a block cannot contain the text
    plain = "'''" not in text and not _CONTROL.search(text)
    return "\n".join([*lines, f"{prompt} = " + (f"'''\n{text}'''" if plain else _toml(text)), ""])


def _toml(value: str | list[str]) -> str:
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")  # TOML refuses DEL
