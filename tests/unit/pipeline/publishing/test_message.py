"""Commit messages: found in what an agent says, made without one, tied to an issue."""

from __future__ import annotations

import re

import pytest

from pipeline.publishing.message import (
    default_message,
    first_message_in,
    is_message,
    references,
    with_reference,
)
from pipeline.schema import COMMIT_MESSAGE


@pytest.mark.parametrize(
    "text", ["feat: a\x00", "feat: a\n\n\x1b[2J", "feat: \u202ea", "feat: \ud800"]
)
def test_characters_that_drive_a_terminal_make_no_message(text: str) -> None:
    assert not is_message(text)


@pytest.mark.parametrize(
    ("text", "tied"),
    [
        ("feat: a", "feat: a\n\nRefs: ISSUE-7"),
        ("feat: a\n\nb\n", "feat: a\n\nb\n\nRefs: ISSUE-7"),
        ("feat: a\n\nCloses: #1", "feat: a\n\nCloses: #1\nRefs: ISSUE-7"),
        ("feat: a\n\nb\n\nBREAKING CHANGE: c", "feat: a\n\nb\n\nBREAKING CHANGE: c\nRefs: ISSUE-7"),
        ("feat: a\n\nRefs: ISSUE-7", "feat: a\n\nRefs: ISSUE-7"),
        ("feat: a\n\nRefs: ISSUE-70", "feat: a\n\nRefs: ISSUE-70\nRefs: ISSUE-7"),
        ("feat: a\r\n\r\nb", "feat: a\n\nb\n\nRefs: ISSUE-7"),
        (
            "feat: a\n\nNote: b\n  ISSUE-7\nRefs #1",
            "feat: a\n\nNote: b\n  ISSUE-7\nRefs #1\nRefs: ISSUE-7",
        ),
        (
            "feat: a\n\nRefs: ISSUE-1,\n  ISSUE-7\nX: y",
            "feat: a\n\nRefs: ISSUE-1,\n  ISSUE-7\nX: y",
        ),
    ],
)
def test_a_message_is_tied_to_its_issue_once(text: str, tied: str) -> None:
    assert with_reference(text, "ISSUE-7") == tied
    assert with_reference(tied, "ISSUE-7") == tied
    assert references(tied, "ISSUE-7")
    assert is_message(tied)


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        ("feat: a", "feat: a"),
        ("  feat: a\n\nb\n", "feat: a\n\nb"),
        ("Here it is:\n\n```\nfeat: a\n\nb\n```\nGood?", "feat: a\n\nb"),
        ("- an item\n  ```\n  feat: a\n\n  b\n  ```\n", "feat: a\n\nb"),
        ("The message is:\n`feat: a`", "feat: a"),
        ("- docs: b\n- feat: a", "docs: b"),
        ("```\ndeps: bump x\n```\nfeat: a", "feat: a"),
        ("```yaml\nname: x\n```", ""),
        ("feat: " + "a" * 300, ""),
        ("```\nfeat: a\x1b[2J\n```\n\nfix: b", "fix: b"),
        ("```\nfeat: a\r\n\r\nb\r\n```", "feat: a\n\nb"),
        ("```\nx\n```text\n\n```\ndeps: a\n```", ""),
        ("``` unfinished\nfeat: a", "feat: a"),
    ],
)
def test_a_message_is_found_in_an_answer(reply: str, message: str) -> None:
    assert first_message_in(reply) == message


def test_a_huge_answer_is_searched_in_time() -> None:
    assert first_message_in("`" * 50_000 + "\n```\n" * 10_000 + "(" * 50_000) == ""


@pytest.mark.parametrize(
    ("title", "header"),
    [
        ("Page through the list of notes", "feat: page through the list of notes"),
        ("API keys expire.", "feat: API keys expire"),
        ("", "feat: work on ISSUE-7"),
        ("\x1b[2J", "feat: \\u{1b}[2J"),
    ],
)
def test_a_message_is_made_of_the_title_and_the_summary(title: str, header: str) -> None:
    made = default_message("ISSUE-7", title, "Added pages.")

    assert made == f"{header}\n\nAdded pages.\n\nRefs: ISSUE-7"
    assert is_message(made)


def test_a_made_message_has_short_lines_and_the_type_asked_for() -> None:
    made = default_message("ISSUE-7", "word " * 40, "summary " * 60, type="docs")

    assert made.startswith("docs: word word")
    assert max(map(len, made.split("\n"))) <= 72
    assert re.match(COMMIT_MESSAGE.pattern, made)
