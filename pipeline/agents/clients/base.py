"""What a client is: where it looks for which files, and how one of its agents is written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from pipeline.agents.source import Agent, Rule
    from pipeline.tiers import Selection


@dataclass(frozen=True, kw_only=True, slots=True)
class Client:
    """One client's tree, all paths relative to the project's root with `/` between the parts.

    `agent_path` and `rule_path` hold `{name}`; `agent` and `rule` return the text of such a file.
    A client without files for rules has a file of `instructions` instead: the rules are one section
    of it, and the rest of it is the user's. `next_step` is one line: what a person does after an
    export.
    """

    name: str
    agent_path: str
    agent: Callable[[Agent, Selection], str]
    skills: tuple[str, ...]
    next_step: str
    instructions: str = ""
    rule_path: str = ""
    rule: Callable[[Rule], str] | None = None
