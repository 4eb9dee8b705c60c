"""Commit messages: found in what an agent says, made without one, tied to an issue."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from conventional_pre_commit.hook import main  # type: ignore[import-untyped]  # ships no types
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.protocol.layout import is_issue_id
from pipeline.protocol.patterns import BRANCH, COMMIT_MESSAGE, COMMIT_TYPES
from pipeline.run.assignment import issue_of
from pipeline.run.branch import branch_for
from pipeline.run.message import (
    default_message,
    first_message_in,
    is_message,
    references,
    with_reference,
)

if TYPE_CHECKING:
    from pathlib import Path


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
        ("```\ndeps: bump x\n```", ""),
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


OTHER_TYPES = ("deps", "feat2", "my-type", "release_note", "wip")

VALID = [
    *("feat: a", "Feat: a", "FEAT: a", "feat(x): a", "feat(x)!: a", "feat!: a"),
    *("feat(a b): c", "feat(a/b): c", "feat(a,b): c", "feat(a.b): c", "feat(a:b): c"),
    *("feat(ä): c", "feat(a): b (c)", "feat: ä", "feat: #1 is first", "feat: a\n"),
    *("feat: a\n\nb", "feat: a\n\n\nb", "feat: a\r\n\r\nb", "feat: a\n\n# no comment"),
    *("feat: a\n\nBREAKING CHANGE: x", "feat: a\n\nb\n\nRefs: #1\nReviewed-by: Z"),
    *("chore(release): 1.0.0 [skip ci]", "docs: a: b: c", "build(deps-dev): bump x"),
    *("revert: feat: a\n\nRefs: 676104e", "deps: a", "my-type: a", "release_note: a", "wip: a"),
]
INVALID = [
    *("", "a", "feat", "feat:", "feat: ", "feat:a", "feat : a", "feat; a", "feat:\ta"),
    *(" feat: a", "\nfeat: a", "feat(): a", "feat(a)b: c", "feat(a) : c", "feat (a): c"),
    *("feat(a)(b): c", "feat(a\nb): c", "feat!(x): a", "feat!!: a", "fëat: a", "#1 feat: a"),
    *("feat: a\nb", "feat: a\r\nb", "feat: a\n \nb", "fixup! feat: a", "squash! feat: a"),
    *("amend! feat: a", "Merge branch 'x'", "Merge pull request #1 from a/b", 'Revert "feat: a"'),
    "feat：a",  # noqa: RUF001  # a full-width colon, as an input method writes it
]
# What we say, where the oracle says the opposite, with the rule of the specification.
DIFFERENCES = {
    "feat:  a": False,  # rule 5: the description follows the colon and space immediately
    "feat( ): a": False,  # rule 4: a scope is a noun
    "feat2: a": True,  # rule 14: any type; the oracle's alternation stops at its type `feat`
    "feat(@scope/pkg): c": True,  # rule 4: a scope is a noun in parentheses, of any characters
    "feat(a!): b": True,  # rule 4
    "feat(*): a": True,  # rule 4
    "feat: a\x1b[31m": False,  # ours: a message must not drive the terminal that shows the log
}


def oracle(message: str, folder: Path) -> bool:
    file = folder / "COMMIT_EDITMSG"
    file.write_bytes(message.encode())
    code: int = main(["--strict", "--no-color", *COMMIT_TYPES, *OTHER_TYPES, str(file)])
    return code == 0


@pytest.mark.parametrize("message", [*VALID, *INVALID])
def test_both_take_what_follows_the_specification_and_refuse_what_breaks_it(
    message: str, tmp_path: Path
) -> None:
    taken = message in VALID

    assert (is_message(message), oracle(message, tmp_path)) == (taken, taken)


@pytest.mark.parametrize("message", DIFFERENCES)
def test_the_known_differences_are_those_and_no_others(message: str, tmp_path: Path) -> None:
    ours = DIFFERENCES[message]

    assert (is_message(message), oracle(message, tmp_path)) == (ours, not ours)


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
    "branch", ["main", "feature/issue-", "fix/issue-7", "feature/v2-7b", "feature/a-1..b"]
)
def test_other_branches_are_no_issues(branch: str) -> None:
    assert issue_of(branch) == ""
