"""What a client is: where it looks for which files, and how one of its agents is written."""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pipeline.tiers import Selection

    Value = bool | str | list[str] | Mapping[str, "Value"]


_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f]")


@dataclass(frozen=True, kw_only=True, slots=True)
class Agent:
    """A role of the pack."""

    name: str
    description: str
    text: str  #: its prompt in Markdown, from the first line on
    reads_only: bool = False  #: it runs commands (tests, `git diff`) but edits no file
    dispatches: bool = False  #: it calls other agents


@dataclass(frozen=True, kw_only=True, slots=True)
class PackRule:
    """A rule for the agent that a person talks to, or a skill."""

    name: str
    description: str
    text: str
    always: bool = False  #: part of every prompt


class DefinitionFolder(NamedTuple):
    """A folder of definitions, relative to the project's root."""

    folder: str
    format: str  #: the name of a schema in `pipeline/agents/formats/`
    #: of the agents and rules that the client reads; a skill is a folder with a `SKILL.md`
    endings: tuple[str, ...] = (".md",)

    def file(self, name: str) -> str:
        """Return the path to which an agent or a rule is written."""
        return f"{self.folder}/{name}{self.endings[0]}"


# Folders of a plugin, by the folder of its manifest; skills have the format of agentskills.io.
PLUGINS = {
    ".claude-plugin": (
        DefinitionFolder("agents", "claude-agent"),
        DefinitionFolder("skills", "agent-skill", ()),
    ),
    ".codex-plugin": (DefinitionFolder("skills", "agent-skill", ()),),
    ".cursor-plugin": (
        DefinitionFolder("agents", "cursor-agent"),
        DefinitionFolder("rules", "cursor-rule", (".mdc",)),
        DefinitionFolder("skills", "cursor-skill", ()),
    ),
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Profile:
    """How to start a client, prompt it and limit its rights over the Agent Client Protocol.

    Sources: the clients' own documentation and sessions with them. If a mode is empty or not
    offered, a careful one of those that are offered is chosen.
    """

    name: str
    argv: tuple[str, ...]  #: starts it as an agent of the protocol
    install: str  #: what a person runs to get it
    login: str  #: what a person does to log in
    #: the folder of its files, and the variable that moves it, if there is one
    home: tuple[str, str] = ("~", "")
    #: what a jail shows of that folder and cannot change; `~/` begins a path of the user's home
    settings: tuple[str, ...] = ()
    logins: tuple[str, ...] = ()  #: what a jail shows of it and can change
    jailed: str = ""  #: its mode in a jail, if its own sandbox needs one
    keys: tuple[str, ...] = ()  #: variables that it gets where they are set
    mode: str = ""  #: of a session
    definitions: tuple[str, ...] = ()  #: the folders where it looks for agents
    reading: str = ""  #: the mode of a role that writes nothing
    dispatching: str = ""  #: the mode of an agent that dispatches others
    no_delegation: str = ""  #: why it cannot dispatch agents
    methods: tuple[str, ...] = ()  #: its ways to log in without a person
    titled: bool = False  #: it asks about a command by the title alone, which is the whole command
    environment: Mapping[str, str] = field(default_factory=dict)  #: variables that it needs
    extras: Mapping[str, bool] = field(default_factory=dict)  #: `_meta` of the capabilities
    #: where it reports what a turn used: in the `answer` to a prompt and the `update`s before it,
    #: or in the JSON that its program has `printed`
    usage: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    #: patterns of lines by which it says, also as an agent's answer, that its model takes no
    #: requests for now
    limited: tuple[str, ...] = ()
    limited_codes: tuple[int, ...] = ()  #: its codes for it, of an answer or an exit

    @property
    def program(self) -> str:
        """The program that must be on PATH."""
        return self.argv[0]

    def files_of_user(self, environment: Mapping[str, str]) -> tuple[str, list[str], list[str]]:
        """Return the absolute paths of its home, its settings and its logins, where they exist."""
        folder, variable = self.home
        user = environment.get("HOME", "")
        home = environment.get(variable) or folder.replace("~", user, 1)

        def existing(names: Sequence[str]) -> list[str]:
            paths = (os.path.join(home, name.replace("~", user, 1)) for name in names)
            return list(filter(os.path.exists, paths))

        return home, existing(self.settings), existing(self.logins)


class Hooks(NamedTuple):
    """The hooks by which a client reports its subagents."""

    config: str  #: the client's file of hooks
    script: str  #: where the pack's script is written
    wanted: dict[str, Any]  #: the hooks that run it


@dataclass(frozen=True, kw_only=True, slots=True)
class Client(Profile):
    """A client that the pack can be exported to; all paths are relative to the project's root."""

    #: all folders where it looks for definitions: agents are written to the first, rules to the
    #: second
    places: tuple[DefinitionFolder, ...]
    #: the keys of an agent's file: a text, a word of the role such as `{model}`, or a table with
    #: what is for a role that `reads_only` or `dispatches`, and the `default`
    definition: Mapping[str, Any]
    prompt_key: str = ""  #: the key of the prompt, of agents that are TOML
    next_step: str  #: what to do after an export
    skills: tuple[str, ...] = (".agents/skills",)
    #: the file in which the rules are one section, the rest being the user's; empty where the
    #: client has files for rules
    instructions: str = "AGENTS.md"
    hooks: Hooks | None = None

    def agent(self, agent: Agent, chosen: Selection) -> str:
        """Return the file of an agent; keys without a value are left out."""
        words = {
            "{name}": agent.name,
            "{description}": agent.description,
            "{model}": chosen.model,
            "{model or inherit}": chosen.model or "inherit",
            "{model[parameters] or inherit}": chosen.with_parameters() or "inherit",
            "{effort}": chosen.effort,
        }
        traits = ["reads_only"] * agent.reads_only + ["dispatches"] * agent.dispatches + ["default"]
        fields: dict[str, Any] = {}
        for key, entry in self.definition.items():
            value = entry
            if isinstance(entry, dict):
                value = next((entry[trait] for trait in traits if trait in entry), "")
            if value := words.get(value, value) if isinstance(value, str) else value:
                fields[key] = value
        if self.prompt_key:
            return toml_agent(fields, self.prompt_key, agent.text)
        return with_front_matter(fields, agent.text)


def rule_file(rule: PackRule) -> str:
    """Return the file of a rule, for a client that has such files."""
    fields: dict[str, Value] = {"description": rule.description, "alwaysApply": rule.always}
    return with_front_matter(fields, rule.text)


def with_front_matter(fields: Mapping[str, Value], text: str) -> str:
    """Return a definition file: the fields between two `---` lines, an empty line, the text.

    Texts are double-quoted, since a colon, a star or a date means something else in YAML without
    quotes; a `name` is letters, digits and hyphens, and is written as it is.
    """
    lines = [line for key, value in fields.items() for line in _field(key, value)]
    return "\n".join(["---", *lines, "---", "", text])


def toml_agent(fields: Mapping[str, str | list[str]], prompt: str, text: str) -> str:
    """Return an agent in TOML: its fields, then the key `prompt` with the text."""
    lines = [f"{key} = {_toml(value)}" for key, value in fields.items()]
    return "\n".join([*lines, f"{prompt} = {_block(text)}", ""])


def _toml(value: str | list[str]) -> str:
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")  # TOML refuses DEL


def _block(text: str) -> str:
    """Return a text as a block of lines, unless such a block cannot contain it."""
    if "'''" in text or _CONTROL.search(text):
        return _toml(text)
    return f"'''\n{text}'''"


def _field(key: str, value: Value) -> Iterator[str]:
    if isinstance(value, bool):
        yield f"{key}: {str(value).lower()}"
    elif isinstance(value, str):
        yield f"{key}: {value if key == 'name' else _quoted(value)}"
    elif isinstance(value, list):
        yield f"{key}:"
        yield from (f"  - {_quoted(text)}" for text in value)
    else:
        yield f"{key}:"
        for inner, below in value.items():
            quoted = inner if inner.isidentifier() else _quoted(inner)
            yield from (f"  {line}" for line in _field(quoted, below))


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)  # a JSON string is a YAML string, and a TOML one
