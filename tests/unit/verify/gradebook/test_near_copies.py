"""Whose work is alike: rewritten copies are found among honest work on the same issue."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from tests.stubs.rewriting import FAMILIES, honest, rewritten
from verify.gradebook.copies import Copies
from verify.gradebook.near_copies import groups_of, near_pairs
from verify.submissions.winnowing import hashes_in, sketch_of

if TYPE_CHECKING:
    from collections.abc import Callable


def test_t6_a_pair_that_shares_rare_hashes_is_reported_with_how_much() -> None:
    often = list(range(50))
    sketches = {(f"k{n}", ""): [*often, *range(1_000 * n, 1_000 * n + 40)] for n in range(1, 12)}
    sketches["z", "2"] = [*often, *range(1_000, 1_020), *range(90_000, 90_020)]
    (pair,) = near_pairs("toy/01", sketches)

    assert pair._replace(share=0) == Copies("toy/01", (), "", (("k1", ""), ("z", "2")), 0, 20)
    assert pair.share == pytest.approx(0.422, abs=0.001)


def test_t6_what_many_share_is_no_reason_to_look_and_a_few_hashes_are_none() -> None:
    everybody = {(f"k{n}", ""): list(range(200)) for n in range(40)}
    idiom = {(f"k{n}", ""): list(range(1_000 * n, 1_000 * n + 8)) for n in range(40)}
    idiom["k1", ""][:7] = idiom["k0", ""][:7]
    attempts = {("k1", f"{n}"): list(range(40)) for n in range(2)}

    assert list(near_pairs("toy/01", attempts)) == []
    assert list(near_pairs("toy/01", everybody)) == []
    assert list(near_pairs("toy/01", idiom)) == []
    assert list(near_pairs("toy/01", {})) == []


def test_t6_a_group_has_everybody_who_is_alike_and_no_pair_is_lost() -> None:
    shares = {"ab": 0.9, "ac": 0.8, "bc": 0.7, "cd": 0.6}
    pairs = [
        Copies("toy/01", (), "", ((key[0], ""), (key[1], "")), share, at)
        for at, (key, share) in enumerate(shares.items(), 9)
    ]
    found = [
        ("".join(key for key, _ in group.members), group.share, group.common)
        for group in groups_of(pairs)
    ]

    assert found == [("abc", 0.7, 9), ("cd", 0.6, 12)]
    assert list(groups_of([])) == []


@pytest.mark.figure
def test_t6_rewritten_copies_are_found_among_honest_work_of_several_families(
    how_many: Callable[[int, int], int],
) -> None:
    learners, copies = how_many(300, 1_000), how_many(30, 100)
    draw = random.Random(6)  # noqa: S311  # the same every time
    works = {f"h{n}": honest(draw, draw.randrange(FAMILIES)) for n in range(learners)}
    source = {f"z{n}": f"h{draw.randrange(learners)}" for n in range(copies)}
    works |= {copy: rewritten(works[original], draw) for copy, original in source.items()}
    sketches = {
        (learner, ""): hashes_in(sketch_of(files.items(), frozenset()))
        for learner, files in works.items()
    }
    pairs = {tuple(key for key, _ in pair.members) for pair in near_pairs("toy/01", sketches)}
    found = {copy for copy, original in source.items() if (original, copy) in pairs}
    false = {pair for pair in pairs if len({source.get(key, key) for key in pair}) > 1}
    print(f"{len(found)} of {copies} copies found among {learners}; {len(false)} false pairs")

    assert len(found) >= 0.9 * copies
    assert len(false) <= 0.01 * len(pairs)
