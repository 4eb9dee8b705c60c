"""What a late submission loses: a pure function of its score, its time and the policy."""

from __future__ import annotations

import math
from datetime import datetime, timedelta, timezone
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

_DAY = timedelta(days=1)
_ROUNDED_AT_MOST = 10**15  # a larger score has no decimals that a float holds


class LatePolicy(NamedTuple):
    """What is deducted from a late submission: a share of the points for each day begun."""

    grace: float = 0  #: minutes after the due time that are not late
    percent_a_day: float = 0  #: of the points
    cap: float = 100  #: percent of the points that are deducted at most

    def excuses(self, late: timedelta) -> bool:
        """Return whether so much time behind the due time is not late."""
        return late <= timedelta(minutes=self.grace)


class Adjusted(NamedTuple):
    """A score after the late policy, exact, and why it is what it is."""

    score: Fraction
    words: str = ""


def adjusted(score: Fraction, points: float, late: timedelta, policy: LatePolicy) -> Adjusted:
    """Return a score, of so many points, less what so much time behind the due time costs.

    No more is deducted than there is.
    """
    if policy.excuses(late):
        return Adjusted(score)
    days = math.ceil(late / _DAY)
    left, deducted = _deducted(score, points, days, policy)
    begun = f"{days} day{'s' * (days > 1)} late, by {_duration(late)}"
    return Adjusted(left, f"{begun}: {deducted}")


@lru_cache(10_000)  # a class has few scores and few days: without, the policy is half of a standing
def _deducted(
    score: Fraction, points: float, days: int, policy: LatePolicy
) -> tuple[Fraction, str]:
    """Return a score less what so many days cost, and what that is in words."""
    share = min(Fraction(str(policy.percent_a_day)) * days, Fraction(str(policy.cap))) / 100
    taken = min(share * Fraction(points), max(score, Fraction(0)))
    percent = f"{float(share * 100):.6g} % of {points:g} points"
    return score - taken, f"{percent} deducted" if share else "nothing is deducted"


def _duration(late: timedelta) -> str:
    minutes = math.ceil(late / timedelta(minutes=1))
    hours, days = minutes // 60 % 24, minutes // 1_440
    parts = ((days, "d"), (hours, "h"), (minutes % 60, "min"))
    return " ".join(f"{number} {unit}" for number, unit in parts if number)


def rounded(score: Fraction | float, decimals: int) -> float:
    """Return a score with so many decimals; a half is rounded up."""
    if isinstance(score, float) and score.is_integer():
        return score
    exact = score if isinstance(score, Fraction) else Fraction(str(score))
    if abs(exact) > _ROUNDED_AT_MOST:
        return float(exact)
    up = math.floor(exact * 10**decimals + Fraction(1, 2))
    return float(up / 10**decimals)


def moment(text: str, due: datetime | None) -> datetime | None:
    """Return the time of a submission; one without a zone has that of the due time.

    None is unknown: no time, text that is not one, or no zone to be found.
    """
    if not text:
        return None
    try:
        found = datetime.fromisoformat(f"{text[:-1]}+00:00" if text[-1] in "Zz" else text)
        if found.tzinfo is None:
            found = found.replace(tzinfo=due.tzinfo if due else None)
        return found.astimezone(timezone.utc) if found.tzinfo else None
    except (ValueError, OverflowError):
        return None
