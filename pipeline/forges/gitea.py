"""Gitea and Forgejo by AGit: a push to `refs/for/<base>` is a pull request, no token of ours."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipeline.forges.base import PullRequest, PushedForge, cut, option
from pipeline.terminal.fault import Fault

if TYPE_CHECKING:
    from pipeline.forges.base import Change

_SAME = "new commit is same with old commit"  # Gitea's own words (services/agit/agit.go)


class Gitea(PushedForge):
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
