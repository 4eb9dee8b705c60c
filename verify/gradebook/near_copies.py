"""Near copies: whose work has much in common that few others have; a reason to look, no verdict."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import combinations
from math import log
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

# A rewritten copy shares 0.4 and more; of a million honest pairs on one issue none shares 0.25.
LEAST_SHARE = 0.25  # of the weight of the rare hashes of the one that has less
_LEAST_COMMON = 8  # rare hashes: fewer are an idiom or two
_RARE, _MOST = 50, 40  # rare is what one learner of so many has, and at most so many learners
_SMALL_CLASS = 4, 8  # the same in a class where these allow more


class NearPair(NamedTuple):
    """Two learners whose work has much in common."""

    exercise: str
    first: str  #: the learner's key
    second: str
    share: float  #: of the weight of the rare hashes of the one that has less, 0 to 1
    common: int  #: how many of the rare hashes both have


def near_pairs(exercise: str, sketches: Mapping[str, Sequence[int]]) -> Iterator[NearPair]:
    """Yield the pairs of learners whose sketches are alike, the most alike first.

    A hash weighs the more, the fewer have it; those that many have are left out: the work of one
    issue is alike by nature. Only learners who share a rare hash are compared at all.
    """
    holders: dict[int, list[str]] = {}
    for learner, hashes in sketches.items():
        for number in hashes:
            holders.setdefault(number, []).append(learner)
    part, few = _SMALL_CLASS
    most = max(2, min(few, len(sketches) // part), min(_MOST, len(sketches) // _RARE))
    weights: defaultdict[str, float] = defaultdict(float)
    shared: defaultdict[tuple[str, str], float] = defaultdict(float)
    common: Counter[tuple[str, str]] = Counter()
    for learners in holders.values():
        if len(learners) > most:
            continue
        weight = log((len(sketches) + 1) / len(learners))
        for learner in learners:
            weights[learner] += weight
        for pair in combinations(learners, 2):
            shared[pair] += weight
            common[pair] += 1
    found = [
        NearPair(exercise, *pair, weight / min(weights[pair[0]], weights[pair[1]]), common[pair])
        for pair, weight in shared.items()
        if common[pair] >= _LEAST_COMMON
    ]
    close = (pair for pair in found if pair.share >= LEAST_SHARE)
    yield from sorted(close, key=lambda pair: (-pair.share, pair.first, pair.second))
