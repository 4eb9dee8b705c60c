"""What the stages of a run share: its parts and events, and a turn of an agent, watched."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from pipeline.agents.source import pack
from pipeline.drivers.base import Turn
from pipeline.run import checkpoint, guard, prompts
from pipeline.run.assignment import PLANNER
from pipeline.run.checkpoint import Checkpoint
from pipeline.terminal.exit_codes import UNUSABLE
from pipeline.terminal.fault import Fault
from pipeline.tiers import selection

if TYPE_CHECKING:
    from pipeline.drivers.base import Driver, Reply, Stage, Writes
    from pipeline.forges.base import Forge
    from pipeline.git import Repository
    from pipeline.run.assignment import Assignment
    from pipeline.signing.attester import Attester

GIT = "x-git"
What = Literal[
    "begun",
    "dispatched",
    "leftover",
    "progress",
    "refused",
    "again",
    "kept",
    "done",
    "stopped",
    "ended",
]


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened.

    `begun`, `leftover` (a program of an earlier run that was ended) and `ended` are about the run;
    the others about a `stage`, worked on by `role`:
    `dispatched` to an agent, `progress` while it works, `refused` where it wanted more than its
    role may, `again` when it is asked a second time,
    `kept` where an earlier run has done it, `done`, `stopped` with the reason. `text` is one line,
    `data` what a machine wants besides, JSON values only, `seconds` for how long the stage has been
    going on.
    """

    what: What
    issue: str
    stage: str = ""
    role: str = ""
    text: str = ""
    seconds: float = 0.0
    data: dict[str, Any] | None = None


Listen = Callable[[Event], None]


@dataclass(frozen=True, kw_only=True, slots=True)
class Run:
    """One run of one issue.

    `delegate` has the planner's client dispatch the roles, `retry` asks the worker again although
    its result is there and says that it is blocked, `until` ends the run after a stage (`plan`,
    `implement`, `review`; empty: none). `base` and `branch` are empty to be settled;
    `remote` is the forge's. `attester` signs what was seen of each artifact, None: not wanted.
    """

    about: Assignment
    repository: Repository
    driver: Driver
    forge: Forge
    listen: Listen
    delegate: bool = False
    retry: bool = False
    until: str = ""
    base: str = ""
    branch: str = ""
    remote: str = "origin"
    attester: Attester | None = None
    _begun: dict[str, float] = field(default_factory=dict, repr=False)  # the stages, when

    def snapshot(self) -> guard.Snapshot:
        """Return the repository, and the remote that the pull request will be at, as they are."""
        remote = "" if self.until else self.forge.remote
        return guard.take(self.repository, self.about.target, remote)

    def tell(  # the fields of an event
        self,
        what: What,
        stage: str = "",
        role: str = "",
        text: str = "",
        data: dict[str, Any] | None = None,
    ) -> None:
        """Tell whoever listens what has happened."""
        now = time.monotonic()
        begun = self._begun.setdefault(stage, now)
        if what in ("kept", "done"):
            del self._begun[stage]
        seconds = now - begun if what in ("progress", "refused", "done") else 0.0
        self.listen(Event(what, self.about.issue, stage, role, text, seconds, data))


@dataclass(frozen=True, kw_only=True, slots=True)
class Task:
    """Who is asked for what: a stage, its role, the artifact's name (empty: none), its rights."""

    stage: Stage
    role: str
    artifact: str
    writes: Writes


def dispatch(
    run: Run, task: Task, order: str, before: guard.Snapshot | None = None, *, fresh: bool = False
) -> tuple[Reply, guard.Snapshot]:
    """Have one turn taken, compare it with what its role may change, and return what is there then.

    `order` is the task without the role's definition, `before` the repository before the stage
    (now, where it is not given). `fresh`: nothing of the stage's work is there yet.
    """
    folder = run.about.folder_on_disk
    before = before or run.snapshot()
    earlier = checkpoint.read(folder)
    now = Checkpoint(task.stage, settled=False, fresh=fresh, before=before)
    checkpoint.write(folder, now)
    turn = _turn(run, task, order)
    try:
        reply = _taken(run, task, turn)
    except Fault as fault:
        if fault.code != UNUSABLE:
            _settle(run, turn, now)
            raise
        if earlier:  # nothing was dispatched: there is nothing to look at again
            checkpoint.write(folder, earlier)
        else:
            checkpoint.forget(folder)
        raise
    except KeyboardInterrupt:
        with suppress(Fault):  # the next run says it
            _settle(run, turn, now)
        raise
    return reply, _settle(run, turn, now)


def has_begun(run: Run, task: Task) -> bool:
    """Return whether an agent has already worked at a stage, in this run or an earlier one."""
    last = checkpoint.read(run.about.folder_on_disk)
    return last is not None and last.stage == task.stage


def unsettled(run: Run, task: Task) -> Checkpoint | None:
    """Return the checkpoint of a turn of this stage whose end an earlier run did not see."""
    last = checkpoint.read(run.about.folder_on_disk)
    if last is None or last.settled or last.stage != task.stage:
        return None
    _compared(run, _turn(run, task, ""), last, f"this has changed since {task.role} was asked")
    return last


def _taken(run: Run, task: Task, turn: Turn) -> Reply:
    run.tell("dispatched", task.stage, task.role)
    if run.attester is not None:
        run.attester.turns += 1

    def tell(text: str, *, refused: bool = False) -> None:
        run.tell("refused" if refused else "progress", task.stage, task.role, text)

    return run.driver.take(turn, tell)


def _settle(run: Run, turn: Turn, now: Checkpoint) -> guard.Snapshot:
    """Look at what a turn left; later changes belong to no turn."""
    role = turn.delegate or turn.role
    is_forged = checkpoint.read(run.about.folder_on_disk) != now.as_written()
    if is_forged:
        _keep(run, now)
    after = _compared(run, turn, now, f"{role} changed what it may not change")
    if is_forged:
        raise Fault(
            f"{role} changed {run.about.folder}/{checkpoint.NAME}, which no role may change"
        )
    _keep(run, now._replace(settled=True))
    return after


def _compared(run: Run, turn: Turn, last: Checkpoint, what: str) -> guard.Snapshot:
    """Return the repository as it is now; stop where it differs in what the role may not change."""
    after = run.snapshot()
    lines = guard.violations(last.before, after, turn, fresh=last.fresh)
    if lines:
        raise Fault(
            f"{what}; nothing was undone",
            *lines,
            "Undo these changes (or, if they are yours, commit them and remove "
            f"{run.about.folder}/{checkpoint.NAME}), then run the same command again.",
        )
    return after


def _keep(run: Run, now: Checkpoint) -> None:
    """Write a checkpoint unless an agent has put something else in the place of the folder."""
    folder, root = run.about.folder_on_disk, os.path.realpath(run.about.root)
    if os.path.realpath(folder) == os.path.join(root, *run.about.folder.split("/")):
        checkpoint.write(folder, now)


def _turn(run: Run, task: Task, order: str) -> Turn:
    about = run.about
    prompted = PLANNER if run.delegate else task.role
    delegate = task.role if task.role != prompted else ""
    if delegate:
        prompt = prompts.delegating(task.role, order)
    else:
        definition = next(agent.text for agent in pack().agents if agent.name == task.role)
        prompt = prompts.sequential(definition, order)
    return Turn(
        session=prompted,
        role=prompted,
        stage=task.stage,
        issue=about.issue,
        tier=about.tier,
        prompt=prompt,
        root=about.root,
        target=about.target,
        artifact=about.path(task.artifact) if task.artifact else "",
        writes=task.writes,
        selection=selection(run.driver.client, prompted, about.tier),
        delegate=delegate,
    )
