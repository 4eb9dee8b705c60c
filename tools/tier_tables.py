"""Writes the tables of the tiers' page: who handles a task, and what the scenarios expect."""

from __future__ import annotations

from pipeline.tiers import ROUTING
from tools.markdown import plain
from verify.exercises.expert.ex01_classify import SCENARIOS


def tier_table() -> str:
    """Return the agents of each tier."""
    rows = [
        f"| `{tier}` | {', '.join(f'`{agent}`' for agent in agents)} |"
        for tier, agents in ROUTING.items()
    ]
    return "\n".join(["| tier | agents |", "| --- | --- |", *rows])


def scenario_table() -> str:
    """Return the five scenarios with the answers that are expected."""
    rows = []
    for each in SCENARIOS:
        exact = each.most_files == each.least_files
        files = f"{each.least_files}" if exact else f"{each.least_files} or more"
        rows.append(f"| {plain(each.task)} | {files} | {each.domain_scope} | `{each.tier}` |")
    head = ["| task | files | domains | tier |", "| --- | --- | --- | --- |"]
    return "\n".join([*head, *rows])
