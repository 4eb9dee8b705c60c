"""Gitea and Forgejo by AGit: a push to `refs/for/<base>` is a pull request, no token of ours."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipeline.forges.base import ForgeFault, PullRequest
from pipeline.forges.pushed import (
    PushedForge,
    address_of_remote,
    option,
    request_at,
    request_in,
    web_address,
)
from pipeline.git import GitFault

if TYPE_CHECKING:
    from pipeline.forges.base import Change

_PLACE = "pulls"
_HEADS = "refs/pull/*/head"
_SAME = "new commit is same with old commit"  # Gitea's own words (services/agit/agit.go)
_DESCRIPTION = 2000  # characters


class Gitea(PushedForge):
    """Pull requests by AGit (docs.gitea.com/usage/agit; forgejo.org, AGit workflow usage)."""

    name = "gitea"

    def open(self, change: Change) -> PullRequest:
        """Push the branch's tip to `refs/for/<base>`, with the branch's name as topic.

        The server makes the pull request, or moves the one that is open for the topic. Where it
        has this very commit it refuses the push: that request is looked up among the references
        that it shows, and has an address if the remote has a web address.

        Raises:
            ForgeFault: there is no such remote, or the push was refused.
        """
        web = web_address(address_of_remote(change.repository, self._remote))
        try:
            said = self._push(change)
        except GitFault as fault:
            if _SAME not in str(fault):
                raise ForgeFault(f"{fault}{_hint(str(fault))}") from None
            number = request_at(change.repository, self._remote, _HEADS, change.sha)
            url = f"{web}/{_PLACE}/{number}" if web and number else ""
            return PullRequest(url=url, reused=True)
        return PullRequest(url=request_in(said, _PLACE))

    def _push(self, change: Change) -> str:
        options = (
            option("topic", change.branch),
            option("title", change.title[:255]),
            *([option("description", change.body[:_DESCRIPTION])] * bool(change.body)),
        )
        reference = f"refs/heads/{change.branch}:refs/for/{change.base}"
        return change.repository.push(self._remote, reference, options=options)


def _hint(fault: str) -> str:
    if "does not support push options" in fault:
        return " (the remote is no Gitea or Forgejo, or does not take AGit)"
    if "force-push" in fault:
        return " (the branch was rewritten since it was pushed: publish it under another --branch)"
    return ""
