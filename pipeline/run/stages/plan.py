"""The first stage: a planner writes plan.json."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pipeline.protocol.agreement import WRITERS, unmapped
from pipeline.protocol.layout import PLAN
from pipeline.run.assignment import PLANNER
from pipeline.run.engine import obtain
from pipeline.run.stage import AGAIN, Stage, marker
from pipeline.terminal.display import listed

if TYPE_CHECKING:
    from pipeline.run.context import Work
    from pipeline.run.stage import Facts
    from pipeline.schema import Plan

PROPOSED = "acceptance_criteria"  # a field of ours: a plan may have more than the specification's


def _problems(facts: Facts, plan: Plan) -> list[str]:
    """Return what a plan lacks for its issue, and files that the run could not commit."""
    problems = marker(plan, WRITERS["plan"], facts.path)
    if facts.criteria is not None and not facts.criteria:
        problems += _unproposed(plan, facts.path)
    if missing := unmapped(facts.criteria or (), plan):
        problems.append(f"{facts.path}: $.acceptance_mapping: does not map {listed(missing)}")
    folders = tuple(f"{folder}/" for folder in facts.submodules)
    if foreign := [file for file in plan["affected_files"] if folders and file.startswith(folders)]:
        what = "lists files of a submodule, which is a repository of its own"
        problems.append(f"{facts.path}: $.affected_files: {what}: {listed(foreign, 8)}")
    return problems


def _unproposed(plan: Plan, path: str) -> list[str]:
    """Return what is wrong with the criteria that a plan proposes for an issue without any."""
    proposed = _proposed(plan)
    if not all(isinstance(text, str) and text.strip() for text in proposed.values() or [""]):
        expected = 'expected the criteria that you propose, such as {"AC1_status": "…"}'
        return [f"{path}: $.{PROPOSED}: {expected}: the issue lists none"]
    if missing := unmapped(proposed, plan):
        return [f"{path}: $.acceptance_mapping: does not map {listed(missing)}"]
    return []


def _proposed(plan: Plan) -> dict[str, Any]:
    proposed = dict[str, Any](plan).get(PROPOSED)
    return proposed if isinstance(proposed, dict) else {}


def _plan(work: Work, stage: Stage) -> Plan:
    """Return the plan; criteria that it proposes are shown, and are those of the run from then."""
    run = work.run
    plan: Plan = obtain(work, stage)
    if not run.about.criteria:
        found = _proposed(plan).items()
        criteria = tuple((label, " ".join(text.split())) for label, text in found)
        work.run = replace(run, about=replace(run.about, criteria=criteria))
        run.tell("notice", text="the issue lists no acceptance criteria; the plan proposes:")
        for label, text in criteria:
            run.tell("notice", text=f"{label}: {text}")
        run.confirm(
            f"the work is compared with these criteria ({len(criteria)})",
            f"Add criteria to the issue, delete {run.about.path(PLAN)}, {AGAIN}.",
        )
    return plan


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
    obtain=_plan,
)
