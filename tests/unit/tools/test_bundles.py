"""Bundles that are written here are bundles to git, and are read back whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.stubs.repositories import git
from tools.bundles import Bundle, Stamp

if TYPE_CHECKING:
    from pathlib import Path

FILES = {"a.txt": b"a\n", "a/b.txt": b"b\n", "a/c/d.txt": b"d" * 100_000, "a.b/e.txt": b""}


@pytest.fixture
def bundle() -> Bundle:
    """Return a bundle with two commits on its one branch."""
    made = Bundle()
    first = made.commit(made.tree({"a.txt": b"\n"}), [], Stamp(1, 2), "chore: begin")
    made.refs = {
        "refs/heads/main": made.commit(made.tree(FILES), [first], Stamp(3, 4), "feat: all")
    }
    return made


def test_git_clones_a_bundle_and_finds_nothing_wrong_with_it(
    bundle: Bundle, tmp_path: Path
) -> None:
    (tmp_path / "made.bundle").write_bytes(bundle.data())
    git(tmp_path, "clone", "--quiet", "--branch", "main", "made.bundle", "clone")
    clone = tmp_path / "clone"

    assert git(clone, "fsck", "--strict") == ""
    assert git(clone, "log", "--format=%H %at %ct %s").split("\n")[0] == (
        f"{bundle.refs['refs/heads/main']} 3 4 feat: all"
    )
    assert {
        path.relative_to(clone).as_posix(): path.read_bytes()
        for path in clone.rglob("*")
        if path.is_file() and ".git" not in path.parts
    } == FILES
