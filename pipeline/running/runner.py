"""Takes an issue through its stages, in order; the artifacts on disk are all that it remembers."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from pipeline.files import Unreadable, sweep
from pipeline.forges.base import ForgeFault
from pipeline.git import GitFault
from pipeline.protocol.layout import GIT_RESULT, PLAN, WORKER_RESULT
from pipeline.publishing.publish import CannotPublish, committed, prepare
from pipeline.running.artifacts import find
from pipeline.running.attesting import note
from pipeline.running.authoring import implemented, planned
from pipeline.running.dispatching import Run, Stopped
from pipeline.running.lock import AlreadyRunning, only_run
from pipeline.running.publishing import published, refuse_foreign_commit, work_of
from pipeline.running.reviewing import reviewed
from pipeline.running.witness import kept
from pipeline.state.artifact import is_real_folder
from pipeline.terminal.display import visible
from pipeline.terminal.exit_codes import FAILED, PASSED, UNUSABLE
from pipeline.tiers import ROUTING

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from pipeline.running.assignment import Assignment
    from pipeline.schema import Plan, WorkerResult


def run_issue(run: Run) -> int:
    """Take the run's issue to a pull request and return the exit code.

    Everything that stops a run is told as an event: nothing but a fault of ours is raised.
    """
    about = run.about
    run.tell(
        "begun",
        "",
        "",
        about.title,
        task=about.task,
        tier=about.tier,
        reason=about.reason,
        agents=list(ROUTING[about.tier]),
        target=about.target,
        folder=about.folder,
    )
    code, lines = _stopped_by(lambda: _locked(run))
    if lines:
        run.tell("stopped", "", "", lines[0], lines=list(lines), code=code)
    until = "" if find(about, GIT_RESULT).is_valid else run.until
    run.tell("ended", "", "", code=code, until=until)
    return code


def _stopped_by(work: Callable[[], None]) -> tuple[int, tuple[str, ...]]:
    try:
        work()
    except Stopped as stop:
        return stop.code, stop.lines
    except AlreadyRunning as error:
        return UNUSABLE, (str(error),)
    except (CannotPublish, ForgeFault) as fault:
        return UNUSABLE if fault.usage else FAILED, (str(fault),)
    except GitFault as fault:
        return FAILED, (str(fault),)
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        return FAILED, (f"{where}{(error.strerror or str(error)).lower()}",)
    return PASSED, ()


def _locked(run: Run) -> None:
    _refuse_links(run.about)
    git_folder = run.repository.run("rev-parse", "--absolute-git-dir").strip()
    with only_run(run.about.folder_on_disk, git_folder, run.about.issue):
        sweep(run.about.folder_on_disk)
        if not _is_published(run):
            _stages(run)


def _refuse_links(about: Assignment) -> None:
    """Refuse a folder of artifacts that is somewhere else: files would be written there."""
    path = os.path.dirname(about.folder_on_disk)
    try:
        if is_real_folder(path):
            is_real_folder(path := about.folder_on_disk)
    except Unreadable as error:
        raise Stopped(f"{visible(path, 300)} {error}", code=UNUSABLE) from None


def _is_published(run: Run) -> bool:
    git = find(run.about, GIT_RESULT)
    if not git.is_valid or kept(run.about.folder_on_disk):
        return False
    if not find(run.about, WORKER_RESULT).is_valid:
        raise Stopped(
            f"{run.about.path(GIT_RESULT)} is there without a valid {WORKER_RESULT}",
            "Remove it if it is a leftover, then run the same command again.",
        )
    value = git.value
    sha = value["commit_sha"]
    holding = run.repository.attempt("branch", "--all", "--contains", sha, "--format=%(refname)")
    gone = "" if holding.stdout.strip() else " (a commit that is on no branch here any more)"
    if "pr_url" not in value:
        _refuse_another_forge(run, value)
    seen = note(run, GIT_RESULT, value["produced_by"])
    text = f"{value['branch']} {sha[:12]} {value.get('pr_url', '')}".rstrip() + gone + seen
    run.tell("kept", "publish", "x-git", text, pr_url=value.get("pr_url", ""))
    return True


def _refuse_another_forge(run: Run, value: dict[str, Any]) -> None:
    """Refuse to call an issue done whose pull request another forge has, and no address tells."""
    forge = value.get("forge")  # none of what the local forge published, which has a page
    if run.forge.name in ("local", forge):
        return
    where = f" on {visible(forge, 60)}" if isinstance(forge, str) else ""
    raise Stopped(
        f"{run.about.issue} is published already{where}, without a web address: {value['branch']}",
        f"To open its pull request on {run.forge.name}, move {run.about.path(GIT_RESULT)} away "
        "and run the same command again: the commit stays the one that there is.",
        code=UNUSABLE,
    )


def _stages(run: Run) -> None:
    done = find(run.about, WORKER_RESULT)  # of a run that was cut: its files may be staged
    prepare(run.repository, work_of(run, None, done.value if done.is_valid else None))
    if not done.exists and not find(run.about, PLAN).exists:
        _refuse_earlier_commit(run)
    if not run.until:
        run.forge.check(run.repository)
    if run.until == "plan" and not run.about.is_planned:
        raise Stopped("a trivial task has no plan to end after (--until implement)", code=UNUSABLE)
    plan = planned(run)
    if run.until == "plan":
        return
    result = implemented(run, plan)
    if not result["files_changed"]:
        raise Stopped(
            "the worker changed no file: there is nothing to publish",
            f"If the work is still to be done, delete {run.about.path(WORKER_RESULT)} and run the "
            "same command again.",
        )
    if run.until != "implement":
        _published(run, plan, result)


def _refuse_earlier_commit(run: Run) -> None:
    """Refuse to have work done again that an earlier run committed, its artifacts being gone."""
    sha = committed(run.repository, work_of(run, None, None))
    if sha:
        raise Stopped(
            f"the commit {sha[:10]} says 'Refs: {run.about.issue}', and its artifacts are gone",
            "To begin afresh, delete its branch (git branch -D …), or name another (--branch).",
            code=UNUSABLE,
        )


def _published(run: Run, plan: Plan | None, result: WorkerResult) -> None:
    work = work_of(run, plan, result)
    refuse_foreign_commit(run, work)
    seen = None
    if not committed(run.repository, work):
        result, seen = reviewed(run, plan, result)
        work = work_of(run, plan, result)
    if run.until != "review":
        published(run, work, result, seen)
