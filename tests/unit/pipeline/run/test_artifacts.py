"""What is written again is kept, and nothing is written through a link."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipeline.run.artifacts import keep_copy

if TYPE_CHECKING:
    from tests.unit.pipeline.run.conftest import Bench


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
