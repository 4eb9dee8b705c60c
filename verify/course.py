"""Where the course stands: its root and the texts of its issues."""

from __future__ import annotations

import os

from pipeline.bootstrap import ROOT
from pipeline.issues import Issue, read_issue

ISSUES = os.path.join(ROOT, "sandbox", "issues")


def issue_text(issue: str | None) -> Issue | None:
    """Return the course's text of an issue, None where there is none.

    It is never taken from a submission: a learner could thin out the criteria there.

    Raises:
        MalformedIssue: the course's file is damaged.
    """
    return read_issue(ISSUES, issue) if issue else None
