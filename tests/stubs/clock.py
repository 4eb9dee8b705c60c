"""How slow the processor is just now: a bound in seconds is about the code, not the machine."""

from __future__ import annotations

import time

_LOOPS = 2_000_000
_USUAL = 0.05  # seconds of CPU time that the loop takes where the bounds were set


def slowness() -> float:
    """Return how many times as long as usual a loop takes, at least 1.

    On a shared machine it is 1.4 to 1.8 while the neighbours of its processors are busy.
    """
    begun = time.process_time()
    total = 0
    for number in range(_LOOPS):
        total += number
    return max(1.0, (time.process_time() - begun) / _USUAL)
