"""Takes an issue through its stages, in order; the artifacts on disk are its only state."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pipeline.drivers.processes import end_leftovers, git_leftovers, settle
from pipeline.files import Unreadable, sweep
from pipeline.protocol.layout import PLAN, WORKER_RESULT
from pipeline.run import history, turns
from pipeline.run.artifacts import find, is_real_path
from pipeline.run.branch import read_branch_state, refuse_diverged, refuse_unfit
from pipeline.run.context import Work
from pipeline.run.dispatch import compare_unsettled
from pipeline.run.engine import obtain
from pipeline.run.feedback import take_up
from pipeline.run.lock import only_run
from pipeline.run.stage import committed_files
from pipeline.run.stages import STAGES
from pipeline.run.stages.publish import is_published, refuse_foreign_commit, refuse_unpublishable
from pipeline.run.worktree import ignore_artifacts
from pipeline.terminal.display import visible
from pipeline.terminal.exit_codes import FAILED, PASSED
from pipeline.terminal.fault import Fault, unusable
from pipeline.tiers import ROUTING, next_tier

if TYPE_CHECKING:
    from pipeline.run.branch import BranchState
    from pipeline.run.context import Run
    from pipeline.run.stage import Stage


def run_issue(run: Run) -> int:
    """Take the run's issue to a pull request and return the exit code.

    Everything that stops a run is reported as an event; only a fault of ours is raised.
    """
    run = _resumed(run)
    about = run.about
    data = {
        "task": about.task,
        "tier": about.tier,
        "reason": about.reason,
        "agents": list(ROUTING[about.tier]),
        "target": about.target,
        "folder": about.folder,
        "jail": run.driver.terms,
    }
    run.tell("begun", text=about.title, data=data)
    code, lines, is_done = PASSED, tuple[str, ...](), False
    try:
        is_done = _locked(run)
    except Fault as fault:
        code, lines = fault.code, fault.lines
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        code, lines = FAILED, (f"{where}{(error.strerror or str(error)).lower()}",)
    if lines:
        run.tell("stopped", text=lines[0], data={"lines": list(lines), "code": code})
    until = "" if is_done else run.until
    cost = turns.cost_of(turns.turns_of(about.folder_on_disk)) if run.driver.terms else None
    run.tell("ended", data={"code": code, "until": until, "cost": cost})
    return code


def _locked(run: Run) -> bool:
    about = run.about
    try:
        is_real_path(about.folder_on_disk)  # else files would be written somewhere else
    except Unreadable as error:
        raise unusable(str(error)) from None
    with only_run(about.folder_on_disk, run.repository.git_folder, about.issue):
        # First what could still write: else its changes would count as those of this run's agents.
        for name in end_leftovers(about.root, about.issue):
            run.tell("leftover", text=name)
        if found := git_leftovers(about.root, about.issue):
            run.tell("notice", text="waiting for the git commands of an earlier run")
            settle(found)
        sweep(about.folder_on_disk)
        history.redo(about.folder_on_disk)
        ignore_artifacts(run.repository, about.target)
        try:
            if run.continued and not take_up(run):
                return True
            return is_published(run) or _stages(run)
        except KeyboardInterrupt:
            settle(git_leftovers(about.root, about.issue), patience=0)
            raise


def _stages(run: Run) -> bool:
    """Return whether the issue is published, which `until` may prevent."""
    work, ahead = _begin(run), [*STAGES]
    while ahead:
        stage = ahead.pop(0)
        if not (stage.judges and _is_committed(work)) and (lines := _take(work, stage)):
            ahead = _back(work, stage, lines)
        elif run.until == stage.name:
            return False
    return True


def _begin(run: Run) -> Work:
    """Return what is known of the issue before its first stage."""
    state, folder = _refuse_early(run), run.about.folder_on_disk
    compare_unsettled(run, STAGES)
    committed: frozenset[str] = frozenset()
    if state.commit or state.since:
        span = (state.base_ref, state.tip)
        committed = committed_files(run.repository, *span, run.about.target)
    if run.retry and history.entries(folder):
        history.append(folder, {"at": history.RETRY})
    return Work(run=run, committed=committed)


def _take(work: Work, stage: Stage) -> list[str]:
    """Take a stage, and return why it is not done; empty if it is."""
    if stage.writes == "project":  # what is to be known of the project as it was before the work
        for judge in STAGES:
            if judge.prepare:
                judge.prepare(work)
    value = (stage.obtain or obtain)(work, stage)
    work.values[stage.artifact], work.order = value, ""
    return stage.why_not_done(value)


def _back(work: Work, stage: Stage, lines: list[str]) -> list[Stage]:
    """Return the stages that follow one that is not done, from the one that it goes back to."""
    run, value, names = work.run, work.values[stage.artifact], [stage.name for stage in STAGES]
    folder = run.about.folder_on_disk
    again = STAGES[names.index(stage.back_to)] if stage.back_to else stage
    work.order = stage.feedback(value, run.about.path(again.artifact))
    # A run was killed, or its user stopped it, before the agent had answered.
    is_cut = history.is_unanswered(folder, stage.name, value)
    if work.order and (is_cut or history.returned(folder, stage.name) < stage.returns(run)):
        if not is_cut:
            entry = {"at": stage.name, "role": run.role(stage), "tier": run.about.tier}
            history.append(folder, {**entry, "value": value})
        run.tell("again", stage, ": ".join(lines[:2]))
        return [*STAGES[names.index(again.name) :]]
    if (work.order or stage.gives_up(value)) and (tier := next_tier(run.about.tier)):
        _escalate(work, stage, lines, tier)
        return [*STAGES]
    what = stage.stopped(run.role(stage), run.about.path(stage.artifact))
    raise Fault(what, *lines, stage.advice)


def _escalate(work: Work, stage: Stage, lines: list[str], tier: str) -> None:
    """Let the agents of the next tier take over: with a plan of their own if the worker gave up."""
    run, role = work.run, work.run.role(stage)
    names = (
        (PLAN, WORKER_RESULT) if stage.gives_up(work.values[stage.artifact]) else (WORKER_RESULT,)
    )
    entry = {"at": history.ESCALATE, "from": run.about.tier, "to": tier, "role": role}
    values = {name: work.values[name] for name in names}
    history.append(run.about.folder_on_disk, {**entry, "reason": lines, "values": values})
    history.redo(run.about.folder_on_disk)
    work.run, work.order, work.seen = _resumed(run), "", None
    text = f"from {run.about.tier} to {tier}: {': '.join(lines[:2])}"
    work.run.tell("escalated", stage, text, {"from": run.about.tier, "to": tier})


def _resumed(run: Run) -> Run:
    """Return the run with the tier to which its issue was escalated."""
    found = history.escalations(run.about.folder_on_disk)
    tiers = [*ROUTING]
    if not found or found[-1]["to"] not in tiers[tiers.index(run.about.tier) :]:
        return run
    reason = f"escalated from {visible(found[-1]['from'], 20)}"
    return replace(run, about=replace(run.about, tier=found[-1]["to"], reason=reason))


def _is_committed(work: Work) -> bool:
    """Return whether the work is committed already; refuse what cannot be published."""
    run, state = work.run, read_branch_state(work.run)
    refuse_foreign_commit(run, state)
    work.spell()
    if not state.commit:
        files = work.values[WORKER_RESULT]["files_changed"]
        refuse_unpublishable(run.repository.root, run.about.in_target(files))
    return bool(state.commit)


def _refuse_early(run: Run) -> BranchState:
    """Refuse, before any agent works, what would prevent the pull request; return the branch."""
    done = find(run.about, WORKER_RESULT)  # of a run that was stopped: its files may be staged
    state = read_branch_state(run)
    refuse_unfit(run, state, run.about.in_target(done.says("files_changed") or ()))
    if state.commit and not done.exists and not find(run.about, PLAN).exists:
        raise unusable(
            f"the commit {state.commit[:10]} says 'Refs: {run.about.issue}', but the issue's"
            " artifacts are missing",
            f"To start again, switch to the base, and delete the commit's branch (git branch -D "
            f"{state.name}) or choose a different one (--branch).",
        )
    if not run.until:
        run.forge.check(run.repository)
        refuse_diverged(run, state)
    return state
