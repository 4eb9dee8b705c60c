"""Learners are found by what they are called, and stand in no memory."""

from __future__ import annotations

import pytest

from verify.gradebook.values import Learner
from verify.sources.roster_index import KEY, Enrolled, Index, Repeated

ADA = Learner("a", "Ada", "ada@x", {"SIS": "7"}, rostered=True)
BOB = Learner("b", rostered=True)


def index_of(*called: tuple[tuple[str, int], ...]) -> Index:
    return Index(Enrolled(BOB._replace(key=str(at)), texts) for at, texts in enumerate(called))


def test_learners_come_back_as_they_were_in_their_order() -> None:
    index = Index(iter([Enrolled(BOB, ()), Enrolled(ADA, ()), Enrolled(BOB, ())]))

    assert (len(index), list(index)) == (3, [BOB, ADA, BOB])
    assert (index[1], index[-2], index[1:], index.key(1)) == (ADA, ADA, [ADA, BOB], "a")
    with pytest.raises(IndexError):
        index[3]


def test_more_learners_than_are_written_at_once_keep_their_places() -> None:
    index = Index(Enrolled(BOB._replace(key=f"{n}"), ((f"t{n}", KEY),)) for n in range(4_321))

    assert (len(index), index.key(4_320)) == (4_321, "4320")
    assert index.called(["t0", "t1999", "t2000", "t4320", "t4321"], KEY) == {0, 1999, 2000, 4320}


def test_the_first_cell_that_two_lines_have_is_told() -> None:
    own = (("u1", 0, 2), ("m1", 3, 2)), (("u2", 0, 3), ("m1", 3, 3)), (("u1", 0, 4),)
    index = Index(Enrolled(BOB, (), cells) for cells in own)

    assert index.repeated() == Repeated("m1", 3, 3, 2)
    assert Index([Enrolled(BOB, (), (("u1", 0, 2), ("u1", 1, 2)))]).repeated() is None
