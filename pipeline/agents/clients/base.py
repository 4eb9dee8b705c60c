"""What a client is: where it looks for which files, and how one of its agents is written."""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from pipeline.tiers import Selection

    Value = bool | str | list[str] | Mapping[str, "Value"]


_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f]")


@dataclass(frozen=True, kw_only=True, slots=True)
class Agent:
    """A role: `text` is its prompt in Markdown, from the first line on.

    `reads_only`: it runs commands (tests, `git diff`) but edits no file. `dispatches`: it calls
    other agents.
    """

    name: str
    description: str
    text: str
    reads_only: bool = False
    dispatches: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Rule:
    """A rule for the agent that a person talks to; `always`: part of every prompt."""

    name: str
    description: str
    text: str
    always: bool = False


class Place(NamedTuple):
    """A folder of definitions, relative to the project's root.

    `endings` are those of the agents and rules that the client reads; a skill has none, because it
    is a folder with a `SKILL.md`. `format` names the schema in `pipeline/agents/formats/`.
    """

    folder: str
    format: str
    endings: tuple[str, ...] = (".md",)

    def file(self, name: str) -> str:
        """Return the path to which an agent or a rule is written."""
        return f"{self.folder}/{name}{self.endings[0]}"


def skills_in(*folders: str) -> tuple[Place, ...]:
    """Return folders of skills in the common format (agentskills.io)."""
    return tuple(Place(folder, "agent-skill", ()) for folder in folders)


# Folders of a plugin, by the folder of its manifest.
PLUGINS = {
    ".claude-plugin": (Place("agents", "claude-agent"), *skills_in("skills")),
    ".codex-plugin": skills_in("skills"),
    ".cursor-plugin": (
        Place("agents", "cursor-agent"),
        Place("rules", "cursor-rule", (".mdc",)),
        Place("skills", "cursor-skill", ()),
    ),
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Profile:
    """How to start a client, prompt it and limit its rights over the Agent Client Protocol.

    `argv` starts it as an agent of the protocol, `install` gets it. Of the environment it gets the
    variables named by `keys`, where they are set, and those of `environment`. `mode` is the mode of
    a session; `reading` is that of a role that writes nothing, `dispatching` that of an agent that
    dispatches others, where they are not empty. If a mode is empty or not offered, a careful one of
    those that are offered is chosen. `methods` are its ways to log in without a person; `login` is
    for people. `definitions` are the folders where it looks for agents; `no_delegation` says
    why it cannot dispatch them. `extras` is sent as `_meta` of the driver's capabilities. `titled`:
    it asks about a command by the title alone, which is the whole command. Sources: the clients'
    own documentation and sessions with them.

    Of the user's home a jail shows it `settings`, which it cannot change, and `logins`, which it
    can: names in its own `home`, a folder that the second text moves if it is a variable that is
    set, or paths that begin with `~/`. `jailed` is its mode there, if its own sandbox needs one.
    """

    name: str
    argv: tuple[str, ...]
    install: str
    login: str
    home: tuple[str, str] = ("~", "")
    settings: tuple[str, ...] = ()
    logins: tuple[str, ...] = ()
    jailed: str = ""
    keys: tuple[str, ...] = ()
    mode: str = ""
    definitions: tuple[str, ...] = ()
    reading: str = ""
    dispatching: str = ""
    no_delegation: str = ""
    methods: tuple[str, ...] = ()
    titled: bool = False
    environment: Mapping[str, str] = field(default_factory=dict)
    extras: Mapping[str, bool] = field(default_factory=dict)

    @property
    def program(self) -> str:
        """The program that must be on PATH."""
        return self.argv[0]

    def own_files(self, environment: Mapping[str, str]) -> tuple[str, list[str], list[str]]:
        """Return the absolute paths of its home, its settings and its logins, where they exist."""
        folder, variable = self.home
        user = environment.get("HOME", "")
        home = environment.get(variable) or folder.replace("~", user, 1)
        settings, logins = (
            [path for path in paths if os.path.exists(path)]
            for paths in (
                [os.path.join(home, name.replace("~", user, 1)) for name in names]
                for names in (self.settings, self.logins)
            )
        )
        return home, settings, logins


class Hooks(NamedTuple):
    """A client's hooks file, the script of the pack, and the hooks that run it."""

    config: str
    script: str
    wanted: dict[str, Any]


@dataclass(frozen=True, kw_only=True, slots=True)
class Client(Profile):
    """A client that the pack can be exported to; all paths are relative to the project's root.

    `places` are all folders where it looks for definitions. Agents are written to the first, rules
    to the second; `agent` and `rule` return the text of a file. A client without files for rules
    has a file of `instructions` instead: the rules are one section of it, and the rest of it is the
    user's. `next_step` says what to do after an export. `hooks` report its subagents.
    """

    places: tuple[Place, ...]
    agent: Callable[[Agent, Selection], str]
    next_step: str
    skills: tuple[str, ...] = (".agents/skills",)
    instructions: str = "AGENTS.md"
    rule: Callable[[Rule], str] | None = None
    hooks: Hooks | None = None


def with_front_matter(fields: Mapping[str, Value], text: str) -> str:
    """Return a definition file: the fields between two `---` lines, an empty line, the text.

    Texts are double-quoted, since a colon, a star or a date means something else in YAML without
    quotes; a `name` is letters, digits and hyphens, and is written as it is.
    """
    lines = [line for key, value in fields.items() for line in _field(key, value)]
    return "\n".join(["---", *lines, "---", "", text])


def markdown_agent(
    agent: Agent, *, reads: str | list[str] = "", model: str = "", effort: str = ""
) -> str:
    """Return an agent in Markdown with the keys that most clients share; empty ones are left out.

    `reads` are the tools of an agent that edits no file.
    """
    fields: dict[str, Value] = {"name": agent.name, "description": agent.description}
    if agent.reads_only and reads:
        fields["tools"] = reads
    fields |= {key: value for key, value in (("model", model), ("effort", effort)) if value}
    return with_front_matter(fields, agent.text)


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
        yield from (f"  - {_quoted(each)}" for each in value)
    else:
        yield f"{key}:"
        for inner, below in value.items():
            quoted = inner if inner.isidentifier() else _quoted(inner)
            yield from (f"  {line}" for line in _field(quoted, below))


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)  # a JSON string is a YAML string, and a TOML one
