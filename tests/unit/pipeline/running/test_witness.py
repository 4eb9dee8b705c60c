"""What a turn began with outlives a kill, as it was written."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pipeline.running import witness
from pipeline.running.guard import Snapshot
from pipeline.running.witness import Witness

if TYPE_CHECKING:
    from pathlib import Path

BEFORE = Snapshot("main", "1" * 40, {"app/\udce9.js": "0 abc"})
WITNESS = Witness("implement", settled=False, fresh=True, before=BEFORE)


def test_a_witness_is_as_it_was_kept(tmp_path: Path) -> None:
    witness.keep(str(tmp_path), WITNESS)

    assert witness.kept(str(tmp_path)) == WITNESS


def test_the_last_one_counts(tmp_path: Path) -> None:
    witness.keep(str(tmp_path), WITNESS)
    witness.keep(str(tmp_path), WITNESS._replace(settled=True))

    assert witness.kept(str(tmp_path)) == WITNESS._replace(settled=True)


def test_one_that_is_forgotten_leaves_nothing(tmp_path: Path) -> None:
    witness.keep(str(tmp_path), WITNESS)

    witness.forget(str(tmp_path))
    witness.forget(str(tmp_path))

    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"stage": "implement"}', "[" * 100_000, "\xff"])
def test_a_file_that_is_no_witness_is_none(tmp_path: Path, text: str) -> None:
    (tmp_path / witness.WITNESS).write_text(text, encoding="latin-1")

    assert witness.kept(str(tmp_path)) is None
