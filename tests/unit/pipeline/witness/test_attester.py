"""The witness of a run writes envelopes where they belong, and knows its own again."""

from __future__ import annotations

import hashlib
import os
from typing import TYPE_CHECKING, Any

import pytest

from pipeline.witness.attester import Attester, Misplaced
from pipeline.witness.checking import Expected
from pipeline.witness.keys import KeyFault, make_pair

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


def test_what_a_killed_write_has_left_is_swept(attester: Attester, folder: Path) -> None:
    (folder / "witness").mkdir()
    (folder / "witness" / ".write-abc.part").write_text("{")

    attester.attest(str(folder), PATH, SHA, PREDICATE)

    assert os.listdir(folder / "witness") == ["plan.dsse.json"]


def test_nothing_is_written_behind_a_link(attester: Attester, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (folder / "witness").symlink_to(tmp_path / "elsewhere")

    with pytest.raises(Misplaced):
        attester.attest(str(folder), PATH, SHA, PREDICATE)

    assert os.listdir(tmp_path / "elsewhere") == []


def test_the_user_s_word_on_a_model_comes_before_the_table_s(attester: Attester) -> None:
    asked = [attester.asked("x-git", "routed"), attester.asked("x-worker", "routed")]

    assert asked == ["small", "big"]


def test_a_key_that_cannot_be_used_makes_no_witness(tmp_path: Path) -> None:
    with pytest.raises(KeyFault, match="does not exist"):
        Attester(str(tmp_path / "nothing.pem"), str(tmp_path / "repository"), {})
