"""What is looked for is what an instructor asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pipeline.witness.keys import KeyFault, make_pair, public_pem
from verify.provenance.look import NOTHING, Look, look_for

if TYPE_CHECKING:
    from pathlib import Path


def test_without_a_key_only_records_are_looked_for() -> None:
    assert look_for(records=False, key="") == NOTHING
    assert look_for(records=True, key="") == Look(records=True)


def test_with_a_key_envelopes_and_records_are_looked_for(tmp_path: Path) -> None:
    look = look_for(records=False, key=public_pem(make_pair(str(tmp_path))[1]))

    assert look.records
    assert look.key is not None


def test_a_text_that_is_no_key_is_refused() -> None:
    with pytest.raises(KeyFault):
        look_for(records=True, key="no key")
