"""The agents' stages: plan, implement, review; a valid artifact of an earlier run is kept."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from pipeline.protocol.layout import PLAN, WORKER_RESULT
from pipeline.run import guard, prompts
from pipeline.run.artifacts import SHOWN, Artifact, find, keep_copy
from pipeline.run.attest import Taken, attest, note
from pipeline.run.checkpoint import Checkpoint
from pipeline.run.dispatch import WRITTEN, Run, dispatch, has_begun, unsettled
from pipeline.schema import COMPLETED
from pipeline.terminal.display import listed, named, quoted, visible
from pipeline.terminal.fault import Fault, unusable

if TYPE_CHECKING:
    from collections.abc import Collection

    from pipeline.run.assignment import Assignment
    from pipeline.schema import Plan, WorkerResult

Author = Literal["plan", "implement"]  # the stages whose agent writes an artifact
TRIES = 2  # the first, and one with the problems of the first in its prompt
APPROVED, CHANGES, BLOCKED = "approved", "changes needed", "blocked"
_VERDICT = re.compile(rf"[\s*_#>`]*({APPROVED}|{CHANGES}|{BLOCKED})\b(?! not\b)", re.IGNORECASE)
_LINES_SHOWN = 20  # of an answer that a message repeats
_LINES_SEARCHED = 40
_CLEAR = "Remove the obstacle, then run the same command again."
_FIX = "Fix the file or delete it, then run the same command again."
_FORM = "Begin your answer with a line that is `approved`, `changes needed` or `blocked`."
_EMPTY = "the answer is empty"
_KEPT = "The work and its artifacts are kept."
_NUMBER = re.compile(r"AC([0-9]+)_")


class Tree(NamedTuple):
    """The files of the target project that a worker changed, by their paths from there.

    `changed` are those since the turn began. `differing` are those that it may list: the same for a
    stage that had not begun, otherwise also what differs from the last commit.
    """

    changed: set[str]
    differing: set[str]


def plan_stage(run: Run) -> Plan:
    """Return the plan of the issue, written now if it is not there."""
    plan: Plan
    plan, _ = _obtain(run, "plan")
    return plan


def implement_stage(
    run: Run, plan: Plan, review: str = ""
) -> tuple[WorkerResult, guard.Snapshot | None]:
    """Return the worker's result, asking for the work if it is missing, and the snapshot after it.

    After a `review` that asks for changes the worker continues.
    """
    result: WorkerResult
    result, after = _obtain(run, "implement", plan, review)
    lines = blocks(result)
    if lines:
        role, path = run.about.role("implement"), run.about.path(WORKER_RESULT)
        raise Fault(
            f"{role} did not complete the work: {path}",
            *lines,
            "Clear what blocks it, then run the same command with --retry.",
        )
    return result, after


def review_stage(
    run: Run, plan: Plan, result: WorkerResult, before: guard.Snapshot | None
) -> tuple[WorkerResult, guard.Snapshot]:
    """Return the worker's result and what the tier's reviewer saw when it approved the work.

    `before` is what the worker left, None where an earlier run had it work.
    """
    unsettled(run, "review")  # an earlier run may have been interrupted in either
    unsettled(run, "publish")
    reply, seen = _review(run, before)
    if verdict_of(reply) == CHANGES:
        run.tell("again", "review", first_finding(reply))
        result, before = implement_stage(run, plan, review=reply)
        reply, seen = _review(run, before)
    if verdict_of(reply) != APPROVED:
        raise Fault(
            f"{run.about.role('review')} does not approve the work",
            *lines_of(reply),
            f"{_KEPT} Fix them, then run the same command again.",
        )
    run.tell("done", "review", APPROVED)
    return result, seen


def _review(run: Run, before: guard.Snapshot | None) -> tuple[str, guard.Snapshot]:
    """Return a reviewer's answer that has a verdict, asked for twice at most."""
    order = prompts.stage_task("review", run.about)
    reply, seen = dispatch(run, order, Checkpoint("review", before or run.snapshot()))
    if not verdict_of(reply.text):
        run.tell("again", "review", _without_verdict(reply.text))
        reply, seen = dispatch(run, f"{order}\n\n{_FORM}", Checkpoint("review", seen))
    if not verdict_of(reply.text):
        raise Fault(
            f"{run.about.role('review')} was asked twice: {_without_verdict(reply.text)}",
            *lines_of(reply.text),
            f"{_KEPT} Run the same command again to have it reviewed.",
        )
    return reply.text, seen


def _without_verdict(reply: str) -> str:
    return "the answer has no verdict" if reply.strip() else _EMPTY


def _obtain(
    run: Run, stage: Author, plan: Plan | None = None, review: str = ""
) -> tuple[Any, guard.Snapshot | None]:
    """Return the stage's artifact, the one that is there if it can be used, else a new one.

    With a new one comes what the turn left in the repository. A worker has a `plan` to work by.
    """
    path, begun = run.about.path(WRITTEN[stage]), unsettled(run, stage)
    found = find(run.about, WRITTEN[stage])
    if found.is_valid and not review and not _is_retried(run, found):
        tree = _tree(run, begun, run.snapshot()) if begun else None
        problems = _problems(run, plan, found.value, tree)
        if not problems:
            run.tell("kept", stage, path + note(run, found.name, found.producer))
            return found.value, None
        found = found._replace(problems=tuple(problems))
    order = _order(run, stage, found, review)
    if begun is None:
        fresh = not (found.exists or review or has_begun(run, stage))
        if fresh:
            _require_committed(run, plan)
        begun = Checkpoint(stage, run.snapshot(), fresh)
    if found.problems:
        keep_copy(run.about.on_disk(found.name))
    value, taken = _ask(run, plan, order, begun)
    if stage == "plan" or not blocks(value):
        data = attest(run, taken)
        text = path + (", witnessed" if data else "")
        run.tell("done", stage, text, data | ({"model": taken.model} if taken.model else {}))
    return value, None if run.attester else taken.after  # an envelope was written since


def _ask(run: Run, plan: Plan | None, order: str, begun: Checkpoint) -> tuple[Any, Taken]:
    """Ask for the artifact, once more with its problems, and return it with the accepted turn."""
    stage: Author = "plan" if plan is None else "implement"
    name, role = WRITTEN[stage], run.about.role(stage)
    problems: list[str] = []
    words: list[str] = []
    now = run.snapshot() if run.attester else begun.before
    for number in range(TRIES):
        if number:
            run.tell("again", stage, problems[0])
        reply, after = dispatch(run, order, begun)
        found = find(run.about, name)
        if found.is_valid:
            problems = _problems(run, plan, found.value, _tree(run, begun, after))
        else:
            problems = list(found.lines) or [f"{run.about.path(name)}: does not exist"]
        if not problems:
            return found.value, Taken(stage, reply.model, now, after)
        now = after
        words = [] if found.exists else lines_of(reply.text) or [_EMPTY]
        if words and verdict_of(reply.text) == BLOCKED:
            raise Fault(f"{role} is blocked and left no {name}", *words, _CLEAR)
        again = prompts.again(problems, run.about.path(name))
        order = f"{prompts.stage_task(stage, run.about)}\n\n{again}"
    raise Fault(
        f"{role} left no usable {name} in {TRIES} tries",
        *problems,
        *words,
        _CLEAR if words else _FIX,
    )


def _problems(run: Run, plan: Plan | None, value: Any, tree: Tree | None) -> list[str]:
    """Return what is wrong with a valid artifact beyond its schema: a plan, or work by a plan."""
    if plan is None:
        return plan_problems(value, run.about)
    return result_problems(value, plan, run.about, tree)


def _tree(run: Run, begun: Checkpoint, after: guard.Snapshot) -> Tree:
    changed = guard.project_changes(begun.before, after, run.about.target)
    differing = guard.project_changes(guard.NOTHING, after, run.about.target)
    return Tree(changed, changed if begun.fresh else changed | differing)


def _order(run: Run, stage: Author, found: Artifact, review: str) -> str:
    path = run.about.path(found.name)
    order = prompts.stage_task(stage, run.about)
    if review:
        return f"{order}\n\n{prompts.findings(review, path)}"
    if found.exists:
        return f"{order}\n\n{prompts.again(found.lines or blocks(found.value), path)}"
    return order


def _is_retried(run: Run, found: Artifact) -> bool:
    return run.retry and "blockers" in found.value and bool(blocks(found.value))


def _require_committed(run: Run, plan: Plan | None) -> None:
    """Refuse to let a worker change files that have changes of the user's own."""
    planned = run.about.in_target(plan["affected_files"]) if plan else ()
    mine = sorted(set(planned) & run.repository.status().changes.keys()) if planned else []
    if mine:
        names = ", ".join(visible(name) for name in mine[:8])
        raise unusable(
            f"the worker would change files that you have changed: {names}",
            "Commit or stash them (git stash push -- …), then run the same command again.",
        )


def plan_problems(plan: Plan, assignment: Assignment) -> list[str]:
    """Return what a valid plan lacks for this issue: its marker, criteria of the issue."""
    path = assignment.path(PLAN)
    problems = _marker(plan.get("produced_by"), ("x-subplanner", "x-planner"), path)
    mapped = {_number(label) for label in plan.get("acceptance_mapping", ())}
    missing = [label for label, _ in assignment.criteria if _number(label) not in mapped]
    if missing:
        problems.append(f"{path}: $.acceptance_mapping: does not map {listed(missing)}")
    return problems


def result_problems(
    result: WorkerResult, plan: Plan, assignment: Assignment, tree: Tree | None
) -> list[str]:
    """Return where a worker's result disagrees with its role, its plan and the work tree.

    `tree` is None where it is not known what has changed.
    """
    path = assignment.path(WORKER_RESULT)
    problems = _marker(result.get("produced_by"), (assignment.role("implement"),), path)
    if result["status"] != COMPLETED:
        return problems
    claimed = set(result["files_changed"])
    where = f"{path}: $.files_changed"
    planned = set(plan["affected_files"])
    problems += _difference(claimed - planned, where, "lists what is not in the plan")
    problems += _difference(planned - claimed, where, "does not list what is in the plan")
    if tree is not None:
        unchanged = "lists files that have not changed, or that git ignores"
        problems += _difference(claimed - tree.differing, where, unchanged)
        problems += _difference(tree.changed - claimed, where, "does not list files that changed")
    return problems


def blocks(result: WorkerResult) -> list[str]:
    """Return why a worker's result does not move the pipeline on, a line each; empty if it does."""
    if result["status"] == COMPLETED and not result["blockers"]:
        return []
    blockers = [quoted(blocker, 400) for blocker in result["blockers"][:SHOWN]]
    return [f"the worker's status is {named(result['status'])}", *blockers]


def _marker(found: str | None, expected: tuple[str, ...], path: str) -> list[str]:
    if found in expected:
        return []
    names = " or ".join(expected)
    return [f"{path}: $.produced_by: expected {names}, found {named(found or 'nothing')}"]


def _difference(files: Collection[str], where: str, what: str) -> list[str]:
    return [f"{where}: {what}: {listed(sorted(files), 8)}"] if files else []


def _number(label: str) -> str:
    match = _NUMBER.match(label)
    return match[1] if match else label


def verdict_of(reply: str) -> str:
    """Return the verdict that a reviewer's answer begins with, empty if it has none.

    It is at the start of a line; the lines before it may be a planner's own words.
    """
    matches = map(_VERDICT.match, reply.splitlines()[:_LINES_SEARCHED])
    return next((match[1].lower() for match in matches if match), "")


def lines_of(reply: str) -> list[str]:
    """Return the first lines of an answer, safe to print."""
    return [visible(line, 300) for line in reply.splitlines()[:_LINES_SHOWN] if line.strip()]


def first_finding(reply: str) -> str:
    """Return the first line below the verdict."""
    lines = [line for line in reply.splitlines() if line.strip() and not _VERDICT.match(line)]
    return visible(lines[0], 200) if lines else CHANGES
