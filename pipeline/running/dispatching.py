"""What the stages of a run share: its parts, its dispatches, and how it stops."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pipeline.drivers.base import DriverFault, Turn
from pipeline.running import agent_prompts, guard, witness
from pipeline.running.events import Event, What
from pipeline.running.witness import WITNESS
from pipeline.terminal.exit_codes import FAILED, UNUSABLE
from pipeline.tiers import selection

if TYPE_CHECKING:
    from pipeline.drivers.base import Driver, Reply, Stage, Writes
    from pipeline.forges.base import Forge
    from pipeline.git import Repository
    from pipeline.running.assignment import Assignment
    from pipeline.running.events import Listen
    from pipeline.witness.attester import Attester

PLANNER = "x-planner"


class Stopped(Exception):
    """The run does not go on: the first line says why, the others give details.

    `code` is the exit code: 1 for what an agent, git or a forge did, 2 where nothing was begun.
    """

    def __init__(self, *lines: str, code: int = FAILED) -> None:
        super().__init__("\n".join(lines))
        self.lines = lines
        self.code = code


@dataclass(frozen=True, kw_only=True, slots=True)
class Run:
    """One run of one issue.

    `delegate` has the planner's client dispatch the roles, `retry` asks the worker again although
    its result is there and says that it is blocked, `until` ends the run after a stage (`plan`,
    `implement`, `review`; empty: none). `base` and `branch` are empty to be settled;
    `remote` is the forge's. `attester` signs what was seen of each artifact, None: nobody asked.
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

    def tell(self, what: What, stage: str, role: str, text: str = "", **details: Any) -> None:
        """Tell whoever listens what has happened."""
        seconds = details.pop("seconds", 0.0)
        data = details or None
        event = Event(
            what=what,
            issue=self.about.issue,
            stage=stage,
            role=role,
            text=text,
            seconds=seconds,
            data=data,
        )
        self.listen(event)


@dataclass(frozen=True, kw_only=True, slots=True)
class Dispatch:
    """Who is asked for what: a stage, its role, the artifact's name (empty: none), its rights.

    `fresh`: nothing of the stage's work is there yet.
    """

    stage: Stage
    role: str
    artifact: str
    writes: Writes
    fresh: bool = False


def dispatch(
    run: Run, what: Dispatch, order: str, before: guard.Snapshot | None = None
) -> tuple[Reply, guard.Snapshot]:
    """Have one turn taken, hold it to what its role may change, and return what is there then.

    Args:
        run: the run.
        what: the role and its rights.
        order: the task, without the role's definition.
        before: the repository before the stage; taken now where it is not given.

    Raises:
        Stopped: the driver failed, or the turn changed more than it may.
        GitFault: git cannot tell what has changed.
    """
    before = before or guard.take(run.repository, run.about.target)
    earlier = witness.kept(run.about.folder_on_disk)
    now = witness.Witness(what.stage, settled=False, fresh=what.fresh, before=before)
    witness.keep(run.about.folder_on_disk, now)
    turn = _turn(run, what, order)
    try:
        reply = _taken(run, what, turn)
    except DriverFault as fault:
        if fault.usage:  # nothing was dispatched: there is nothing to look at again
            _put_back(run, earlier)
            raise Stopped(str(fault), code=UNUSABLE) from None
        _settle(run, turn, now)
        raise Stopped(str(fault)) from None
    except KeyboardInterrupt:
        with suppress(Stopped):  # the next run tells
            _settle(run, turn, now)
        raise
    return reply, _settle(run, turn, now)


def _settle(run: Run, turn: Turn, now: witness.Witness) -> guard.Snapshot:
    """Look at what a turn left; from then on, what changes is nobody's turn."""
    role = turn.delegate or turn.role
    is_forged = witness.kept(run.about.folder_on_disk) != now
    if is_forged:
        _keep(run, now)
    after = _held(run, turn, now, f"{role} changed what it may not change")
    if is_forged:
        raise Stopped(f"{role} changed {run.about.folder}/{WITNESS}, which is nobody's")
    _keep(run, now._replace(settled=True))
    return after


def begun(run: Run, what: Dispatch) -> bool:
    """Tell whether an agent has already worked at a stage, in this run or an earlier one."""
    kept = witness.kept(run.about.folder_on_disk)
    return kept is not None and kept.stage == what.stage


def cut(run: Run, what: Dispatch) -> witness.Witness | None:
    """Return what an earlier run found before a turn of this stage whose end it did not see.

    Raises:
        Stopped: what has changed since is more than the role may change.
        GitFault: git cannot tell what has changed.
    """
    kept = witness.kept(run.about.folder_on_disk)
    if kept is None or kept.settled or kept.stage != what.stage:
        return None
    _held(run, _turn(run, what, ""), kept, f"this has changed since {what.role} was asked")
    return kept


def _taken(run: Run, what: Dispatch, turn: Turn) -> Reply:
    run.tell("dispatched", what.stage, what.role)
    if run.attester is not None:
        run.attester.turns += 1
    started = time.monotonic()

    def tell(text: str) -> None:
        run.tell("progress", what.stage, what.role, text, seconds=time.monotonic() - started)

    return run.driver.take(turn, tell)


def _held(run: Run, turn: Turn, was: witness.Witness, said: str) -> guard.Snapshot:
    """Return the repository as it is now; stop where it differs in what the role may not change."""
    after = guard.take(run.repository, run.about.target)
    lines = guard.violations(was.before, after, turn, fresh=was.fresh)
    if lines:
        raise Stopped(
            f"{said}; nothing was undone",
            *lines,
            "Undo these changes (or, if they are yours, commit them and remove "
            f"{run.about.folder}/{WITNESS}), then run the same command again.",
        )
    return after


def _put_back(run: Run, earlier: witness.Witness | None) -> None:
    if earlier is None:
        witness.forget(run.about.folder_on_disk)
    else:
        witness.keep(run.about.folder_on_disk, earlier)


def _keep(run: Run, what: witness.Witness) -> None:
    """Keep a witness where an agent has left the folder of the artifacts in its place."""
    folder = run.about.folder_on_disk
    if os.path.realpath(folder) == os.path.join(
        os.path.realpath(run.about.root), *run.about.folder.split("/")
    ):
        witness.keep(folder, what)


def _turn(run: Run, what: Dispatch, order: str) -> Turn:
    about = run.about
    prompted = PLANNER if run.delegate else what.role
    return Turn(
        session=prompted,
        role=prompted,
        stage=what.stage,
        issue=about.issue,
        tier=about.tier,
        prompt=_prompt(run, what.role, order),
        root=about.root,
        target=about.target,
        artifact=about.path(what.artifact) if what.artifact else "",
        writes=what.writes,
        selection=selection(run.driver.client, prompted, about.tier),
        delegate=what.role if run.delegate else "",
    )


def _prompt(run: Run, role: str, order: str) -> str:
    from pipeline.agents.source import pack

    if run.delegate:
        return agent_prompts.delegating(role, order)
    definition = next(agent.text for agent in pack().agents if agent.name == role)
    return agent_prompts.sequential(definition, order)
