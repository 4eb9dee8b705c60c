"""What the last turn began with is kept until the agents' part is over."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pipeline.run import checkpoint
from pipeline.run.checkpoint import Checkpoint
from pipeline.run.guard import Snapshot

if TYPE_CHECKING:
    from pathlib import Path


BEFORE = Snapshot("main", "1" * 40, {"app/\udce9.js": "0 abc"})


CHECKPOINT = Checkpoint("implement", settled=False, fresh=True, before=BEFORE)


def test_the_last_checkpoint_counts_until_it_is_forgotten(tmp_path: Path) -> None:
    folder = str(tmp_path)
    checkpoint.write(folder, CHECKPOINT)
    first = checkpoint.read(folder)
    checkpoint.write(folder, CHECKPOINT._replace(settled=True))
    last = checkpoint.read(folder)
    checkpoint.forget(folder)
    checkpoint.forget(folder)

    assert (first, last) == (CHECKPOINT, CHECKPOINT._replace(settled=True))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"stage": "implement"}', "[" * 100_000, "\xff"])
def test_a_file_that_is_no_checkpoint_is_none(tmp_path: Path, text: str) -> None:
    (tmp_path / checkpoint.NAME).write_text(text, encoding="latin-1")

    assert checkpoint.read(str(tmp_path)) is None
