"""What an agent leaves is read from a file, and nothing is written through a link."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from pipeline.run.artifacts import find, keep_copy
from tests.stubs.agents import plan

if TYPE_CHECKING:
    from pathlib import Path

    from tests.unit.pipeline.run.conftest import Bench


def put(folder: Path, name: str, value: Any) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(value if isinstance(value, str) else json.dumps(value))


def test_a_link_is_no_artifact(bench: Bench, tmp_path: Path) -> None:
    put(tmp_path, "elsewhere.json", plan())
    bench.folder.mkdir(parents=True)
    (bench.folder / "plan.json").symlink_to(tmp_path / "elsewhere.json")

    found = find(bench.about, "plan.json")

    assert (found.exists, found.is_valid) == (True, False)


def test_the_copy_is_never_written_through_a_link(bench: Bench) -> None:
    precious = bench.root.parent / "precious"
    precious.write_text("mine")
    path = bench.folder / "plan.json"
    path.parent.mkdir(parents=True)
    path.write_text("{ by hand")
    (bench.folder / "plan.json.invalid").symlink_to(precious)

    keep_copy(str(path))

    assert precious.read_text() == "mine"
    assert (bench.folder / "plan.json.invalid").read_text() == "{ by hand"
