"""How an agent takes a turn, and what is compared before and after it."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING

from pipeline.agents.source import pack
from pipeline.drivers.base import Turn
from pipeline.files import system_path
from pipeline.run import checkpoint, guard, limits, prompts
from pipeline.run.assignment import PLANNER
from pipeline.run.stage import AGAIN
from pipeline.run.turns import Stopwatch
from pipeline.terminal.exit_codes import UNUSABLE
from pipeline.terminal.fault import Fault
from pipeline.tiers import Selection, selection

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pipeline.drivers.base import Reply
    from pipeline.run.checkpoint import Checkpoint
    from pipeline.run.context import Run
    from pipeline.run.stage import Stage


def dispatch(run: Run, stage: Stage, order: str, begun: Checkpoint) -> tuple[Reply, guard.Snapshot]:
    """Run one turn, compare its changes with its role, and return the reply and a new snapshot.

    `order` is the task without the role's definition, `begun` how the stage began.
    """
    limits.check(run)
    folder = run.about.folder_on_disk
    earlier = checkpoint.read(folder)
    if earlier and not begun.work:
        begun = begun._replace(work=earlier.work)
    checkpoint.write(folder, begun)  # before the turn: after a kill, the next run compares with it
    turn = _turn(run, stage, order)
    watch = Stopwatch(run, stage)
    try:
        reply = _take_turn(run, stage, turn, watch)
    except Fault as fault:
        if fault.code != UNUSABLE:
            _settle(run, turn, begun, watch)
            raise
        watch.undo()
        if earlier:  # nothing was dispatched, so there is nothing to compare
            checkpoint.write(folder, earlier)
        else:
            checkpoint.forget(folder)
        raise
    except KeyboardInterrupt:
        with suppress(Fault):  # the next run reports it
            _settle(run, turn, begun, watch)
        raise
    return reply, _settle(run, turn, begun, watch, reply)


def unsettled(run: Run, stage: Stage) -> Checkpoint | None:
    """Return the checkpoint of a turn of this stage whose end an earlier run did not see."""
    last = checkpoint.read(run.about.folder_on_disk)
    return last if last and last.stage == stage.name and not last.settled else None


def compare_unsettled(run: Run, stages: Iterable[Stage]) -> None:
    """Stop the run if a turn whose end no run has seen made changes that its role may not make."""
    for stage in stages:
        if last := unsettled(run, stage):
            what = f"the following has changed since {run.role(stage)} started"
            _compared(run, _turn(run, stage, ""), last, what)


def _take_turn(run: Run, stage: Stage, turn: Turn, watch: Stopwatch) -> Reply:
    run.tell("dispatched", stage)
    if run.attester is not None:
        run.attester.turns += 1

    def tell(text: str, *, refused: bool = False) -> None:
        watch.refused += [text] * refused
        run.tell("refused" if refused else "progress", stage, text)

    return limits.take_turn(run, stage, turn, tell)


def _settle(
    run: Run, turn: Turn, now: Checkpoint, watch: Stopwatch, reply: Reply | None = None
) -> guard.Snapshot:
    """Compare the repository with its state before the turn, and return the snapshot after it."""
    role = turn.delegate or turn.role
    forged = [checkpoint.NAME] if checkpoint.read(run.about.folder_on_disk) != now else []
    if forged:
        _keep(run, now)
    if _is_in_place(run):
        forged += watch.end(reply, turn.prompt)
    after = _compared(run, turn, now, f"{role} made changes that its role does not allow")
    if forged:
        raise Fault(
            f"{role} changed {run.about.path(forged[0])}, which no role may change",
            "To continue, run the same command again.",
        )
    if turn.writes == "project":
        new = guard.project_changes(now.before, after, run.about.target)
        now = now._replace(work=tuple(sorted(new.union(now.work))))
    _keep(run, now._replace(settled=True))
    return after


def _compared(run: Run, turn: Turn, last: Checkpoint, what: str) -> guard.Snapshot:
    """Return a new snapshot; stop the run if anything has changed that the role may not change."""
    after = run.snapshot()
    lines = guard.violations(last.before, after, turn, fresh=last.fresh)
    if lines:
        raise Fault(
            f"{what}; nothing was undone",
            *lines,
            "Undo these changes (or, if they are yours, commit them and remove "
            f"{run.about.folder}/{checkpoint.NAME}), {AGAIN}.",
        )
    return after


def _keep(run: Run, now: Checkpoint) -> None:
    """Write a checkpoint unless an agent has put something else in the place of the folder."""
    if _is_in_place(run):
        checkpoint.write(run.about.folder_on_disk, now)


def _is_in_place(run: Run) -> bool:
    folder, root = run.about.folder_on_disk, os.path.realpath(run.about.root)
    return os.path.realpath(folder) == system_path(root, run.about.folder)


def selected(run: Run, role: str) -> Selection:
    """Return a role's model: the user's choice without other settings, or the routing table's."""
    model = run.models.get(role) or run.models.get("*")
    routed = selection(run.driver.client, role, run.about.tier)
    return Selection(model=model) if model else routed


def _turn(run: Run, stage: Stage, order: str) -> Turn:
    about, role = run.about, run.role(stage)
    prompted = PLANNER if run.delegate else role
    delegate = role if role != prompted else ""
    if delegate:
        prompt = prompts.delegating(role, order)
    else:
        definition = next(agent.text for agent in pack().agents if agent.name == role)
        prompt = prompts.sequential(definition, order, about.root)
    return Turn(
        session=prompted,
        role=prompted,
        stage=stage.name,
        issue=about.issue,
        # A path or a task may have bytes that are not UTF-8; a model reads text.
        prompt=prompt.encode("utf-8", "backslashreplace").decode(),
        root=about.root,
        target=about.target,
        artifact=about.path(stage.artifact) if stage.writes != "nothing" else "",
        writes=stage.writes,
        selection=selected(run, prompted),
        delegate=delegate,
    )
