"""The second stage: a worker does what the plan says, and writes worker-result.json."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipeline.protocol.agreement import COMPLETED, GIVEN_UP, differences, is_unexplained, planned
from pipeline.protocol.layout import PLAN, WORKER_RESULT
from pipeline.run.artifacts import SHOWN
from pipeline.run.stage import Stage, marker
from pipeline.terminal.display import listed, named, quoted
from pipeline.tiers import agent_of

if TYPE_CHECKING:
    from pipeline.run.stage import Facts
    from pipeline.schema import WorkerResult


def _problems(facts: Facts, result: WorkerResult) -> list[str]:
    """Return where a worker's result disagrees with its role, its plan and the work tree."""
    path, files, tree = facts.path, result["files_changed"], facts.tree
    problems = marker(result, facts.roles, path)
    if is_unexplained(result):
        expected = f'"{COMPLETED}" if the work is done, or blockers that say what stops it'
        found = f"found {named(result['status'])} and no blockers"
        return [*problems, f"{path}: $.status: expected {expected}, {found}"]
    if result["status"] != COMPLETED:
        return problems
    affected = facts.values[PLAN]["affected_files"]
    unplanned, undone = differences(files, planned(files, affected))
    wrong = [
        (unplanned, "lists files that are not in the plan"),
        (undone, "does not list files that are in the plan"),
    ]
    if tree is not None:
        unchanged = "lists files that have not changed, or that git ignores"
        wrong.append((differences(files, tree.allowed)[0], unchanged))
        wrong.append((differences(files, tree.changed)[1], "does not list files that changed"))
    where = f"{path}: $.files_changed"
    return problems + [f"{where}: {what}: {listed(sorted(f), 8)}" for f, what in wrong if f]


def _why_not_done(result: WorkerResult) -> list[str]:
    if result["status"] == COMPLETED:
        return []
    blockers = [quoted(blocker, 400) for blocker in result["blockers"][:SHOWN]]
    return [f"the worker's status is {named(result['status'])}", *blockers]


IMPLEMENT = Stage(
    name="implement",
    state="implementing",
    next_step="a worker reads plan.json and writes worker-result.json",
    artifact=WORKER_RESULT,
    role=lambda tier: agent_of(tier, "x-worker"),
    writes="project",
    task="""\
The plan: `{plan}`.
Do the work in `{about.target}` and nowhere else, then write `{result}`.
"produced_by" is "{role}".
{validate} {plan} {result}""",
    problems=_problems,
    why_not_done=_why_not_done,
    gives_up=lambda result: result["status"] in GIVEN_UP,
    stopped=lambda role, path: f"{role} did not complete the work: {path}",
    advice="Resolve the blockers, then run the same command with --retry.",
)
