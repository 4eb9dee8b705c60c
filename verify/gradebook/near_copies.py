"""Near copies: whose work has much in common that few others have; a reason to look, no verdict."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import combinations
from math import log
from typing import TYPE_CHECKING

from verify.gradebook.copies import LAST, Copies
from verify.submissions.winnowing import hashes_in

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    Member = tuple[str, str]  # a learner, with the attempt

_SKETCHES = """
SELECT s.learner, s.attempt, k.hashes
FROM sketch k JOIN result r ON r.id = k.result AND r.superseded IS NULL
  JOIN submission s ON s.id = r.submission
WHERE r.exercise = ? AND s.seen = ?{last} ORDER BY s.learner, s.attempt
"""
# A rewritten copy shares 0.4 and more; of a million honest pairs on one issue none shares 0.25.
LEAST_SHARE = 0.25  # of the weight of the rare hashes of the one that has less
_LEAST_COMMON = 8  # rare hashes: fewer are an idiom or two
_RARE, _MOST = 50, 40  # rare is what one learner of so many has, and at most so many learners
_SMALL_CLASS = 4, 8  # the same in a class where these allow more


def near_copies_in(
    connection: sqlite3.Connection, run: int, exercise: str, *, latest: bool
) -> Iterator[Copies]:
    """Yield who has work that is alike in one exercise of a run."""
    query = _SKETCHES.format(last=LAST if latest else "")
    rows = connection.execute(query, (exercise, run))
    sketches = {(learner, attempt): hashes_in(made) for learner, attempt, made in rows}
    yield from groups_of(near_pairs(exercise, sketches))


def groups_of(pairs: Iterable[Copies]) -> Iterator[Copies]:
    """Yield groups in which all are alike; each pair is in one of them.

    A group has the least of what its pairs share.
    """
    left: dict[tuple[Member, ...], Copies] = {pair.members: pair for pair in pairs}
    alike: defaultdict[Member, dict[Member, Copies]] = defaultdict(dict)
    for (first, second), pair in left.items():
        alike[first][second] = alike[second][first] = pair
    for members in [*left]:
        if members not in left:  # it is in a group
            continue
        found = list(members)
        for other in sorted(alike[members[0]]):
            if all(other in alike[member] for member in found):
                found.append(other)
        inside = [alike[a][b] for a, b in combinations(found, 2)]
        for pair in inside:
            left.pop(pair.members, None)
        share, common = min(pair.share for pair in inside), min(pair.common for pair in inside)
        yield inside[0]._replace(members=tuple(sorted(found)), share=share, common=common)


def near_pairs(exercise: str, sketches: Mapping[Member, Sequence[int]]) -> Iterator[Copies]:
    """Yield the pairs whose sketches are alike, the most alike first.

    A hash weighs the more, the fewer have it; those that many have are left out: the work of one
    issue is alike by nature. Only learners who share a rare hash are compared at all.
    """
    holders: dict[int, list[Member]] = {}
    for member, hashes in sketches.items():
        for number in hashes:
            holders.setdefault(number, []).append(member)
    part, few = _SMALL_CLASS
    most = max(2, min(few, len(sketches) // part), min(_MOST, len(sketches) // _RARE))
    weights: defaultdict[Member, float] = defaultdict(float)
    shared: defaultdict[tuple[Member, Member], float] = defaultdict(float)
    common: Counter[tuple[Member, Member]] = Counter()
    for members in holders.values():
        if len(members) > most:
            continue
        weight = log((len(sketches) + 1) / len(members))
        for member in members:
            weights[member] += weight
        for pair in combinations(members, 2):
            if pair[0][0] != pair[1][0]:  # not two attempts of one learner
                shared[pair] += weight
                common[pair] += 1
    found = [
        Copies(exercise, (), "", pair, weight / min(map(weights.__getitem__, pair)), common[pair])
        for pair, weight in shared.items()
        if common[pair] >= _LEAST_COMMON
    ]
    close = (pair for pair in found if pair.share >= LEAST_SHARE)
    yield from sorted(close, key=lambda pair: (-pair.share, pair.members))
