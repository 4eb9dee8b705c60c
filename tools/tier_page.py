"""Writes the page of the tiers: the routing table, the IDE pack's rule, the scenarios."""

from __future__ import annotations

import re

from pipeline.agents.source import pack
from pipeline.tiers import ROUTING
from tools.markdown import plain
from verify import catalog
from verify.exercises.expert.ex01_classify import SCENARIOS

RULE = ".cursor/rules/x-tier-routing.mdc"
TAKEN_OVER = ("Signals", "Rule")  # sections of the rule that the page shows as they are


def tiers_page() -> str:
    """Return the page of the tiers.

    Raises:
        LookupError: the rule has lost one of its sections.
    """
    lesson = catalog.find("expert", "1").page.removeprefix("docs/")
    lines = [
        "# The tiers",
        "",
        "Generated from `pipeline/routing.json`, from the rule",
        f"[x-tier-routing](../../{RULE}) that agents are given, and from the scenarios of the",
        f"exercise [Classify tasks into tiers](../{lesson}).",
        "",
        *_routing(),
        *_sections(),
        *_scenarios(),
    ]
    return "\n".join(lines) + "\n"


def _routing() -> list[str]:
    rows = [f"| `{tier}` | {_listed(agents)} |" for tier, agents in ROUTING.items()]
    return [
        "## Who handles a task",
        "",
        "| tier | agents |",
        "| --- | --- |",
        *rows,
        "",
        "The agents of `trivial` are the specification's. It shows none for the other tiers: those",
        "are our own choice. A classification that names others gets a note at most; the run of",
        "three tiers, expert/02, asks for the planners and workers of this table.",
        "",
    ]


def _sections() -> list[str]:
    (rule,) = (each for each in pack().rules if each.name == "x-tier-routing")
    found = dict(re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", rule.text, re.MULTILINE | re.DOTALL))
    missing = [title for title in TAKEN_OVER if title not in found]
    if missing:
        raise LookupError(f"the rule {rule.name} has no section {missing}")
    return [line for title in TAKEN_OVER for line in (f"## {title}", "", found[title].strip(), "")]


def _scenarios() -> list[str]:
    rows = []
    for each in SCENARIOS:
        exact = each.most_files == each.least_files
        files = f"{each.least_files}" if exact else f"{each.least_files} or more"
        rows.append(f"| {plain(each.task)} | {files} | {each.domain_scope} | `{each.tier}` |")
    return [
        "## The five scenarios",
        "",
        "What the classification exercise expects. The tier counts; files and domains are advice.",
        "",
        "| task | files | domains | tier |",
        "| --- | --- | --- | --- |",
        *rows,
    ]


def _listed(agents: tuple[str, ...]) -> str:
    return ", ".join(f"`{agent}`" for agent in agents)
