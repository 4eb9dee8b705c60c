"""GitLab by its push options: git's own credentials, no token of ours, no client."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pipeline.forges.base import PullRequest, PushedForge, option

if TYPE_CHECKING:
    from pipeline.forges.base import Change

_QUICK_ACTION = re.compile(r"^(\s*)/", re.MULTILINE)


class GitLab(PushedForge):
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


def described(body: str) -> str:
    r"""Return Markdown on one line as GitLab reads it: `\n` stands for a line break.

    GitLab runs a line that begins with `/` as a command (quick actions).
    """
    text = body.strip().replace("\r\n", "\n").replace("\r", "\n").replace("\\n", "&#92;n")
    return "\\n".join(line.rstrip() for line in _QUICK_ACTION.sub(r"\1&#47;", text).split("\n"))
