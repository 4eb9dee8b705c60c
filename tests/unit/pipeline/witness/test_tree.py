"""The digest of a tree says whether what the runner looks at is the same."""

from __future__ import annotations

from hashlib import sha256

from pipeline.witness.tree import tree_digest

SHA = "1" * 40
FILES = {"app/\udce9.js": "0 abc", "README.md": "0 def"}


def test_a_digest_can_be_made_again_from_what_the_page_says() -> None:
    text = f'["{SHA}", ["README.md", "0 def"], ["app/\\udce9.js", "0 abc"]]'

    assert tree_digest(SHA, FILES) == sha256(text.encode()).hexdigest()


def test_a_commit_a_file_and_a_mark_make_a_difference() -> None:
    trees = [
        (SHA, FILES),
        ("2" * 40, FILES),
        (SHA, {**FILES, "new.js": "0 abc"}),
        (SHA, {**FILES, "README.md": "0 abc"}),
        (SHA, {**FILES, ".pipeline/ISSUE-7/plan.json": "0 abc"}),
    ]

    assert len({tree_digest(*tree) for tree in trees}) == 5


def test_git_s_settings_and_the_envelopes_make_none() -> None:
    apart = {
        ".git/config": "0 abc",
        ".pipeline/ISSUE-7/witness": "40755 1 2 3",
        "app/.pipeline/ISSUE-7/witness/plan.dsse.json": "0 abc",
    }

    assert tree_digest(SHA, FILES | apart) == tree_digest(SHA, FILES)
