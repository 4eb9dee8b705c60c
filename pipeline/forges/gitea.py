"""Gitea and Forgejo by AGit: a push to `refs/for/<base>` opens a request, a token reads it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from pipeline.forges.base import Feedback, PullRequest, cut, notes_on, option
from pipeline.forges.discussion import (
    Comment,
    DiscussedForge,
    failure,
    line_at,
    records,
    remarks_of,
    text_at,
)
from pipeline.terminal.fault import Fault

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pipeline.forges.base import Change
    from pipeline.forges.discussion import RestApi

_SAME = "new commit is same with old commit"  # Gitea's own words (services/agit/agit.go)
_PER_PAGE = 50  # more is not given unless the server is set up so
_FAILED = ("failure", "error")
_REVIEWED = ("COMMENT", "REQUEST_CHANGES")


class Gitea(DiscussedForge):
    """Pull requests by AGit (docs.gitea.com/usage/agit; forgejo.org, AGit workflow usage)."""

    name = "gitea"
    takes = ("draft",)
    place = "pulls"
    heads = "refs/pull/*/head"
    without_options = "the remote is not Gitea or Forgejo, or does not support AGit"

    def open(self, change: Change) -> PullRequest:
        """Push the branch's tip to `refs/for/<base>`, with the branch's name as topic.

        The server makes the pull request, or moves the one that is open for the topic. Where it
        has this very commit it refuses the push: that request is looked up among the references
        that it shows, and has an address if the remote has a web address.
        """
        text = change.description
        options = (
            option("topic", change.branch),
            option("title", f"{'WIP: ' * change.draft}{change.title}"[:255]),
            *([option("description", cut(text, 2000))] * bool(text)),
        )
        refspec = f"refs/heads/{change.branch}:refs/for/{change.base}"
        try:
            return PullRequest(url=self.push(change, refspec, options))
        except Fault as fault:
            if _SAME not in str(fault):
                raise
            return PullRequest(url=self.url_of(change, self.request_at(change)), reused=True)

    def said(self, api: RestApi, path: str, number: str) -> Feedback:
        """Return open comments and failed statuses (docs.gitea.com/api: repository, issue)."""
        repository, owner = f"/repos/{path}", path.partition("/")[0]
        request = f"{repository}/pulls/{number}"
        about, me = api.get(request), text_at(api.get("/user"), "login")
        reviews = records(api.get(f"{request}/reviews?limit={_PER_PAGE}"))
        beside = records(api.get(f"{repository}/issues/{number}/comments?limit={_PER_PAGE}"))

        def may_change(who: str) -> bool:
            places = f"{repository}/collaborators/", f"/orgs/{owner}/members/"
            return who == owner or any(api.has(f"{place}{quote(who, safe='')}") for place in places)

        sha = text_at(about, "head", "sha")
        status = api.get(f"{repository}/commits/{sha}/status", needed=False) if sha else None
        statuses = records(status.get("statuses") if isinstance(status, dict) else None)
        failures = [
            failure(found.get("id"), text_at(found, "context"), text_at(found, "description"))
            for found in statuses
            if text_at(found, "status") in _FAILED
        ]
        is_merged = isinstance(about, dict) and about.get("merged") is True
        remarks, left_out = remarks_of(_comments(api, request, reviews, beside), me, may_change)
        return Feedback(
            state="merged" if is_merged else text_at(about, "state"),
            remarks=(*remarks, *failures),
            notes=notes_on(
                left_out=left_out,
                running=sum(text_at(found, "status") == "pending" for found in statuses),
                cut_at=_PER_PAGE if max(len(reviews), len(beside)) >= _PER_PAGE else 0,
            ),
        )


def _comments(
    api: RestApi, request: str, reviews: list[dict[str, Any]], beside: list[dict[str, Any]]
) -> Iterator[Comment]:
    """Yield what people have said and is not resolved: in reviews, on lines, and beside."""
    for review in reviews:
        if text_at(review, "state") not in _REVIEWED or review.get("dismissed"):
            continue
        yield _comment("review", review)
        lines = api.get(f"{request}/reviews/{line_at(review, 'id')}/comments", needed=False)
        for said in records(lines):
            if not said.get("resolver"):
                place = text_at(said, "path"), line_at(said, "position")
                yield _comment("line", said, *place)
    for said in beside:
        yield _comment("comment", said)


def _comment(kind: str, said: dict[str, Any], file: str = "", line: int = 0) -> Comment:
    name = f"{kind}-{line_at(said, 'id')}"
    return Comment(name, text_at(said, "user", "login"), text_at(said, "body"), file, line)
