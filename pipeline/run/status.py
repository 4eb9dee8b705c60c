"""The state of one issue: its stage, what stopped it, and what comes next."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from pipeline.bootstrap import called_as
from pipeline.files import Unreadable, unreadable
from pipeline.protocol.layout import ARTIFACTS, artifact_folder, in_target, is_issue_id
from pipeline.run.artifacts import (
    ABSENT,
    INVALID,
    Artifact,
    is_real_folder,
    is_real_path,
    read_artifact,
)
from pipeline.run.lock import Hold, hold_of
from pipeline.schema import COMPLETED
from pipeline.terminal.display import inert, quoted, visible
from pipeline.tiers import ROUTING

_FOLDER = ".pipeline"
_FORGE = "forge"  # the local forge keeps its repository and its pages there
_SHOWN = 5  # problems of an artifact; `schema.py --validate` shows more

Stage = Literal[
    "issue received", "planning", "implementing", "publishing", "pull request ready for review"
]
_FAST_WORKER = ROUTING["trivial"][0]  # the tier that needs no plan


@dataclass(frozen=True, kw_only=True, slots=True)
class State:
    """What the files of an issue of `project` say; the fields are those of `--json`.

    `state` is the stage of the first artifact that is not there, not valid or, for the worker's,
    not completed. `stopped` says why no stage can follow, empty if one can or a run is active.
    `notes` name what is odd but stops nothing. `worker_status`, `blockers`, `branch`, `commit_sha`
    and `pr_url` come from valid artifacts only, empty where there is none, and are as the files
    have them: not yet safe to print. All other texts are.
    """

    project: str
    issue: str
    state: Stage
    running: bool
    stopped: str
    next_step: str
    artifacts: tuple[Artifact, ...]
    worker_status: str = ""
    blockers: tuple[str, ...] = ()
    branch: str = ""
    commit_sha: str = ""
    pr_url: str = ""
    notes: tuple[str, ...] = ()


class _Files(NamedTuple):
    plan: Artifact
    worker: Artifact
    git: Artifact

    @property
    def is_planned(self) -> bool:
        """A valid plan is there, or none is needed: the worker of trivial tasks has none."""
        return self.plan.is_valid or (not self.plan.exists and self.worker.producer == _FAST_WORKER)

    @property
    def is_completed(self) -> bool:
        return bool(self.worker.says("status") == COMPLETED)

    @property
    def broken(self) -> str:
        """The name of the first artifact that is not valid, empty where there is none."""
        return next((each.name for each in self if each.condition == INVALID), "")


def state_of(folder: str, issue: str) -> State:
    """Return the state of an issue of the target project in `folder`, which may have no files yet.

    Raises:
        ValueError: `issue` is not an issue id.
    """
    place = artifact_folder(folder, issue)
    files = _Files(*(Artifact(name, ABSENT) for name in ARTIFACTS))
    hold: Hold = "absent"
    try:
        if is_real_path(place):
            # The lock first: a run that ends in between is then shown, with what it has written.
            hold = hold_of(place)
            files = _Files(*(read_artifact(place, name, most=_SHOWN) for name in ARTIFACTS))
        stopped, stage = _stopped(files), _stage(files, hold)
        next_step = _next_step(issue, folder, stage, files)
    except Unreadable as error:
        stopped, stage = inert(str(error)), "issue received"
        next_step = "replace it with a folder, then run the issue"
    if hold == "held":
        stopped, next_step = "", "wait: a run of this issue is in progress"
    return State(
        project=folder,
        issue=issue,
        state=stage,
        running=hold == "held",
        stopped=stopped,
        next_step=next_step,
        artifacts=files,
        worker_status=_text(files.worker.says("status")),
        blockers=tuple(map(_text, files.worker.says("blockers") or ())),
        branch=_text(files.git.says("branch")),
        commit_sha=_text(files.git.says("commit_sha")),
        pr_url=_text(files.git.says("pr_url")),
        notes=tuple(_notes(files)),
    )


def _stage(files: _Files, hold: Hold) -> Stage:
    if hold == "absent" and not any(each.exists for each in files):
        return "issue received"
    if not files.is_planned:
        return "planning"
    if not files.is_completed:
        return "implementing"
    return "pull request ready for review" if files.git.is_valid else "publishing"


def _stopped(files: _Files) -> str:
    if files.plan.condition == INVALID or not files.worker.is_valid or files.is_completed:
        return f"{files.broken} is not valid" if files.broken else ""
    count = len(files.worker.says("blockers"))
    counted = f", with {count} blocker{'s' * (count != 1)}" if count else ""
    status = visible(files.worker.says("status"), 40)
    return inert(f"the worker's status is {status}, not {COMPLETED}{counted}")


def _next_step(issue: str, folder: str, stage: Stage, files: _Files) -> str:
    if files.broken:
        return f"fix {files.broken}, or run the issue again to rewrite it"
    if files.worker.is_valid and not files.is_completed:
        return "resolve what stopped the worker, then run the issue again with --retry"
    project = "" if folder == "." else f" --project {visible(folder, 200)}"
    steps: dict[Stage, str] = {
        "issue received": (
            f'start it: {called_as("pipeline")} run "work on issue {issue}: <task>"{project}'
        ),
        "planning": f"a planner writes {files.plan.name}",
        "implementing": f"a worker reads {files.plan.name} and writes {files.worker.name}",
        "publishing": f"x-git publishes the work and writes {files.git.name}",
    }
    return steps.get(stage) or _review(files.git)


def _review(git: Artifact) -> str:
    address = git.says("pr_url")
    if address:
        return inert(f"review and merge {visible(address, 200)}")
    branch = visible(git.says("branch"), 200)
    forge = visible(_text(git.says("forge")) or "local", 60)
    place = ".pipeline/forge/pulls" if forge == "local" else f"the requests on {forge}"
    return inert(f"review and merge {branch} (it has no URL: see {place})")


def _notes(files: _Files) -> list[str]:
    """Return what is out of order: an artifact that is there before the one that it builds on."""
    notes = []
    if files.worker.exists and not files.plan.exists and not files.is_planned:
        notes.append(
            f"{files.worker.name} exists without {files.plan.name}, but only {_FAST_WORKER} works"
            f" without a plan; its produced_by is {quoted(files.worker.producer, 60)}"
        )
    if files.git.exists and not files.worker.exists:
        notes.append(f"{files.git.name} exists without {files.worker.name}")
    elif files.git.exists and not files.is_completed:
        notes.append(f"{files.git.name} exists although the worker has not completed its work")
    return [inert(note) for note in notes]


def _text(value: Any) -> str:
    """Return a value of a document as a text: as it is, summed up where it is none."""
    if value is None:
        return ""
    return value if isinstance(value, str) else quoted(value)


def survey(project: str) -> tuple[list[str], list[str]]:
    """Return the names in `<project>/.pipeline`: issue ids in natural order, and the others.

    Both are empty where the folder does not exist. The local forge's folder is left out, and names
    with a leading dot: other tools' bookkeeping.

    Raises:
        Unreadable: it is a link, is not a folder, or may not be read.
    """
    folder = in_target(project, _FOLDER)
    if not is_real_folder(folder):
        return [], []
    try:
        names = [name for name in os.listdir(folder) if name != _FORGE and name[0] != "."]
    except OSError as error:
        raise unreadable(error) from None
    issues = sorted(filter(is_issue_id, names), key=_natural)
    return issues, sorted(set(names) - set(issues))


def _natural(issue: str) -> tuple[str, int, str]:
    prefix, _, number = issue.partition("-")
    return prefix, int(number), number
