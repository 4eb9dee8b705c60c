"""The course tells the texts of its own issues."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pipeline.issues import Issue
from verify import course

if TYPE_CHECKING:
    from pathlib import Path

TEXT = "# ISSUE-7: Health\n\nText.\n\n## Acceptance criteria\n\n- AC1_status: it answers.\n"


@pytest.fixture(autouse=True)
def issues(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(course, "ISSUES", str(tmp_path))
    return tmp_path


def test_an_issue_of_the_course_is_read(issues: Path) -> None:
    (issues / "ISSUE-7.md").write_text(TEXT)

    assert course.issue_text("ISSUE-7") == Issue(
        id="ISSUE-7", title="Health", criteria={"AC1_status": "it answers."}
    )


@pytest.mark.parametrize("issue", [None, "ISSUE-8", "../ISSUE-7"])
def test_an_issue_that_the_course_does_not_have_is_none(issues: Path, issue: str | None) -> None:
    (issues / "ISSUE-7.md").write_text(TEXT)

    assert course.issue_text(issue) is None
