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
SELECT min(s.learner), s.attempt, k.hashes -- an entry may be a whole group's
FROM sketch k JOIN result r ON r.id = k.result AND r.superseded IS NULL
  JOIN submission s ON s.id = r.submission
WHERE r.exercise = ? AND s.seen = ?{last}
GROUP BY s.container, s.inner ORDER BY 1, 2
"""
# Of 500 rewritten copies all share 0.28 and more; of 2.5 million honest pairs none shares 0.25.
LEAST_SHARE = 0.25  # of the weight of the rare hashes of the one that has less
_LEAST_COMMON = 8  # rare hashes: fewer are an idiom or two
_RARE, _MOST = 50, 40  # rare is what one learner of so many has, and at most so many learners
_MOST_PAIRS = 3_000_000  # that are looked at: fewer hashes are rare in a very large class
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
        for candidate in sorted(alike[members[0]]):
            if all(candidate in alike[member] for member in found):
                found.append(candidate)
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
    holders = Counter(number for hashes in sketches.values() for number in hashes)
    weights = _weights(holders, len(sketches))
    members = list(sketches)
    common = _common(members, sketches.values(), holders, len(weights))
    totals = [
        sum(weights.get(holders[number], 0) for number in hashes) for hashes in sketches.values()
    ]
    found = []
    for code, count in common.items():
        first, second = divmod(code, len(members))
        pair = members[first], members[second]
        both = {*sketches[pair[0]]}.intersection(sketches[pair[1]])
        share = sum(weights.get(holders[number], 0) for number in both)
        share /= min(totals[first], totals[second])
        if share >= LEAST_SHARE and pair[0][0] != pair[1][0]:  # not two attempts of one learner
            found.append(Copies(exercise, (), "", pair, share, count))
    yield from sorted(found, key=lambda pair: (-pair.share, pair.members))


def _weights(holders: Counter[int], sketches: int) -> dict[int, float]:
    """Return the weight of a hash by how many have it, for those that are rare enough."""
    part, few = _SMALL_CLASS
    most = max(2, min(few, sketches // part), min(_MOST, sketches // _RARE))
    sizes = Counter(holders.values())
    while most > 2 and sum(sizes[n] * n * n for n in range(2, most + 1)) > 2 * _MOST_PAIRS:  # noqa: PLR2004
        most -= 1
    return {size: log((sketches + 1) / size) for size in range(1, most + 1)}


def _common(
    members: Sequence[Member],
    sketches: Iterable[Sequence[int]],
    holders: Counter[int],
    most: int,
) -> dict[int, int]:
    """Return how many rare hashes two have in common, enough of them, by an inverted index.

    The number of a pair is that of the first times the number of members, plus the second.
    """
    having: defaultdict[int, list[int]] = defaultdict(list)
    for at, hashes in enumerate(sketches):
        for number in hashes:
            if 1 < holders[number] <= most:
                having[number].append(at)
    common = Counter(
        first * len(members) + second
        for numbers in having.values()
        for first, second in combinations(numbers, 2)
    )
    return {code: count for code, count in common.items() if count >= _LEAST_COMMON}
