"""Takes a worker's files to one branch, one commit, one pull request, however often it is cut."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pipeline.forges.base import Change, PullRequest
from pipeline.publishing.fitness import refuse_no_work_tree, refuse_unfit
from pipeline.publishing.message import is_message
from pipeline.publishing.staging import commit_work, refuse_changed_since
from pipeline.publishing.standing import LOG, Standing, look
from pipeline.publishing.work import CannotPublish, Work, reported
from pipeline.terminal.display import named, visible

if TYPE_CHECKING:
    from collections.abc import Callable

    from pipeline.forges.base import Forge
    from pipeline.git import Repository

__all__ = ["CannotPublish", "Published", "Work", "committed", "prepare", "publish"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Published:
    """What was published: `sha` is the work's commit in full, `message` the commit's own."""

    branch: str
    sha: str
    message: str
    pull_request: PullRequest


def prepare(repository: Repository, work: Work) -> None:
    """Find out, before any agent works, whether the work could be published at all.

    The files may not be known yet. What a run that was cut left behind is fit to go on with.

    Raises:
        CannotPublish: it could not; nothing was changed.
    """
    with reported(usage=True):
        refuse_no_work_tree(repository, work.target)
        refuse_unfit(repository, work, look(repository, work))


def committed(repository: Repository, work: Work) -> str:
    """Return the full hash of the commit that the work already has, empty if there is none.

    It is the newest on the issue's branch, and not on its base, with a footer `Refs: <issue>`.

    Raises:
        CannotPublish: the repository or the base cannot be made out; nothing was changed.
    """
    with reported(usage=True):
        return look(repository, work).ours


def _nothing() -> None:
    """Have nothing against a commit."""


def publish(
    repository: Repository,
    forge: Forge,
    work: Work,
    tell: Callable[[str], None],
    confirm: Callable[[], None] = _nothing,
) -> Published:
    """Make the branch, the commit and the pull request, or those of them that are still missing.

    `confirm` is called when the files are staged; what it raises keeps them from being committed.

    After a kill at any point the same call goes on where it stopped. Whether the forge would take
    a pull request is to be asked before any work is done, by its own `check`.

    Raises:
        CannotPublish: something was refused; what was done before stays, nothing is lost.
    """
    prepare(repository, work)
    with reported():
        standing = look(repository, work)
        if standing.ours:
            refuse_changed_since(repository, work, standing)
        sha = standing.ours or commit_work(repository, work, standing, tell, confirm)
        message = _message_of(repository, sha)
        change = Change(
            repository=repository,
            issue=work.issue,
            branch=standing.branch,
            base=standing.base,
            sha=repository.commit(f"refs/heads/{standing.branch}"),
            title=message.partition("\n")[0],
            body=work.body,
            criteria=work.criteria,
        )
        if forge.name != "local":
            _tell_unpushed(repository, standing, work.remote, tell)
        request = forge.open(change)
        tell(_told(request, standing.branch))
        return Published(branch=standing.branch, sha=sha, message=message, pull_request=request)


def _tell_unpushed(
    repository: Repository, standing: Standing, remote: str, tell: Callable[[str], None]
) -> None:
    """Say that commits of the base which the remote has not will be in the pull request too."""
    theirs = f"refs/remotes/{remote}/{standing.base}"
    counted = repository.attempt("rev-list", "--count", f"{theirs}..{standing.base_ref}", "--")
    if counted.returncode == 0 and counted.stdout.strip() != "0":
        number = counted.stdout.strip()
        tell(
            f"{standing.base} is {number} ahead of {remote}/{standing.base}: that is published too"
        )


def _message_of(repository: Repository, sha: str) -> str:
    message = repository.run(*LOG, "-1", "--format=%B", sha, "--").strip()
    if not is_message(message):
        raise CannotPublish(
            f"the commit {sha[:10]} says {named(message)}, which is no message by Conventional"
            " Commits 1.0.0 (did a hook change it?): reword it (git commit --amend), then run this"
            " again"
        )
    return message


def _told(request: PullRequest, branch: str) -> str:
    place = request.url or request.page
    if not place:
        return f"pushed {branch}; the forge printed no address: look there for its pull request"
    return f"pull request {'found' if request.reused else 'opened'}: {visible(place, 500)}"
