"""The agents' stages: plan, implement, review; a valid artifact of an earlier run is kept."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Literal

from pipeline.protocol.agreement import differences, spelt_as
from pipeline.protocol.layout import PLAN, WORKER_RESULT
from pipeline.run import checkpoint, guard, prompts
from pipeline.run.artifacts import find, keep_copy
from pipeline.run.attest import Taken, attest, note
from pipeline.run.checkpoint import Checkpoint
from pipeline.run.dispatch import WRITTEN, Run, dispatch, unsettled
from pipeline.run.problems import Tree, blocks, plan_problems, result_problems, tree_of
from pipeline.terminal.display import listed, visible
from pipeline.terminal.fault import Fault, unusable

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    from pipeline.schema import Plan, WorkerResult

Author = Literal["plan", "implement"]  # the stages whose agent writes an artifact
TRIES = 2  # the first, and one with the problems of the first in its prompt
APPROVED, CHANGES, BLOCKED = "approved", "changes needed", "blocked"
_VERDICT = re.compile(rf"[\s*_#>`]*({APPROVED}|{CHANGES}|{BLOCKED})\b(?! not\b)", re.IGNORECASE)
_LINES_SHOWN = 20  # of an answer that a message repeats
_LINES_SEARCHED = 40
_FORM = "Begin your answer with a line that is `approved`, `changes needed` or `blocked`."
_REMOVE, _AGAIN = "Remove the obstacle", "then run the same command again"


def plan_stage(run: Run) -> Plan:
    """Return the issue's plan; a planner writes it if it is missing."""
    plan: Plan
    plan, _ = _obtain(run, "plan")
    return plan


def implement_stage(
    run: Run, plan: Plan, review: str = "", committed: AbstractSet[str] = frozenset()
) -> tuple[WorkerResult, guard.Snapshot | None]:
    """Return the worker's result, asking for the work if it is missing, and the snapshot after it.

    After a `review` that asks for changes the worker continues. `committed` are the files that an
    earlier run has committed.
    """
    result: WorkerResult
    result, after = _obtain(run, "implement", plan, review, committed)
    lines = blocks(result)
    if lines:
        role, path = run.about.role("implement"), run.about.path(WORKER_RESULT)
        raise Fault(
            f"{role} did not complete the work: {path}",
            *lines,
            "Resolve the blockers, then run the same command with --retry.",
        )
    if not "".join(result["files_changed"]).isascii():  # git and the disk have their own spelling
        snapshot = after or run.snapshot()
        names = committed | guard.project_changes(guard.NOTHING, snapshot, run.about.target)
        result = {**result, "files_changed": spelt_as(result["files_changed"], names)}
    return result, after


def review_stage(
    run: Run, plan: Plan, result: WorkerResult, before: guard.Snapshot | None
) -> tuple[WorkerResult, guard.Snapshot]:
    """Return the worker's result and what the tier's reviewer saw when it approved the work.

    `before` is what the worker left, None if it worked in an earlier run.
    """
    unsettled(run, "review")  # an earlier run may have been interrupted in either stage
    unsettled(run, "publish")
    last = checkpoint.read(run.about.folder_on_disk)
    if last and last.approved:  # by a run that was stopped before its commit
        before = run.snapshot()
        if not guard.work_changed(last.before, before):
            run.tell("kept", "review", APPROVED)
            return result, before
    reply, seen = _review(run, before)
    if verdict_of(reply) == CHANGES:
        run.tell("again", "review", ": ".join(lines_of(reply)[:2]))
        result, before = implement_stage(run, plan, review=reply)
        reply, seen = _review(run, before)
    if verdict_of(reply) != APPROVED:
        raise Fault(
            f"{run.about.role('review')} does not approve the work",
            *lines_of(reply),
            f"The work and its artifacts are kept. Fix what the review reports, {_AGAIN}.",
        )
    last = checkpoint.read(run.about.folder_on_disk) or Checkpoint("review", seen)
    done = last._replace(before=seen, settled=True, approved=True)
    checkpoint.write(run.about.folder_on_disk, done)
    run.tell("done", "review", APPROVED)
    return result, seen


def _review(run: Run, before: guard.Snapshot | None) -> tuple[str, guard.Snapshot]:
    """Return a reviewer's answer that has a verdict, asked for twice at most."""
    order, why, lines = prompts.stage_task("review", run.about), "", list[str]()
    seen = before or run.snapshot()
    for _ in range(TRIES):
        if why:
            run.tell("again", "review", why)
            order = f"{order}\n\n{_FORM}"
        reply, seen = dispatch(run, order, Checkpoint("review", seen))
        if verdict_of(reply.text):
            return reply.text, seen
        lines = lines_of(reply.text)
        why = "the answer has no verdict" if lines else "the answer is empty"
    raise Fault(
        f"{run.about.role('review')} was asked twice, but {why}",
        *lines,
        "The work and its artifacts are kept. To repeat the review, run the same command again.",
    )


def _obtain(
    run: Run,
    stage: Author,
    plan: Plan | None = None,
    review: str = "",
    committed: AbstractSet[str] = frozenset(),
) -> tuple[Any, guard.Snapshot | None]:
    """Return the stage's artifact: the existing one if it can be used, otherwise a new one.

    A new artifact comes with the snapshot after its turn. Only a worker has a `plan`.
    """
    path, begun = run.about.path(WRITTEN[stage]), unsettled(run, stage)
    found = find(run.about, WRITTEN[stage])
    is_retried = run.retry and stage == "implement" and found.is_valid and blocks(found.value)
    if found.is_valid and not review and not is_retried:
        last = begun or checkpoint.read(run.about.folder_on_disk)
        tree = tree_of(run.about.target, last, run.snapshot(), committed) if plan else None
        problems = _problems(run, plan, found.value, tree)
        if not problems:
            run.tell("kept", stage, path + note(run, found.name, found.producer))
            return found.value, None
        found = found._replace(problems=tuple(problems))
    problems = [] if review or not found.exists else [*found.lines] or blocks(found.value)
    if begun is None:
        begun = _begin(run, stage, plan, is_first=not (found.exists or review))
    if found.problems:
        keep_copy(run.about.on_disk(found.name))
    value, taken = _ask(run, plan, begun, problems, review)
    if stage == "plan" or not blocks(value):
        data = attest(run, taken)
        text = path + (", witnessed" if data else "")
        run.tell("done", stage, text, data | ({"model": taken.model} if taken.model else {}))
    return value, None if run.attester else taken.after  # an envelope was written since


def _begin(run: Run, stage: Author, plan: Plan | None, *, is_first: bool) -> Checkpoint:
    """Return how a stage begins; a worker must not change files that the user has changed."""
    last = checkpoint.read(run.about.folder_on_disk)
    fresh = is_first and (last is None or last.stage != stage)
    if fresh and plan:
        planned = run.about.in_target(plan["affected_files"])
        theirs = run.repository.status().changes.keys()
        if mine := sorted(theirs - set(differences(theirs, planned)[0])):
            raise unusable(
                f"the worker would change files that you have changed: {listed(mine, 8)}",
                f"Commit or stash them (git stash push -u -- FILE …), {_AGAIN}.",
            )
    return Checkpoint(stage, run.snapshot(), fresh, work=last.work if last else ())


def _ask(
    run: Run, plan: Plan | None, begun: Checkpoint, problems: list[str], review: str
) -> tuple[Any, Taken]:
    """Ask for the artifact, a second time with its problems; return it with the accepted turn."""
    stage: Author = "plan" if plan is None else "implement"
    name, role = WRITTEN[stage], run.about.role(stage)
    path = run.about.path(name)
    words: list[str] = []
    now = run.snapshot() if run.attester else begun.before
    for number in range(TRIES):
        order = prompts.stage_task(stage, run.about)
        if problems:
            order = f"{order}\n\n{prompts.again(problems, path)}"
        elif review:
            order = f"{order}\n\n{prompts.findings(review, path)}"
        if number:
            run.tell("again", stage, problems[0])
        reply, after = dispatch(run, order, begun)
        found = find(run.about, name)
        if found.is_valid:
            problems = _problems(run, plan, found.value, tree_of(run.about.target, begun, after))
        else:
            problems = list(found.lines) or [f"{path}: does not exist"]
        if not problems:
            return found.value, Taken(stage, reply.model, now, after)
        now = after
        words = [] if found.exists else lines_of(reply.text) or ["the answer is empty"]
        if words and verdict_of(reply.text) == BLOCKED:
            raise Fault(f"{role} is blocked and left no {name}", *words, f"{_REMOVE}, {_AGAIN}.")
    advice = f"{_REMOVE if words else 'Fix the file or delete it'}, {_AGAIN}."
    raise Fault(f"{role} left no usable {name} in {TRIES} tries", *problems, *words, advice)


def _problems(run: Run, plan: Plan | None, value: Any, tree: Tree | None) -> list[str]:
    """Return what is wrong with a plan or a worker's result that its schema accepts."""
    about = run.about
    if plan is not None:
        path, roles = about.path(WORKER_RESULT), (about.role("implement"),)
        return result_problems(value, plan, path, roles, tree)
    labels = [label for label, _ in about.criteria]
    inside = run.repository.submodules(about.target)
    return plan_problems(value, about.path(PLAN), labels, inside)


def verdict_of(reply: str) -> str:
    """Return the verdict that a reviewer's answer begins with, empty if it has none.

    It is at the start of a line; the lines before it may be a planner's own words.
    """
    matches = map(_VERDICT.match, reply.splitlines()[:_LINES_SEARCHED])
    return next((match[1].lower() for match in matches if match), "")


def lines_of(reply: str) -> list[str]:
    """Return the first lines of an answer, safe to print."""
    return [visible(line, 300) for line in reply.splitlines()[:_LINES_SHOWN] if line.strip()]
