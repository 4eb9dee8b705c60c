"""The user's limits of a run, and the wait for a model that takes no requests for now."""

from __future__ import annotations

import math
from dataclasses import replace
from time import localtime, monotonic, sleep, strftime, time
from typing import TYPE_CHECKING

from pipeline.drivers.reports import RateLimited
from pipeline.run import turns
from pipeline.terminal.fault import Fault

if TYPE_CHECKING:
    from pipeline.drivers.base import Reply, Tell, Turn
    from pipeline.run.context import Run
    from pipeline.run.stage import Stage

_MOST_WAITS = 6
_LONGEST = 3600.0  # seconds of all waits of a turn: an answer may only look like a rate limit
_FIRST = 15.0  # seconds of the first wait where the client names none; each is twice the last
_STOP = "to stop, press Ctrl-C; the same command continues"
_LATER = "The model takes no requests for now. To continue, run the same command again later."


def left(run: Run) -> float:
    """Return how many seconds `--max-minutes` leaves: earlier runs count with their turns."""
    if not run.max_minutes:
        return math.inf
    earlier = [
        turns.seconds_of(turn)
        for turn in turns.turns_of(run.about.folder_on_disk)
        if turn.get("run") != run.id
    ]
    return 60 * run.max_minutes - sum(earlier) - (monotonic() - run.begun_at)


def check(run: Run) -> None:
    """Stop the run before a turn if a limit is reached.

    Raises:
        Fault: says which, and how to continue.
    """
    if not (run.max_turns or run.max_tokens or run.max_minutes):
        return
    cost = turns.cost_of(turns.turns_of(run.about.folder_on_disk))
    tokens = (cost["tokens"] or {}).get("total", 0)
    if run.max_turns and cost["turns"] >= run.max_turns:
        raise _reached(run, "turns", f"{cost['turns']} turns of agents")
    if run.max_tokens and tokens >= run.max_tokens:
        raise _reached(run, "tokens", f"{tokens:,} tokens")
    if left(run) <= 0:
        raise out_of_time(run)


def out_of_time(run: Run, used: str = "all of it") -> Fault:
    """Return the fault of a run that has used its minutes."""
    return _reached(run, "minutes", used)


def _reached(run: Run, name: str, used: str) -> Fault:
    limit = getattr(run, f"max_{name}")
    now, next_ = (f"{n:.15g}" for n in (limit, 2 * limit))
    return Fault(
        f"--max-{name} {now} is reached: the issue has used {used}; to continue, run the same "
        f"command with a higher limit, such as --max-{name} {next_}"
    )


def take_turn(run: Run, stage: Stage, turn: Turn, tell: Tell) -> Reply:
    """Take a turn; where the model takes no requests for now, wait and try again, bounded.

    Raises:
        Fault: as the driver's, or the run's time is over.
    """
    waits, waited = 0, 0.0
    while True:
        try:
            return run.driver.take(replace(turn, seconds=left(run)), tell)
        except RateLimited as fault:  # noqa: PERF203  # a loop of waits
            pause = _FIRST * 2**waits if fault.after is None else fault.after + 1
            waits, waited = waits + 1, waited + pause
            if waits > _MOST_WAITS or waited > _LONGEST:
                raise Fault(*fault.lines, _LATER) from None
            if pause >= left(run):
                raise out_of_time(
                    run, f"too much of it to wait {pause:.0f} s for a model"
                ) from None
            until = strftime("%H:%M:%S", localtime(time() + pause))
            again = f"tries again in {pause:.0f} s, at {until} ({waits} of {_MOST_WAITS})"
            run.tell("waits", stage, f"{again}: {fault.lines[0]}; {_STOP}", {"wait": pause})
            sleep(pause)
        except Fault:
            if left(run) <= 0:
                raise out_of_time(run) from None
            raise
