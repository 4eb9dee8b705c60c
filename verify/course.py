"""Where the course stands: its root and the texts of its issues."""

from __future__ import annotations

import os

from pipeline.bootstrap import ROOT
from pipeline.protocol.issue import Issue, read_issue

# Folders of the course's repository: none of them is a folder around a submission.
FOLDERS = frozenset({"sandbox", "docs", "fixtures"})
ISSUES = os.path.join(ROOT, "sandbox", "issues")


def issue_text(issue: str | None, course: str = "") -> Issue | None:
    """Return the course's text of an issue, None where there is none.

    It is never taken from a submission: a learner could thin out the criteria there.

    Raises:
        MalformedIssue: the course's file is damaged.
    """
    folder = os.path.join(course, "issues") if course else ISSUES
    return read_issue(folder, issue) if issue else None
