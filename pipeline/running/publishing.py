"""The last stage: the worker's files become a branch, a commit and a pull request, once."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

from pipeline.files import write_json
from pipeline.protocol.layout import GIT_RESULT
from pipeline.publishing.message import default_message, first_message_in
from pipeline.publishing.publish import Published, Work, committed, publish
from pipeline.running import agent_prompts, guard, witness
from pipeline.running.artifacts import find, set_aside
from pipeline.running.attesting import Taken, attest
from pipeline.running.dispatching import Dispatch, Run, Stopped, dispatch
from pipeline.schema import is_document_path
from pipeline.terminal.display import listed

if TYPE_CHECKING:
    from pipeline.schema import Plan, WorkerResult

GIT = "x-git"


def work_of(run: Run, plan: Plan | None, result: WorkerResult | None) -> Work:
    """Return what is to be published; without a result, what is known before any work is done."""
    about = run.about
    return Work(
        issue=about.issue,
        title=about.title,
        target=about.target,
        files=tuple(dict.fromkeys(result["files_changed"])) if result else (),
        message="",
        body=_body(run, plan, result) if result else "",
        criteria=about.criteria,
        base=run.base,
        branch=run.branch,
        remote=run.remote,
    )


def published(run: Run, work: Work, result: WorkerResult, seen: guard.Snapshot | None) -> Published:
    """Publish the work and write git-result.json; what an earlier run did is found, not repeated.

    `seen` is what the reviewer approved of, None where an earlier run has committed the work.

    Raises:
        Stopped: the git agent changed something.
        CannotPublish: git or the forge refused.
        ForgeFault: the same.
    """
    started = time.monotonic()
    before = seen or guard.take(run.repository, run.about.target)
    message, model = _message(run, seen) if seen else ("", "")
    refuse_foreign_commit(run, work)
    witness.forget(run.about.folder_on_disk)
    done = publish(
        run.repository,
        run.forge,
        replace(work, message=message or _own_message(run, result)),
        lambda text: run.tell("progress", "publish", GIT, text, seconds=time.monotonic() - started),
        lambda: _refuse_other_than(run, work, seen),
    )
    _write_result(run, done)
    told = _attested(run, before, model, prompted=seen is not None)
    run.tell(
        "done",
        "publish",
        GIT,
        f"{done.branch} {done.sha[:12]} {done.pull_request.url or done.pull_request.page}".rstrip(),
        seconds=time.monotonic() - started,
        branch=done.branch,
        commit_sha=done.sha,
        pr_url=done.pull_request.url,
        page=done.pull_request.page,
        **told,
    )
    return done


def _attested(run: Run, before: guard.Snapshot, model: str, *, prompted: bool) -> dict[str, str]:
    """Sign git-result.json, which the runner has written itself, with the git agent's words."""
    if run.attester is None:
        return {}
    after = guard.take(run.repository, run.about.target)
    taken = Taken("publish", GIT, GIT_RESULT, model, before, after, "runner", prompted)
    return attest(run, taken)


def refuse_foreign_commit(run: Run, work: Work) -> None:
    """Refuse a commit of the issue that was made while agents were still at work.

    Raises:
        Stopped: there is one; the runner makes it only when nothing is left to be watched.
        CannotPublish: the repository or the base cannot be made out.
    """
    if witness.kept(run.about.folder_on_disk) is None:
        return
    sha = committed(run.repository, work)
    if sha:
        raise Stopped(
            f"the commit {sha[:10]} says 'Refs: {run.about.issue}', and no run has made it",
            "Delete its branch, or, if it is yours, remove "
            f"{run.about.folder}/{witness.WITNESS}; then run the same command again.",
        )


def _write_result(run: Run, done: Published) -> None:
    opened = done.pull_request
    is_seen = opened.url or opened.page  # else only the forge's name tells where it was opened
    artifact = {
        "branch": done.branch,
        "commit_sha": done.sha,
        "commit_message": done.message,
        **({"pr_url": opened.url} if opened.url else {}),
        **({} if is_seen else {"forge": run.forge.name}),
        "produced_by": GIT,
    }
    path = run.about.on_disk(GIT_RESULT)
    set_aside(path)
    write_json(path, artifact)
    found = find(run.about, GIT_RESULT)
    if not found.is_valid:
        raise Stopped(f"{run.about.path(GIT_RESULT)} is not valid", *found.problems)


def _refuse_other_than(run: Run, work: Work, seen: guard.Snapshot | None) -> None:
    """Refuse to commit what has changed since the review, by a program that goes on for instance.

    Raises:
        Stopped: a file of the work is another than the reviewer saw.
    """
    if seen is None:
        return
    now = guard.take(run.repository, run.about.target)
    other = sorted(set(guard.changed(seen, now)).intersection(work.paths()))
    if other:
        raise Stopped(
            f"files have changed since they were reviewed: {listed(other)}; nothing was committed",
            "See whether a program that an agent started is still running, "
            "then run the same command again: the work is reviewed as it is by then.",
        )


def _message(run: Run, seen: guard.Snapshot) -> tuple[str, str]:
    """Return the commit message that the git agent proposes, empty for none, and its model."""
    what = Dispatch(stage="publish", role=GIT, artifact="", writes="nothing")
    reply, _ = dispatch(run, what, agent_prompts.task("publish", GIT, run.about), seen)
    message = first_message_in(reply.text)
    if not message:
        said = "no conventional commit message came back: one is made of the issue's title"
        run.tell("again", "publish", GIT, said)
    return message, reply.model


def _own_message(run: Run, result: WorkerResult) -> str:
    kind = "docs" if all(map(is_document_path, result["files_changed"])) else "feat"
    if run.about.tier == "trivial" and kind == "feat":
        kind = "refactor"
    return default_message(run.about.issue, run.about.title, result["summary"], kind)


def _body(run: Run, plan: Plan | None, result: WorkerResult) -> str:
    """Return the Markdown of the pull request: what was done, and where each criterion is met."""
    mapping = plan.get("acceptance_mapping", {}) if plan else {}
    shown = [f"- {label}: `{file}`" for label, file in mapping.items()]
    where = ["", "Where each criterion is met:", "", *shown] if shown else []
    about = run.about
    return "\n".join(
        [
            result["summary"],
            "",
            f"Issue {about.issue}, {about.title}. Tier {about.tier}: {about.reason}",
            *where,
            "",
            f"The artifacts of the run are in `{about.folder}/`.",
        ]
    )
