"""Obtains the artifact of any stage: the one that is there is kept, or the agent is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pipeline.protocol.agreement import differences
from pipeline.protocol.layout import PLAN
from pipeline.run import checkpoint, guard, history, prompts
from pipeline.run.answers import BLOCKED, lines_of, verdict_of
from pipeline.run.artifacts import find, keep_copy
from pipeline.run.attest import AcceptedTurn, attest, note
from pipeline.run.checkpoint import Checkpoint
from pipeline.run.dispatch import dispatch, unsettled
from pipeline.run.stage import AGAIN, Facts, tree_of
from pipeline.terminal.display import listed
from pipeline.terminal.fault import Fault, unusable

if TYPE_CHECKING:
    from pipeline.run.artifacts import StageArtifact
    from pipeline.run.context import Work
    from pipeline.run.stage import Stage

TRIES = 2  # the first, and one with the problems of the first in its prompt
_REMOVE = "Remove the obstacle"


def facts_of(work: Work, stage: Stage, last: Checkpoint | None, now: guard.Snapshot) -> Facts:
    """Return what a stage's artifact is compared with, after its `last` turn."""
    run, about = work.run, work.run.about
    tree = None
    if stage.writes == "project":
        tree = tree_of(about.target, last, now, work.committed)
    return Facts(
        path=about.path(stage.artifact),
        roles=(run.role(stage),),
        values=work.values,
        tree=tree,
        criteria=[label for label, _ in about.criteria],
        submodules=run.repository.submodules(about.target) if stage.writes == "artifact" else (),
        snapshot=work.digest(now) if stage.judges else "",
    )


def obtain(work: Work, stage: Stage) -> Any:
    """Return the stage's artifact: the existing one if it can be used, otherwise a new one."""
    run = work.run
    path, begun = run.about.path(stage.artifact), unsettled(run, stage)
    found = find(run.about, stage.artifact)
    is_retried = run.retry and found.is_valid and stage.why_not_done(found.value)
    if found.is_valid and not work.order and not is_retried:
        last = begun or checkpoint.read(run.about.folder_on_disk)
        problems = stage.problems(facts_of(work, stage, last, run.snapshot()), found.value)
        if not problems:
            run.tell("kept", stage, path + note(run, found.name, found.producer))
            work.seen = None
            return found.value
        found = found._replace(problems=tuple(problems))
    problems = []
    if found.exists and not work.order:
        problems = [*found.lines] or stage.why_not_done(found.value)
    if begun is None:
        begun = _begin(work, stage, found)
    if found.problems:
        keep_copy(run.about.on_disk(found.name))
    value, taken = _ask(work, stage, begun, problems)
    if not stage.why_not_done(value):
        data = attest(run, taken)
        text = path + (", witnessed" if data else "")
        run.tell("done", stage, text, data | ({"model": taken.model} if taken.model else {}))
    if work.order:
        history.append(run.about.folder_on_disk, {"at": stage.name, "role": run.role(stage)})
    is_written = run.attester or work.order  # an envelope, or the history
    work.seen = None if is_written else taken.after
    return value


def _begin(work: Work, stage: Stage, found: StageArtifact) -> Checkpoint:
    """Return how a stage begins; a worker must not change files that the user has changed."""
    run = work.run
    last = checkpoint.read(run.about.folder_on_disk)
    has_begun = last is not None and (last.stage == stage.name or bool(last.work))
    is_first = not (found.exists or work.order or has_begun)
    if is_first and stage.writes == "project":
        planned = run.about.in_target(work.values[PLAN]["affected_files"])
        theirs = run.repository.status().changes.keys()
        if mine := sorted(theirs - set(differences(theirs, planned)[0])):
            raise unusable(
                f"the worker would change files that you have changed: {listed(mine, 8)}",
                f"Commit or stash them (git stash push -u -- FILE …), {AGAIN}.",
            )
    return Checkpoint(stage.name, run.snapshot(), is_first, work=last.work if last else ())


def _ask(
    work: Work, stage: Stage, begun: Checkpoint, problems: list[str]
) -> tuple[Any, AcceptedTurn]:
    """Ask for the artifact, a second time with its problems; return it with the accepted turn."""
    run, name = work.run, stage.artifact
    path, role = run.about.path(name), run.role(stage)
    words: list[str] = []
    now = run.snapshot() if run.attester else begun.before
    for number in range(TRIES):
        more = prompts.again(problems, path) if problems else work.order
        parts = (prompts.stage_task(stage, run.about), prompts.earlier(run.about), more)
        order = "\n\n".join(filter(None, parts))
        if number:
            run.tell("again", stage, problems[0])
        reply, after = dispatch(run, stage, order, begun)
        found = find(run.about, name)
        if found.is_valid:
            problems = stage.problems(facts_of(work, stage, begun, after), found.value)
        else:
            problems = list(found.lines) or [f"{path}: does not exist"]
        if not problems:
            return found.value, AcceptedTurn(stage, reply.model, now, after)
        now = after
        words = [] if found.exists else lines_of(reply.text) or ["the answer is empty"]
        if words and verdict_of(reply.text) == BLOCKED:
            raise Fault(f"{role} is blocked and left no {name}", *words, f"{_REMOVE}, {AGAIN}.")
    advice = f"{_REMOVE if words else 'Fix the file or delete it'}, {AGAIN}."
    raise Fault(f"{role} left no usable {name} in {TRIES} tries", *problems, *words, advice)
