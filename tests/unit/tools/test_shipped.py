"""The record of the shipped sandbox: a learner's work shows in it, what they install does not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tools.shipped import shipped

if TYPE_CHECKING:
    from pathlib import Path

DIGEST_OF_A = "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb"


def test_every_file_is_recorded_and_what_a_learner_installs_or_hands_in_is_not(
    tmp_path: Path,
) -> None:
    for folder in ("src", "node_modules/x", ".pipeline/ISSUE-101", ".cursor"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "a.js").write_text("a")

    assert shipped(str(tmp_path)) == f"{DIGEST_OF_A}  src/a.js\n"


def test_line_ends_are_no_difference(tmp_path: Path) -> None:
    (tmp_path / "a.js").write_bytes(b"a\n")
    before = shipped(str(tmp_path))
    (tmp_path / "a.js").write_bytes(b"a\r\n")

    assert shipped(str(tmp_path)) == before
