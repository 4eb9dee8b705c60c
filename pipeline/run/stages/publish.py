"""The last stage: the worker's files become a branch, a commit and a pull request."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pipeline.files import is_inside, size_of
from pipeline.forges.base import Change, PullRequest
from pipeline.git import GitFault
from pipeline.protocol.conventions import is_document_path
from pipeline.protocol.layout import GIT_RESULT, PLAN, REVIEW_RESULT, TEST_RESULT, WORKER_RESULT
from pipeline.run import checkpoint, guard, history, prompts
from pipeline.run.artifacts import find, write_own
from pipeline.run.attest import AcceptedTurn, attest, note
from pipeline.run.branch import base_key, is_open, message_of, read_branch_state, refuse_unfit
from pipeline.run.checkpoint import Checkpoint
from pipeline.run.dispatch import dispatch
from pipeline.run.hooks import after_hooks
from pipeline.run.message import default_message, first_message_in, is_message, with_reference
from pipeline.run.request import (
    attention,
    body_of,
    closing,
    described,
    folded,
    to_look_at,
    to_reproduce,
)
from pipeline.run.stage import AGAIN, Stage
from pipeline.terminal.display import listed, named, visible
from pipeline.terminal.fault import Fault, unusable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pipeline.drivers.base import Reply
    from pipeline.run.branch import BranchState
    from pipeline.run.context import Run, Work
    from pipeline.schema import WorkerResult

MAX_PUBLISHED = 10 << 20  # bytes of one file


@dataclass(frozen=True, kw_only=True, slots=True)
class Published:
    """What was published."""

    branch: str
    sha: str  #: the full hash of the work's commit
    message: str  #: of the commit
    pull_request: PullRequest
    look_at: tuple[str, ...] = ()  #: files that run by themselves, and tests that are not new


def _publish(work: Work, stage: Stage) -> dict[str, Any]:
    """Publish the work and write git-result.json; what an earlier run did is found, not repeated.

    Nothing was reviewed where an earlier run has committed the work.
    """
    run, seen, result = work.run, work.reviewed, work.values[WORKER_RESULT]
    paths = run.about.in_target(result["files_changed"])
    if kept := _unchanged(run, paths):
        return kept
    before = seen or (run.snapshot() if run.attester else guard.NOTHING)
    message, reply = _message(run, result, seen)
    said = (find(run.about, name) for name in (TEST_RESULT, REVIEW_RESULT))
    tests, review = (artifact.value if artifact.is_valid else None for artifact in said)
    escalations = history.escalations(run.about.folder_on_disk)
    body = body_of(run.about, work.values[PLAN], result, tests, review, escalations)
    done = publish(run, paths, message, body, seen)
    artifact = _write_result(run, done)
    signed: dict[str, str] = {}
    if run.attester:
        model, after = reply.model if reply else "", run.snapshot()
        signed = attest(run, AcceptedTurn(stage, model, before, after, prompted=reply is not None))
    request = done.pull_request
    place = request.url or request.page or f"(no URL: see the pull requests on {run.forge.name})"
    found = " (it was already open)" if request.reused else ""
    text = f"{done.branch} {done.sha[:12]} {place}{found}"
    data: dict[str, Any] = {"branch": done.branch, "commit_sha": done.sha, "pr_url": request.url}
    data |= {"page": request.page, "look_at": list(done.look_at), **signed}
    data |= {"tier": run.about.tier} if escalations else {}
    run.tell("done", stage, text, data)
    return artifact


def _unchanged(run: Run, paths: tuple[str, ...]) -> dict[str, Any]:
    """Return the result of the round before, where nothing has changed in a further one."""
    rounds = history.rounds(run.about.folder_on_disk)
    state = read_branch_state(run) if rounds else None
    if not (state and state.since) or state.commit or set(paths) & state.changes.keys():
        return {}
    artifact: dict[str, Any] = rounds[-1]["values"][GIT_RESULT]
    write_own(run.about, GIT_RESULT, artifact)
    checkpoint.forget(run.about.folder_on_disk)
    text = "the worker changed nothing, so there is no new commit"
    run.tell("done", PUBLISH, text, {"pr_url": artifact.get("pr_url", "")})
    return artifact


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
    if state.commit:
        _refuse_changed_since_commit(paths, state)
    sha = state.commit or commit_work(run, paths, message, state, seen)
    _confirm_changed_by_hook(run, sha)
    message = message_of(run.repository, sha)
    if not is_message(message):
        raise Fault(
            f"the message of the commit {sha[:10]}, {named(message)}, does not follow Conventional"
            f" Commits 1.0.0 (did a hook change it?): reword it (git commit --amend), {AGAIN}"
        )
    look_at = tuple(to_look_at(run.repository, sha))
    reproduce = to_reproduce(run.about, state.name, sha)
    texts = (closing(run.about), body, reproduce, attention(look_at))
    title = message.partition("\n")[0]
    request = run.forge.open(_change(run, state, sha, title, texts))
    for note_of_forge in request.notes:
        run.tell("notice", text=note_of_forge)
    checkpoint.forget(run.about.folder_on_disk)
    return Published(
        branch=state.name, sha=sha, message=message, pull_request=request, look_at=look_at
    )


def _change(run: Run, state: BranchState, sha: str, title: str, texts: Iterable[str]) -> Change:
    """Return what the forge gets; a commit that was there may have others of the user on top."""
    return Change(
        repository=run.repository,
        issue=run.about.issue,
        branch=state.name,
        base=state.base,
        base_ref=state.base_ref,
        sha=state.tip if state.commit else sha,
        title=title,
        body=described(run.repository, state.base_ref, *texts),
        criteria=run.about.criteria,
        artifacts=folded(run.about),
        draft=run.draft,
        labels=run.labels,
        reviewers=run.reviewers,
    )


def refuse_foreign_commit(run: Run, state: BranchState) -> None:
    """Refuse a commit of the issue that was made while agents were still at work."""
    last = checkpoint.read(run.about.folder_on_disk)
    if state.commit and last and not last.tree:
        raise Fault(
            f"the commit {state.commit[:10]} says 'Refs: {run.about.issue}' but was not made by "
            "a run",
            "Delete the commit's branch, or, if the commit is yours, remove "
            f"{run.about.folder}/{checkpoint.NAME}; {AGAIN}.",
        )


def is_published(run: Run) -> bool:
    """Return whether an earlier run has published the issue."""
    git, worker = (find(run.about, name) for name in (GIT_RESULT, WORKER_RESULT))
    is_done = git.is_valid and worker.is_valid
    if not is_done or checkpoint.read(run.about.folder_on_disk):
        return False
    branch, sha, url = (git.says(name) or "" for name in ("branch", "commit_sha", "pr_url"))
    forge = str(git.says("forge") or "local")
    if not url and run.forge.name not in ("local", forge):
        raise unusable(
            f"{run.about.issue} is already published with --forge {visible(forge, 60)}: {branch}",
            f"To open its pull request on {run.forge.name}, move {run.about.path(GIT_RESULT)} away "
            "and run the same command again: the commit does not change.",
        )
    files = run.about.in_target(worker.value["files_changed"])
    if not url and forge == "local" and not is_open(run, branch, sha, files):
        return False
    text = f"{branch} {sha[:12]} {url}".rstrip() + note(run, GIT_RESULT, git.producer)
    run.tell("kept", PUBLISH, text, data={"pr_url": url})
    if run.retry:
        what = "--retry changes nothing: the issue is published; to work on it again, move"
        run.tell("notice", text=f"{what} {run.about.folder} away and use another --branch")
    return True


def _write_result(run: Run, done: Published) -> dict[str, Any]:
    opened = done.pull_request
    artifact = {
        "branch": done.branch,
        "commit_sha": done.sha,
        "commit_message": done.message,
        "produced_by": run.role(PUBLISH),
    }
    if opened.url:
        artifact["pr_url"] = opened.url
    elif not opened.page:  # only the forge's name says where it was opened
        artifact["forge"] = run.forge.name
    write_own(run.about, GIT_RESULT, artifact)
    return artifact


def _message(
    run: Run, result: WorkerResult, seen: guard.Snapshot | None
) -> tuple[str, Reply | None]:
    """Return the git agent's commit message, or a default one, and the agent's reply.

    There is no reply where the commit or its message is there: then the agent is not asked.
    """
    if not seen:  # the message is that of the commit that is there
        return _default_message(run, result), None
    last = checkpoint.read(run.about.folder_on_disk)
    if last and is_message(last.message):
        run.tell("progress", PUBLISH, "the commit message of an earlier run is kept")
        return last.message, None
    begun = Checkpoint(PUBLISH.name, seen)
    reply, _ = dispatch(run, PUBLISH, prompts.stage_task(PUBLISH, run.about), begun)
    message = first_message_in(reply.text)
    if not message:
        text = "the agent gave no Conventional Commits message, so the issue's title is used"
        run.tell("again", PUBLISH, text)
        message = _default_message(run, result)
    last = checkpoint.read(run.about.folder_on_disk) or begun
    checkpoint.write(run.about.folder_on_disk, last._replace(settled=True, message=message))
    return message, reply


def _default_message(run: Run, result: WorkerResult) -> str:
    kind = "refactor" if run.about.tier == "trivial" else "feat"
    if all(map(is_document_path, result["files_changed"])):
        kind = "docs"
    return default_message(run.about.issue, run.about.title, result["summary"], kind)


def commit_work(
    run: Run,
    work: tuple[str, ...],
    message: str,
    state: BranchState,
    seen: guard.Snapshot | None,
) -> str:
    """Make the branch and the commit of the work's paths, and return the commit's full hash.

    `seen` is what the reviewer approved: nothing else is committed.
    """
    repository = run.repository
    paths = changed_files(run, work, state.changes)
    if not state.is_checked_out:
        _switch(run, state)
    staged = "".join(f"{path}\0" for path in paths)
    repository.run("update-index", "--add", "--remove", "--replace", "-z", "--stdin", text=staged)
    _refuse_not_staged(paths, repository.status().changes)
    if seen:
        _refuse_changed_since_review(repository.root, paths, seen)
    _remember_tree(run, repository.run("write-tree").strip())
    text = with_reference(message, run.about.issue) + "\n"
    if run.signoff:
        text += f"Signed-off-by: {repository.identity()}\n"
    _commit(run, text)
    sha = repository.commit("HEAD")
    run.tell("progress", PUBLISH, f"committed {sha[:10]} on {state.name}")
    return sha


def _switch(run: Run, state: BranchState) -> None:
    """Make the issue's branch at HEAD, also again where it was left without a commit."""
    base = state.base_ref.removeprefix("refs/heads/").removeprefix("refs/remotes/")
    run.repository.run("config", base_key(state.name), base)
    create = "-C" if state.tip else "-c"
    run.repository.run("switch", "--quiet", "--no-track", create, state.name)
    run.tell("progress", PUBLISH, f"switched to {state.name}, from {state.base}")


def _commit(run: Run, text: str) -> None:
    """Commit what is staged, with the message as the hooks leave it."""
    where = ""
    try:
        if run.driver.allowed:
            where = " (hooks run in a jail: see --allow-read, --allow-write and --allow-network)"
            text = after_hooks(run, text)
            where = ""
        run.repository.run("commit", "--quiet", "--cleanup=whitespace", "--file=-", text=text)
    except GitFault as fault:
        why = fault.printed or "git printed nothing"
        raise Fault(
            f"git could not make the commit: {why}{where}; the files stay staged; fix the cause, "
            f"{AGAIN}"
        ) from None


def _remember_tree(run: Run, tree: str) -> None:
    """Keep what is committed, by which a later run knows the commit, and what a hook changed."""
    folder = run.about.folder_on_disk
    last = checkpoint.read(folder) or Checkpoint(PUBLISH.name, guard.NOTHING, settled=True)
    checkpoint.write(folder, last._replace(tree=tree))


def _confirm_changed_by_hook(run: Run, sha: str) -> None:
    """Say which files of the commit are not as they were reviewed, before anybody merges them."""
    last = checkpoint.read(run.about.folder_on_disk)
    if not (last and last.tree):
        return
    words = ("diff-tree", "-r", "-z", "--name-only", "--no-renames", last.tree, f"{sha}^{{tree}}")
    if found := run.repository.entries(*words):
        what = f"the commit {sha[:10]} differs from what was reviewed: {listed(found, 8)}"
        run.confirm(
            f"{what} (did a hook change it?)",
            f"Look at it (git show {sha[:10]}), {AGAIN}.",
        )


def changed_files(run: Run, work: tuple[str, ...], changes: dict[str, str]) -> list[str]:
    """Return the work's paths that are new, changed or deleted, relative to the repository."""
    changed = [path for path in work if path in changes]
    unchanged = [path for path in work if path not in changes]
    if not changed:
        raise Fault(f"nothing to commit: git sees no change in {listed(unchanged)}")
    refuse_unpublishable(run.repository.root, changed)
    if unchanged:
        run.tell(
            "progress", PUBLISH, f"not committed because git sees no change: {listed(unchanged)}"
        )
    return changed


def refuse_unpublishable(root: str, paths: Iterable[str]) -> None:
    """Refuse links that point outside the repository, and files that are too large."""
    top = os.path.realpath(root)
    for path in paths:
        full = os.path.join(top, path)
        if os.path.islink(full):
            goal = os.path.realpath(full)
            if not is_inside(goal, top):
                raise Fault(
                    f"{named(path)} is a link that points outside the repository "
                    f"({visible(goal, 200)}): it is not published; replace it with a file, {AGAIN}"
                )
        elif os.path.isfile(full) and os.path.getsize(full) > MAX_PUBLISHED:
            raise Fault(
                f"{named(path)} is larger than {size_of(MAX_PUBLISHED)}: it is not published;"
                f" make it smaller or remove it, {AGAIN}"
            )


def _refuse_not_staged(paths: list[str], changes: dict[str, str]) -> None:
    """Refuse names that git passes over, such as `git~1` and a link called `.gitmodules`."""
    left_out = [path for path in paths if changes.get(path, "")[1:] in ("?", "T")]
    if left_out:
        raise Fault(
            f"git does not take {listed(left_out)} into a commit, so nothing is committed: give the"
            f" file another name in the plan, in the report and on disk, {AGAIN}"
        )


def _refuse_changed_since_review(root: str, paths: list[str], seen: guard.Snapshot) -> None:
    """Refuse what changed after the review, for example by a program that is still running."""
    edited = [path for path in paths if seen.files.get(path) != guard.mark(root, path)]
    if edited:
        raise Fault(
            f"files have changed since they were reviewed: {listed(edited)}; nothing was committed",
            f"Check whether a program that an agent started is still running, {AGAIN}: "
            "the work is reviewed again.",
        )


def _refuse_changed_since_commit(work: tuple[str, ...], state: BranchState) -> None:
    since = sorted(set(work) & state.changes.keys()) if state.is_checked_out else []
    if since:
        raise Fault(
            f"{named(state.name)} has this work's commit, but {listed(since)} changed later: "
            f"commit those changes on the branch or undo them (git restore), {AGAIN}"
        )


PUBLISH = Stage(
    name="publish",
    state="publishing",
    next_step="x-git publishes the work and writes git-result.json",
    artifact=GIT_RESULT,
    role=lambda _: "x-git",
    task="""\
The pipeline's runner publishes and writes `{git}` itself.
As {role}, read `{result}` and the changes. Answer with the commit
message only, in a ```text block: a Conventional Commits header of at most 72 characters,
then, after an empty line, what changes and why.
Do not change any file, and do not run a git command that changes anything.""",
    obtain=_publish,
)
