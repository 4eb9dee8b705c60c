"""Writes the tables of the tiers' page: who handles a task, and what the scenarios expect."""

from __future__ import annotations

from pipeline.tiers import ROUTING
from tools.markdown import plain, table
from verify.exercises.expert.ex01_classify import SCENARIOS


def tier_table() -> str:
    """Return the agents of each tier."""
    agents = {tier: ", ".join(f"`{name}`" for name in names) for tier, names in ROUTING.items()}
    return table(("tier", "agents"), [(f"`{tier}`", names) for tier, names in agents.items()])


def scenario_table() -> str:
    """Return the five scenarios with the answers that are expected."""
    rows = []
    for each in SCENARIOS:
        exact = each.most_files == each.least_files
        files = f"{each.least_files}" if exact else f"{each.least_files} or more"
        rows.append((plain(each.task), files, each.domain_scope, f"`{each.tier}`"))
    return table(("task", "files", "domains", "tier"), rows)
