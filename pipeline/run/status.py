"""The state of one issue: its stage, what stopped it, and what comes next."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pipeline.bootstrap import called_as
from pipeline.files import Unreadable, unreadable
from pipeline.git import GitFault, Repository
from pipeline.protocol.agreement import COMPLETED, is_unexplained
from pipeline.protocol.layout import (
    ARTIFACTS,
    GIT_RESULT,
    PLAN,
    WORKER_RESULT,
    artifact_folder,
    in_target,
    is_issue_id,
)
from pipeline.run import checkpoint, guard, history, turns
from pipeline.run.artifacts import StageArtifact, is_real_folder, is_real_path, read_artifact
from pipeline.run.assignment import issue_of, labels_of, target_of
from pipeline.run.branch import has_lost, merged_into, remembered_base
from pipeline.run.lock import Hold, hold_of
from pipeline.run.stage import Facts, ProjectFiles, committed_files, tree_of
from pipeline.run.stages import STAGES
from pipeline.run.stages.plan import PLANNING
from pipeline.terminal.display import inert, quoted, visible
from pipeline.tiers import ROUTING

if TYPE_CHECKING:
    from collections.abc import Mapping

_SHOWN = 5  # problems of an artifact; `schema.py --validate` shows more
_FAST_WORKER = ROUTING["trivial"][0]  # the tier that needs no plan

RECEIVED, READY = "issue received", "pull request ready for review"  # before and after the stages
_WRITING = [stage for stage in STAGES if stage.artifact]


@dataclass(frozen=True, kw_only=True, slots=True)
class State:
    """What the files of an issue say; the fields are those of `--json`."""

    project: str  #: the folder of the target project
    issue: str
    state: str  #: the stage of the first artifact that is not there, valid or completed
    running: bool  #: a run works on it
    stopped: str  #: why no stage can follow, empty if one can or a run is active
    next_step: str  #: what to do
    artifacts: tuple[StageArtifact, ...]
    escalated: str = ""  #: to which tier, and why
    #: from valid artifacts, as all until `pr_url`, and as written: not safe to print
    worker_status: str = ""
    blockers: tuple[str, ...] = ()
    branch: str = ""
    commit_sha: str = ""
    pr_url: str = ""
    cost: dict[str, Any] = field(default_factory=lambda: turns.cost_of([]))


def state_of(folder: str, issue: str) -> State:
    """Return the state of an issue of the project in `folder`, which may have no files yet."""
    place = artifact_folder(folder, issue)
    found, hold, obstacle = _read(place)
    refused = () if obstacle or hold == "held" else _refused(folder, issue, place, found)
    state = _stage(found, hold=hold) if not refused else refused[0]
    stopped, next_step = refused[1:] if refused else _stopped(found)
    if obstacle:
        stopped, next_step = obstacle, "make it a folder that you can read, then run the issue"
    worker, git = found[WORKER_RESULT], found[GIT_RESULT]
    next_step = _published(folder, worker, git) or next_step
    if hold == "held":
        stopped, next_step = "", "wait: a run of this issue is in progress"
    blockers = worker.says("blockers") or ()
    return State(
        project=folder,
        issue=issue,
        state=state,
        running=hold == "held",
        stopped=stopped,
        next_step=next_step or _next_step(state, issue, folder, git),
        artifacts=tuple(found[name] for name in found if found[name].exists or name in ARTIFACTS),
        escalated="" if obstacle else _escalated(place),
        worker_status=worker.says("status") or "",
        blockers=tuple(
            blocker if isinstance(blocker, str) else quoted(blocker) for blocker in blockers
        ),
        branch=git.says("branch") or "",
        commit_sha=git.says("commit_sha") or "",
        pr_url=git.says("pr_url") or "",
        cost=turns.cost_of([] if obstacle else turns.turns_of(place)),
    )


def _read(place: str) -> tuple[dict[str, StageArtifact], Hold, str]:
    """Return the artifacts of an issue's folder, its lock, and why it cannot be read, if so."""
    found = {stage.artifact: StageArtifact(stage.artifact, "absent") for stage in _WRITING}
    hold: Hold = "absent"
    try:
        if is_real_path(place):
            # The lock first: a run that ends in between is then shown, with what it has written.
            hold = hold_of(place)
            found = {name: read_artifact(place, name, most=_SHOWN) for name in found}
    except Unreadable as error:
        return found, hold, inert(str(error))
    return found, hold, ""


def _escalated(place: str) -> str:
    """Return the last escalation and its reason, empty if there was none."""
    if not (found := history.escalations(place)):
        return ""
    reason = ": ".join(map(str, found[-1]["reason"][:2]))
    return inert(visible(f"from {found[-1]['from']} to {found[-1]['to']}: {reason}", 300))


def _stage(found: Mapping[str, StageArtifact], *, hold: Hold) -> str:
    """Return the state of the first stage that is not done."""
    if hold == "absent" and not any(artifact.exists for artifact in found.values()):
        return RECEIVED
    for stage in _WRITING:
        artifact = found[stage.artifact]
        is_fast = stage is PLANNING and found[WORKER_RESULT].producer == _FAST_WORKER
        is_left_out = stage.judges or is_fast  # only a run has it, or the tier needs none
        is_done = artifact.is_valid and not stage.why_not_done(artifact.value)
        if not is_done and (artifact.exists or not is_left_out):
            return stage.state
    return READY


def _refused(
    folder: str, issue: str, place: str, found: Mapping[str, StageArtifact]
) -> tuple[()] | tuple[str, str, str]:
    """Return what a run would refuse though it is valid: the stage, why, and what to do."""
    if not found[PLAN].is_valid or found[GIT_RESULT].is_valid:
        return ()
    root, target = _place_in_repository(folder)
    for stage in _WRITING:
        name, artifact = stage.artifact, found[stage.artifact]
        if stage.judges or not artifact.is_valid:  # what it has judged may have changed since
            continue
        facts = Facts(
            path=f"{artifact_folder(target, issue)}/{name}",
            roles=tuple(sorted({stage.role(tier) for tier in ROUTING})),
            values={name: artifact.value for name, artifact in found.items()},
            tree=_tree(root, target, issue, place) if root and stage.writes == "project" else None,
            criteria=labels_of(root or folder, target, issue),
        )
        if problems := stage.problems(facts, artifact.value):
            step = f"fix {name}, or run the issue again"
            return stage.state, inert(f"refused: {problems[0]}"), step
    return ()


def _published(folder: str, worker: StageArtifact, git: StageArtifact) -> str:
    """Return what comes next for published work that is merged or lost, empty for other work."""
    sha, branch, files = git.says("commit_sha"), git.says("branch"), worker.says("files_changed")
    if not (sha and files):
        return ""
    repository = Repository(folder)
    if base := merged_into(repository, branch, sha, files):
        return f"none: it is merged into {visible(base, 100)}"
    is_local = not git.says("pr_url") and git.says("forge") in (None, "local")
    if is_local and repository.commit("HEAD") and has_lost(repository, sha):
        what = f"no branch has the commit {sha[:12]}"
        return f"{what}: none if its work is merged, else run the issue again"
    return ""


def _place_in_repository(folder: str) -> tuple[str, str]:
    """Return the root of a project's repository, empty if there is none, and the project in it."""
    try:
        root = Repository.toplevel(folder)
    except GitFault:
        return "", "."
    return root, target_of(root, folder)


def _tree(root: str, target: str, issue: str, place: str) -> ProjectFiles | None:
    """Return what the worker changed, None where it cannot be known."""
    repository = Repository(root)
    now = guard.take(repository, target, issue=issue)
    committed: frozenset[str] = frozenset()
    if issue_of(now.branch) == issue:
        if not (base := remembered_base(repository, now.branch)):
            return None
        committed = committed_files(repository, base, "HEAD", target)
    return tree_of(target, checkpoint.read(place), now, committed)


def _stopped(found: Mapping[str, StageArtifact]) -> tuple[str, str]:
    """Return why no stage can follow and what to do about it; both are empty if one can."""
    for stage in _WRITING:
        artifact = found[stage.artifact]
        if artifact.condition == "invalid":
            step = f"fix {artifact.name}, or run the issue again to rewrite it"
            return f"{artifact.name} is not valid", step
        if (
            artifact.name == WORKER_RESULT
            and artifact.is_valid
            and artifact.says("status") != COMPLETED
        ):
            count = len(artifact.says("blockers"))
            counted = f", with {count} blocker{'s' * (count != 1)}" if count else ""
            status = visible(artifact.says("status"), 40)
            step = "resolve what stopped the worker, then run the issue again with --retry"
            if is_unexplained(artifact.value):
                step = "run the issue again, to ask the worker what is left to do"
            return inert(f"the worker's status is {status}, not {COMPLETED}{counted}"), step
        if artifact.is_valid and (lines := stage.why_not_done(artifact.value)):
            return inert(lines[0]), "fix it, or run the issue again with --retry"
    return "", ""


def _next_step(state: str, issue: str, folder: str, git: StageArtifact) -> str:
    if state == RECEIVED:
        project = "" if folder == "." else f" --project {visible(folder, 200)}"
        return f'start it: {called_as("pipeline")} run "work on issue {issue}: <task>"{project}'
    if state != READY:
        return next(stage.next_step for stage in STAGES if stage.state == state)
    if address := git.says("pr_url"):
        return inert(f"review and merge {visible(address, 200)}")
    forge = git.says("forge")
    place = f"the pull requests on {visible(str(forge), 60)}" if forge else ".pipeline/forge/pulls"
    return inert(
        f"review and merge {visible(git.says('branch'), 200)} "
        f"(its pull request has no URL: see {place})"
    )


def issues_of(project: str) -> list[str]:
    """Return the issues that `<project>/.pipeline` has files of, in natural order.

    Raises:
        Unreadable: it is a link, is not a folder, or may not be read.
    """
    folder = in_target(project, ".pipeline")
    try:
        names = os.listdir(folder) if is_real_folder(folder) else []
    except OSError as error:
        reason = unreadable(error)
        raise Unreadable(reason.reason, f"{visible(folder, 300)} {reason}") from None
    parts = (name.partition("-") for name in names if is_issue_id(name))
    found = sorted((prefix, int(number), number) for prefix, _, number in parts)
    return [f"{prefix}-{number}" for prefix, _, number in found]
