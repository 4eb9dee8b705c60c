"""What claims to be witnessed is attested only as it was signed, whatever else it is."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.stubs.hostile.seeds import mutated, structured
from tests.stubs.hostile.witnessed import REFUSED, SOUND, TARGETS, seeds


@pytest.mark.parametrize("target", TARGETS)
@given(seed=st.integers(0, 2**32 - 1))
def test_what_was_sound_before_somebody_changed_it_is_refused_or_read(
    target: str, seed: int
) -> None:
    random = Random(seed)  # noqa: S311  # a seed is the point
    (first,) = seeds()[target]
    data = structured("document", first, random) if seed % 2 else mutated(first, random)

    assert TARGETS[target](first) == SOUND
    assert TARGETS[target](data) in (SOUND, REFUSED)
