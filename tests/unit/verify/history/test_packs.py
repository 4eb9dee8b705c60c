"""What was made of deltas is held within one bound, whatever the number of packs."""

from __future__ import annotations

import pytest

from verify.history.packs import MAX_RECENT, Recent


def test_what_was_held_longest_is_let_go_for_the_latest() -> None:
    recent = Recent()
    made = ("blob", bytes(MAX_RECENT // 4))
    for pack in range(5):
        recent.keep((pack, 12), made)

    assert [pack for pack in range(5) if recent.get((pack, 12))] == [1, 2, 3, 4]
    assert recent.bytes == MAX_RECENT


@pytest.mark.parametrize("key", [(1, 13), (2, 12)])
def test_another_entry_and_that_of_another_pack_are_other_objects(key: tuple[int, int]) -> None:
    recent = Recent()
    recent.keep((1, 12), ("blob", b"one"))

    assert recent.get(key) is None
