"""What of the rule `x-tier-routing` is generated: the classifier's rules and the routing table."""

from __future__ import annotations

import textwrap

from pipeline.classifying.rules import RULES
from pipeline.tiers import ROUTING

_WIDTH = 110


def filled(text: str) -> str:
    """Return a text of the pack with its lines `{rules}` and `{routing}` replaced."""
    return text.replace("{rules}", "\n".join(_rules())).replace("{routing}", "\n".join(_table()))


def _rules() -> list[str]:
    return [
        textwrap.fill(f"{number}. {rule.sentence}", _WIDTH, subsequent_indent="   ")
        for number, rule in enumerate(RULES, 1)
    ]


def _table() -> list[str]:
    rows = [
        f"| `{tier}` | {', '.join(f'`{agent}`' for agent in agents)} | {_plan(agents)} |"
        for tier, agents in ROUTING.items()
    ]
    return ["| tier | agents | plan |", "| --- | --- | --- |", *rows]


def _plan(agents: tuple[str, ...]) -> str:
    """Say who writes the plan for a tier: a fast worker needs none, the subplanner is asked for."""
    if "x-subplanner" in agents:
        return "`plan.json`, always by `x-subplanner`"
    return "`plan.json`, which `x-planner` may write" if "x-worker" in agents else "none"
