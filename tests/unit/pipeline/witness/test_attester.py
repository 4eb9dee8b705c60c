"""The witness of a run writes envelopes where they belong, and knows its own again."""

from __future__ import annotations

import hashlib
import os
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import pytest

from pipeline.witness.attester import Attester
from pipeline.witness.checking import Expected
from pipeline.witness.keys import make_pair
from pipeline.witness.tree import tree_digest

if TYPE_CHECKING:
    from pathlib import Path


PATH = ".pipeline/ISSUE-7/plan.json"
SHA = hashlib.sha256(b"{}").hexdigest()
PREDICATE: Any = {
    "issue": "ISSUE-7",
    "role": "x-subplanner",
    "inputs": [],
    "tree": {"commit": "12" * 20},
}
EXPECTED = Expected(PATH, SHA, "ISSUE-7", "x-subplanner", lambda _: "")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return an issue's folder in a repository."""
    folder = tmp_path / "repository" / ".pipeline" / "ISSUE-7"
    folder.mkdir(parents=True)
    return folder


@pytest.fixture
def attester(tmp_path: Path) -> Attester:
    """Return a witness with a key outside the repository."""
    private, _ = make_pair(str(tmp_path / "keys"))
    return Attester(private, str(tmp_path / "repository"), {"*": "big", "x-git": "small"})


def test_what_is_attested_is_known_again_as_long_as_it_is_the_same(
    attester: Attester, folder: Path
) -> None:
    name = attester.attest(str(folder), PATH, SHA, PREDICATE)

    found = [
        attester.has_attested(str(folder), EXPECTED),
        attester.has_attested(str(folder), EXPECTED._replace(sha256="00" * 32)),
        attester.has_attested(str(folder), EXPECTED._replace(path=".pipeline/ISSUE-7/x.json")),
    ]

    assert name == "witness/plan.dsse.json"
    assert found == [True, False, False]
    assert os.listdir(folder / "witness") == ["plan.dsse.json"]


def test_another_witness_does_not_know_it(attester: Attester, folder: Path, tmp_path: Path) -> None:
    attester.attest(str(folder), PATH, SHA, PREDICATE)
    private, _ = make_pair(str(tmp_path / "others"))

    other = Attester(private, str(tmp_path / "repository"), {})

    assert not other.has_attested(str(folder), EXPECTED)


COMMIT = "1" * 40
FILES = {"app/\udce9.js": "0 abc", "README.md": "0 def"}


def test_a_digest_can_be_made_again_from_what_the_page_says() -> None:
    text = f'["{COMMIT}", ["README.md", "0 def"], ["app/\\udce9.js", "0 abc"]]'

    assert tree_digest(COMMIT, FILES) == sha256(text.encode()).hexdigest()


def test_git_s_settings_and_the_envelopes_make_none() -> None:
    apart = {
        ".git/config": "0 abc",
        ".pipeline/ISSUE-7/witness": "40755 1 2 3",
        "app/.pipeline/ISSUE-7/witness/plan.dsse.json": "0 abc",
    }

    assert tree_digest(COMMIT, FILES | apart) == tree_digest(COMMIT, FILES)
