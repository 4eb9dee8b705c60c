"""An issue's branch has the schema's shape whatever the title, and tells its issue."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.layout import is_issue_id
from pipeline.publishing.branches import branch_for, issue_of
from pipeline.schema import BRANCH

ISSUES = st.from_regex(r"[A-Z][A-Z0-9]*-[0-9]+", fullmatch=True).filter(is_issue_id)


@pytest.mark.parametrize(
    ("title", "slug"),
    [
        ("Page through the list of notes", "page-through-the-list"),
        ("Don't lose the user's note", "dont-lose-the-users-note"),
        ("Größe & Café!", "groe-cafe"),
        *((title, "") for title in ("", "   ", "ページ送り", "../..", "the", "💥")),
        (
            "Internationalization of organizational characteristics",
            "internationalization-of-organizational",
        ),
    ],
)
def test_the_slug_is_the_id_and_a_short_title_where_it_has_words(title: str, slug: str) -> None:
    assert branch_for("ISSUE-202", title) == f"feature/issue-202-{slug}".rstrip("-")


@settings(deadline=None)
@given(ISSUES, st.text(max_size=200))
def test_every_title_gives_a_branch_of_bounded_length_that_tells_its_issue(
    issue: str, title: str
) -> None:
    branch = branch_for(issue, title)

    assert re.fullmatch(BRANCH.pattern, branch)
    assert len(branch) <= len("feature/") + len(issue) + 41
    assert branch_for(issue, title) == branch
    assert issue_of(branch) == issue


@pytest.mark.parametrize(
    "branch", ["main", "feature/issue-", "fix/issue-7", "feature/v2-7b", "feature/a-1.b"]
)
def test_other_branches_are_no_issues(branch: str) -> None:
    assert issue_of(branch) == ""
