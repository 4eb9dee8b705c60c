"""The stages whose agent writes an artifact: kept if it is there, else asked for twice at most."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from pipeline.protocol.layout import PLAN, WORKER_RESULT, in_target
from pipeline.running import agent_prompts, guard
from pipeline.running.artifacts import (
    Found,
    Tree,
    blocks,
    find,
    plan_problems,
    result_problems,
    set_aside,
)
from pipeline.running.attesting import Taken, attest, note
from pipeline.running.dispatching import Dispatch, Run, Stopped, begun, cut, dispatch
from pipeline.running.verdict import BLOCKED, lines_of, verdict_of
from pipeline.terminal.display import visible
from pipeline.terminal.exit_codes import UNUSABLE

if TYPE_CHECKING:
    from pipeline.running import witness
    from pipeline.schema import Plan, WorkerResult

TRIES = 2  # the first, and one with the problems of the first in its prompt
_CLEAR = "Clear what is in the way, then run the same command again."
_MEND = "Fix the file or delete it, then run the same command again."


@dataclass(frozen=True, slots=True)
class _Author:
    """A stage that leaves an artifact; `plan` is what the worker works by."""

    what: Dispatch
    plan: Plan | None = None

    def problems(self, run: Run, value: Any, tree: Tree | None) -> list[str]:
        """Return what is wrong with a valid artifact beyond its schema."""
        if self.what.stage == "plan":
            return plan_problems(value, run.about)
        return result_problems(value, self.plan, run.about, tree)


def planned(run: Run) -> Plan | None:
    """Return the plan of the issue, written now if it is not there; None for a trivial task.

    Raises:
        Stopped: no valid plan after two tries, or the planner changed something else.
    """
    if not run.about.is_planned:
        return None
    what = Dispatch(stage="plan", role="x-subplanner", artifact=PLAN, writes="artifact")
    plan: Plan = _settled(run, _Author(what))
    return plan


def implemented(run: Run, plan: Plan | None, review: str = "") -> WorkerResult:
    """Return the worker's result, its work done now if it is not there.

    Args:
        run: the run.
        plan: the validated plan, None for a trivial task.
        review: the words of a review that asks for changes: the worker goes on after it.

    Raises:
        Stopped: the work is not completed, its result is invalid after two tries, or the worker
            changed what it may not.
    """
    role = run.about.role("worker")
    what = Dispatch(stage="implement", role=role, artifact=WORKER_RESULT, writes="project")
    result: WorkerResult = _settled(run, _Author(what, plan), review)
    lines = blocks(result)
    if lines:
        raise Stopped(
            f"{role} did not complete the work: {run.about.path(WORKER_RESULT)}",
            *lines,
            "Clear what blocks it, then run the same command with --retry.",
        )
    return result


def _settled(run: Run, author: _Author, review: str = "") -> Any:
    what, started = author.what, time.monotonic()
    was = cut(run, what)
    found = find(run.about, what.artifact)
    if found.is_valid and not review and not _asked_again(run, found):
        problems = author.problems(run, found.value, _tree_since(run, was))
        if not problems:
            seen = note(run, what.artifact, found.value["produced_by"])
            run.tell("kept", what.stage, what.role, run.about.path(what.artifact) + seen)
            return found.value
        found = found._replace(problems=tuple(problems))
    fresh = was.fresh if was else not (found.exists or review or begun(run, what))
    author = replace(author, what=replace(what, fresh=fresh))
    if fresh and was is None:
        _require_committed(run, author)
    if found.problems:
        set_aside(run.about.on_disk(what.artifact))
    before = was.before if was else guard.take(run.repository, run.about.target)
    value, taken = _written(run, author, _order(run, what, found, review), before)
    if what.stage == "plan" or not blocks(value):
        _tell_done(run, what, taken, time.monotonic() - started)
    return value


def _tell_done(run: Run, what: Dispatch, taken: Taken, seconds: float) -> None:
    told = attest(run, taken)
    path = run.about.path(what.artifact) + (", witnessed" if told else "")
    if taken.model:
        told["model"] = taken.model
    run.tell("done", what.stage, what.role, path, seconds=seconds, **told)


def _written(run: Run, author: _Author, order: str, before: guard.Snapshot) -> tuple[Any, Taken]:
    """Have the artifact written, and written again with its problems told; say by which turn."""
    what, path = author.what, run.about.path(author.what.artifact)
    problems: list[str] = []
    said: list[str] = []
    now = guard.take(run.repository, run.about.target) if run.attester else before
    for number in range(TRIES):
        if number:
            run.tell("again", what.stage, what.role, problems[0])
        reply, after = dispatch(run, what, order, before)
        found = find(run.about, what.artifact)
        if found.is_valid:
            tree = _tree(run, before, after, fresh=what.fresh)
            problems = author.problems(run, found.value, tree)
        else:
            problems = list(found.problems) or [f"{path}: does not exist"]
        if not problems:
            stage: Literal["plan", "implement"] = "plan" if what.stage == "plan" else "implement"
            return found.value, Taken(stage, what.role, what.artifact, reply.model, now, after)
        now = after
        said = [] if found.exists else lines_of(reply.text) or ["It said nothing."]
        if said and verdict_of(reply.text) == BLOCKED:
            raise Stopped(f"{what.role} is blocked and left no {what.artifact}", *said, _CLEAR)
        told = agent_prompts.again(problems, path)
        order = f"{agent_prompts.task(what.stage, what.role, run.about)}\n\n{told}"
    advice = f"That is what it said. {_CLEAR}" if said else _MEND
    raise Stopped(
        f"{what.role} left no {what.artifact} that can be used, in {TRIES} tries",
        *problems,
        *said,
        advice,
    )


def _tree(run: Run, before: guard.Snapshot, after: guard.Snapshot, *, fresh: bool) -> Tree:
    changed = guard.project_changes(before, after, run.about.target)
    differing = guard.project_changes(guard.NOTHING, after, run.about.target)
    return Tree(changed, changed if fresh else changed | differing)


def _tree_since(run: Run, was: witness.Witness | None) -> Tree | None:
    """Return what changed since a turn that was cut; None where none was."""
    if was is None:
        return None
    after = guard.take(run.repository, run.about.target)
    return _tree(run, was.before, after, fresh=was.fresh)


def _order(run: Run, what: Dispatch, found: Found, review: str) -> str:
    path = run.about.path(what.artifact)
    order = agent_prompts.task(what.stage, what.role, run.about)
    if review:
        return f"{order}\n\n{agent_prompts.findings(review, path)}"
    if found.problems:
        return f"{order}\n\n{agent_prompts.again(found.problems, path)}"
    if found.exists:
        return f"{order}\n\n{agent_prompts.again(blocks(found.value), path)}"
    return order


def _asked_again(run: Run, found: Found) -> bool:
    return run.retry and "blockers" in found.value and bool(blocks(found.value))


def _require_committed(run: Run, author: _Author) -> None:
    """Refuse to let a worker change files that hold changes of the user's own."""
    if author.what.stage != "implement":
        return
    dirty = run.repository.changes()
    target = run.about.target
    if author.plan is not None:
        files = {in_target(target, file) for file in author.plan["affected_files"]}
        mine = sorted(files & set(dirty))
    else:
        inside = "" if target == "." else f"{target}/"
        mine = sorted(
            name
            for name, status in dirty.items()
            if name.startswith(inside) and "?" not in status and ".pipeline/" not in name
        )
    if mine:
        names = ", ".join(visible(name) for name in mine[:8])
        raise Stopped(
            f"the worker would change files that have changes of yours: {names}",
            "Commit or stash them (git stash push -- …), then run the same command again.",
            code=UNUSABLE,
        )
