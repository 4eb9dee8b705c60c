"""GitLab by its push options: git's own credentials open a request, a token reads what it says."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from pipeline.forges.base import Feedback, PullRequest, notes_on, option
from pipeline.forges.discussion import (
    Comment,
    DiscussedForge,
    failure,
    line_at,
    records,
    remarks_of,
    text_at,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pipeline.forges.base import Change, Remark
    from pipeline.forges.discussion import RestApi

_QUICK_ACTION = re.compile(r"^(\s*)/", re.MULTILINE)
_PER_PAGE = 100  # more is never given
_STATES = {"opened": "open", "locked": "closed"}
_RUNNING = ("created", "waiting_for_resource", "preparing", "pending", "running", "scheduled")
_DEVELOPER = 30  # the lowest access level that may push


class GitLab(DiscussedForge):
    """Merge requests that GitLab opens while it takes a push (docs.gitlab.com, Push options)."""

    name = "gitlab"
    takes = ("draft", "labels")
    place = "-/merge_requests"
    heads = "refs/merge-requests/*/head"
    without_options = "the remote is not GitLab, or its administrator has turned off push options"

    def open(self, change: Change) -> PullRequest:
        """Push the branch with the options that open a merge request, or find the one it has.

        The address is the one that GitLab prints. Where the branch was pushed before, git sends no
        options: then the merge request is looked up among the references that GitLab shows, and
        has an address if the remote has a web address.
        """
        number, text = self.request_at(change), change.description
        options = (
            "merge_request.create",
            option("merge_request.target", change.base),
            option("merge_request.title", change.title[:255]),  # as many as GitLab's field takes
            *([option("merge_request.description", described(text))] * bool(text)),
            *(["merge_request.draft"] * change.draft),
            *(option("merge_request.label", label) for label in change.labels),
        )
        branch = f"refs/heads/{change.branch}"
        url = self.push(change, f"{branch}:{branch}", options) or self.url_of(change, number)
        return PullRequest(url=url, reused=bool(number))

    def said(self, api: RestApi, path: str, number: str) -> Feedback:
        """Return the open discussions and the failed jobs (docs.gitlab.com/api/discussions)."""
        project = f"/projects/{quote(path, safe='')}"
        request = f"{project}/merge_requests/{number}"
        about, me = api.get(request), text_at(api.get("/user"), "username")
        found = records(api.get(f"{request}/discussions?per_page={_PER_PAGE}"))
        numbers: dict[str, Any] = {}
        comments = list(_comments(found, numbers))

        def may_change(who: str) -> bool:
            member = api.get(f"{project}/members/all/{numbers[who]}", needed=False)
            return line_at(member, "access_level") >= _DEVELOPER

        pipeline = about.get("head_pipeline") if isinstance(about, dict) else None
        state = text_at(about, "state")
        remarks, left_out = remarks_of(comments, me, may_change)
        return Feedback(
            state=_STATES.get(state, state),
            remarks=(*remarks, *_failures(api, pipeline)),
            notes=notes_on(
                left_out=left_out,
                running=int(text_at(pipeline, "status") in _RUNNING),
                cut_at=_PER_PAGE if len(found) >= _PER_PAGE else 0,
            ),
        )


def _comments(found: list[dict[str, Any]], numbers: dict[str, Any]) -> Iterator[Comment]:
    """Yield the notes of people that are not resolved; `numbers` gets whose they are."""
    for discussion in found:
        for note in records(discussion.get("notes")):
            if note.get("system") or note.get("resolved"):
                continue
            author, position = note.get("author"), note.get("position")
            who = text_at(author, "username")
            numbers[who] = line_at(author, "id")
            place = text_at(position, "new_path"), line_at(position, "new_line")
            yield Comment(str(note.get("id")), who, text_at(note, "body"), *place)


def _failures(api: RestApi, pipeline: Any) -> Iterator[Remark]:
    if text_at(pipeline, "status") != "failed":
        return
    place = f"/projects/{line_at(pipeline, 'project_id')}/pipelines/{line_at(pipeline, 'id')}"
    jobs = api.get(f"{place}/jobs?scope[]=failed&per_page={_PER_PAGE}", needed=False)
    for job in records(jobs):
        if not job.get("allow_failure"):
            texts = text_at(job, "failure_reason"), text_at(job, "web_url")
            yield failure(job.get("id"), text_at(job, "name"), "\n".join(filter(None, texts)))


def described(body: str) -> str:
    r"""Return Markdown on one line as GitLab reads it: `\n` stands for a line break.

    GitLab runs a line that begins with `/` as a command (quick actions).
    """
    text = body.strip().replace("\r\n", "\n").replace("\r", "\n").replace("\\n", "&#92;n")
    return "\\n".join(line.rstrip() for line in _QUICK_ACTION.sub(r"\1&#47;", text).split("\n"))
