"""How well a check tells strong work from weak: the corrected item-total correlation."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from verify.gradebook.values import CheckInfo


def discriminations(
    checks: Sequence[CheckInfo], patterns: Mapping[str, int]
) -> tuple[float | None, ...]:
    """Return for each check how passing it goes with the points of the other checks.

    It is Pearson's correlation of the check (1 for passed, 0 for failed or skipped) with the rest
    score: the points that the same learner earned on the exercise's other checks. That leaves the
    check itself out of the total ("corrected"), or it would correlate with itself.

    Args:
        checks: of one exercise, in order.
        patterns: how many learners have these letters, one a check; only graded ones.

    Returns:
        A number from -1 to 1 a check, None where all pass, none passes, or all rest scores agree.
    """
    earned = [
        (letters, count, sum(c.points for c, o in zip(checks, letters, strict=True) if o == "p"))
        for letters, count in patterns.items()
    ]
    found = []
    for position, check in enumerate(checks):
        pairs = [
            (int(passed := letters[position] == "p"), total - check.points * passed, count)
            for letters, count, total in earned
        ]
        found.append(_correlation(pairs))
    return tuple(found)


def _correlation(pairs: Sequence[tuple[int, int, int]]) -> float | None:
    """Return Pearson's r of (x, y, how often); whole numbers, so nothing is lost by order."""
    n = sum(count for _, _, count in pairs)
    x = sum(x * count for x, _, count in pairs)
    y = sum(y * count for _, y, count in pairs)
    spread_x = n * sum(x * x * count for x, _, count in pairs) - x * x
    spread_y = n * sum(y * y * count for _, y, count in pairs) - y * y
    if not spread_x or not spread_y:
        return None
    together = n * sum(x * y * count for x, y, count in pairs) - x * y
    return together / math.sqrt(spread_x * spread_y)
