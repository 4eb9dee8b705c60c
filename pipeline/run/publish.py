"""The last stage: the worker's files become a branch, a commit and a pull request, once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pipeline.files import write_json
from pipeline.forges.base import Change, PullRequest
from pipeline.protocol.layout import GIT_RESULT, WORKER_RESULT
from pipeline.run import checkpoint, guard, prompts
from pipeline.run.artifacts import find, keep_copy
from pipeline.run.attest import Taken, attest, note
from pipeline.run.branch import message_of, read_branch_state, refuse_unfit
from pipeline.run.checkpoint import Checkpoint
from pipeline.run.commit import commit_work, refuse_changed_since
from pipeline.run.dispatch import Run, dispatch
from pipeline.run.message import default_message, first_message_in, is_message
from pipeline.schema import is_document_path
from pipeline.terminal.display import named, visible
from pipeline.terminal.fault import Fault, unusable

if TYPE_CHECKING:
    from pipeline.run.branch import BranchState
    from pipeline.schema import Plan, WorkerResult


@dataclass(frozen=True, kw_only=True, slots=True)
class Published:
    """What was published: `sha` is the work's commit in full, `message` the commit's own."""

    branch: str
    sha: str
    message: str
    pull_request: PullRequest


def publish_stage(run: Run, plan: Plan, result: WorkerResult, seen: guard.Snapshot | None) -> None:
    """Publish the work and write git-result.json; what an earlier run did is found, not repeated.

    `seen` is what the reviewer approved of, None where an earlier run has committed the work.
    """
    before = seen or run.snapshot()
    message, model = _proposed_message(run, seen) if seen else ("", "")
    paths = run.about.in_target(result["files_changed"])
    message = message or _own_message(run, result)
    done = publish(run, paths, message, _body(run, plan, result), seen)
    _write_result(run, done)
    signed = {}
    if run.attester:
        after = run.snapshot()
        signed = attest(run, Taken("publish", model, before, after, prompted=seen is not None))
    request = done.pull_request
    text = f"{done.branch} {done.sha[:12]} {request.url or request.page}".rstrip()
    data = {"branch": done.branch, "commit_sha": done.sha, "pr_url": request.url}
    data |= {"page": request.page, **signed}
    run.tell("done", "publish", text, data)


def publish(
    run: Run, paths: tuple[str, ...], message: str, body: str, seen: guard.Snapshot | None
) -> Published:
    """Make the branch, the commit and the pull request, or those of them that are still missing.

    `body` is the pull request's text in Markdown. After a kill at any point the same call continues
    where it stopped.
    """
    state = read_branch_state(run)
    refuse_unfit(run, state, paths)
    refuse_foreign_commit(run, state)
    checkpoint.forget(run.about.folder_on_disk)
    if state.commit:
        refuse_changed_since(paths, state)
        sha, tip = state.commit, state.tip
    else:
        sha = tip = commit_work(run, paths, message, state, seen)
    message = message_of(run.repository, sha)
    if not is_message(message):
        raise Fault(
            f"the commit {sha[:10]} says {named(message)}, which does not follow Conventional"
            " Commits 1.0.0 (did a hook change it?): reword it (git commit --amend), then run this"
            " again"
        )
    change = Change(
        repository=run.repository,
        issue=run.about.issue,
        branch=state.name,
        base=state.base,
        base_ref=state.base_ref,
        sha=tip,
        title=message.partition("\n")[0],
        body=body,
        criteria=run.about.criteria,
    )
    _tell_unpushed(run, state)
    request = run.forge.open(change)
    run.tell("progress", "publish", _outcome(request, state.name))
    return Published(branch=state.name, sha=sha, message=message, pull_request=request)


def _tell_unpushed(run: Run, state: BranchState) -> None:
    """Say that commits of the base which the remote has not will be in the pull request too."""
    remote = run.forge.remote
    theirs = f"refs/remotes/{remote}/{state.base}"
    if theirs not in state.references:
        return
    number = run.repository.run("rev-list", "--count", f"{theirs}..{state.base_ref}", "--").strip()
    if number != "0":
        ahead = f"{state.base} is {number} ahead of {remote}/{state.base}"
        text = f"{ahead}: these commits are published too"
        run.tell("progress", "publish", text)


def _outcome(request: PullRequest, branch: str) -> str:
    place = request.url or request.page
    if not place:
        return f"pushed {branch}; the forge printed no address: look for the pull request there"
    return f"pull request {'found' if request.reused else 'opened'}: {visible(place, 500)}"


def refuse_foreign_commit(run: Run, state: BranchState) -> None:
    """Refuse a commit of the issue that was made while agents were still at work."""
    if state.commit and checkpoint.read(run.about.folder_on_disk):
        raise Fault(
            f"the commit {state.commit[:10]} says 'Refs: {run.about.issue}' but was not made by "
            f"a run",
            "Delete its branch, or, if it is yours, remove "
            f"{run.about.folder}/{checkpoint.NAME}; then run the same command again.",
        )


def is_published(run: Run) -> bool:
    """Return whether an earlier run has published the issue."""
    git = find(run.about, GIT_RESULT)
    if not git.is_valid or checkpoint.read(run.about.folder_on_disk):
        return False
    if not find(run.about, WORKER_RESULT).is_valid:
        raise Fault(
            f"{run.about.path(GIT_RESULT)} exists without a valid {WORKER_RESULT}",
            "Remove it if it is left over, then run the same command again.",
        )
    branch, sha, url = (git.says(name) or "" for name in ("branch", "commit_sha", "pr_url"))
    if not url:
        _refuse_another_forge(run, git.value)
    holding = run.repository.attempt("branch", "--all", "--contains", sha, "--format=%(refname)")
    gone = "" if holding.stdout.strip() else " (a commit that is on no branch here any more)"
    text = f"{branch} {sha[:12]} {url}".rstrip() + gone + note(run, GIT_RESULT, git.producer)
    run.tell("kept", "publish", text, data={"pr_url": url})
    return True


def _refuse_another_forge(run: Run, value: dict[str, Any]) -> None:
    """Refuse to call an issue done whose pull request another forge has, without an address."""
    forge = value.get("forge")  # none of what the local forge published, which has a page
    if run.forge.name in ("local", forge):
        return
    where = f" on {visible(forge, 60)}" if isinstance(forge, str) else ""
    raise unusable(
        f"{run.about.issue} is already published{where}, without a web address: {value['branch']}",
        f"To open its pull request on {run.forge.name}, move {run.about.path(GIT_RESULT)} away "
        "and run the same command again: the commit does not change.",
    )


def _write_result(run: Run, done: Published) -> None:
    opened = done.pull_request
    is_seen = opened.url or opened.page  # else only the forge's name says where it was opened
    artifact = {
        "branch": done.branch,
        "commit_sha": done.sha,
        "commit_message": done.message,
        **({"pr_url": opened.url} if opened.url else {}),
        **({} if is_seen else {"forge": run.forge.name}),
        "produced_by": run.about.role("publish"),
    }
    path = run.about.on_disk(GIT_RESULT)
    keep_copy(path)
    write_json(path, artifact)
    found = find(run.about, GIT_RESULT)
    if not found.is_valid:
        raise Fault(f"{run.about.path(GIT_RESULT)} is not valid", *found.lines)


def _proposed_message(run: Run, seen: guard.Snapshot) -> tuple[str, str]:
    """Return the commit message that the git agent proposes, empty for none, and its model."""
    order = prompts.stage_task("publish", run.about)
    reply, _ = dispatch(run, order, Checkpoint("publish", seen))
    message = first_message_in(reply.text)
    if not message:
        text = "the agent gave no Conventional Commits message: the issue's title is used"
        run.tell("again", "publish", text)
    return message, reply.model


def _own_message(run: Run, result: WorkerResult) -> str:
    kind = "docs" if all(map(is_document_path, result["files_changed"])) else "feat"
    if run.about.tier == "trivial" and kind == "feat":
        kind = "refactor"
    return default_message(run.about.issue, run.about.title, result["summary"], kind)


def _body(run: Run, plan: Plan, result: WorkerResult) -> str:
    """Return the Markdown of the pull request: what was done, and where each criterion is met."""
    about = run.about
    mapping = plan.get("acceptance_mapping", {})
    items = [f"- {label}: `{file}`" for label, file in mapping.items()]
    where = ["", "Where each criterion is met:", "", *items] if items else []
    tier = f"Issue {about.issue}, {about.title}. Tier {about.tier}: {about.reason}"
    return "\n".join([result["summary"], "", tier, *where])
