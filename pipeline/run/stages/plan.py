"""The first stage: a planner writes plan.json."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipeline.protocol.agreement import WRITERS, unmapped
from pipeline.protocol.layout import PLAN
from pipeline.run.assignment import PLANNER
from pipeline.run.problems import marker
from pipeline.run.stage import Stage
from pipeline.terminal.display import listed

if TYPE_CHECKING:
    from pipeline.run.stage import Facts
    from pipeline.schema import Plan


def _problems(facts: Facts, plan: Plan) -> list[str]:
    """Return what a plan lacks for its issue, and files that the run could not commit."""
    problems = marker(plan, WRITERS["plan"], facts.path)
    if missing := unmapped(facts.criteria, plan):
        problems.append(f"{facts.path}: $.acceptance_mapping: does not map {listed(missing)}")
    folders = tuple(f"{folder}/" for folder in facts.submodules)
    if foreign := [file for file in plan["affected_files"] if folders and file.startswith(folders)]:
        what = "lists files of a submodule, which is a repository of its own"
        problems.append(f"{facts.path}: $.affected_files: {what}: {listed(foreign, 8)}")
    return problems


PLANNING = Stage(
    name="plan",
    state="planning",
    next_step="a planner writes plan.json",
    artifact=PLAN,
    role=lambda tier: PLANNER if tier == "trivial" else "x-subplanner",  # a short one is its own
    writes="artifact",
    task="""\
The pipeline's runner dispatches the agents; your part is the plan.
Write `{plan}` with affected_files, steps, acceptance_mapping and produced_by.
"produced_by" is "{role}". Change no other file.
{validate} {plan}""",
    problems=_problems,
)
