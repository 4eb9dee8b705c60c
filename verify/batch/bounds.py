"""What a submission may take of whoever grades it, and how a batch is told that came to no end."""

from __future__ import annotations

from typing import NamedTuple

SECONDS, MEGABYTES = 2.0, 300
FETCHING = 150.0  # seconds more where every file comes over a network, which has limits of its own


class Bounds(NamedTuple):
    """What grading one submission may take: seconds, and megabytes beyond what a worker has."""

    seconds: float = SECONDS
    megabytes: int = MEGABYTES

    def slack(self, kind: str) -> float:
        """Return the seconds that a submission of a kind of source may take for its transport."""
        return FETCHING if kind == "remote" else 0.0


BOUNDS = Bounds()
_AGAIN = "The next run tries it again."


class Stopped(Exception):
    """A batch that came to no end; the message is why, as a sentence about one submission.

    `at` is the place in the batch of the submission that was being graded, None where nobody knows.
    `step` says what to do, `crash` is the traceback of what grading raised. `is_source` tells that
    the container of all submissions cannot be opened: the message is then about that.
    """

    def __init__(
        self,
        reason: str,
        step: str,
        *,
        at: int | None = None,
        crash: str = "",
        is_source: bool = False,
    ) -> None:
        super().__init__(reason, step)
        self.reason = reason
        self.step = step
        self.at = at
        self.crash = crash
        self.is_source = is_source


def too_slow(bounds: Bounds, *, at: int | None = None) -> Stopped:
    """Return what is told of a submission that took too long."""
    reason = f"grading this submission took more than {bounds.seconds:g} s"
    step = "Look at the submission; where the checks need longer, give a higher --time-limit."
    return Stopped(reason, f"{step} {_AGAIN}", at=at)


def too_big(bounds: Bounds, *, at: int | None = None) -> Stopped:
    """Return what is told of a submission that needed too much memory."""
    reason = f"grading this submission needed more than {bounds.megabytes} MB of memory"
    step = "Look at the submission; where the checks need more, give a higher --memory-limit."
    return Stopped(reason, f"{step} {_AGAIN}", at=at)


def died(exit_code: int | None, *, at: int | None = None) -> Stopped:
    """Return what is told of a submission whose process died; a negative code is a signal.

    None is the code of a process that nobody of ours has seen.
    """
    if exit_code is None:
        how = "nobody knows how"
    elif exit_code >= 0:
        how = f"it ended with exit code {exit_code}"
    else:
        how = f"it died of signal {-exit_code}, {_signal_name(-exit_code)}"
    reason = f"grading this submission ends the process that grades it ({how}): this is our fault"
    return Stopped(reason, f"Report it. {_AGAIN}", at=at)


def raised(told: str, crash: str, *, at: int | None = None) -> Stopped:
    """Return what is told of a submission whose grading raised."""
    reason = f"grading this submission failed ({told}): this is our fault"
    return Stopped(reason, f"Report it with the log file. {_AGAIN}", at=at, crash=crash)


def unopened(told: str) -> Stopped:
    """Return what is told of a container that cannot be opened any more."""
    return Stopped(told, "", is_source=True)


def _signal_name(number: int) -> str:
    import signal  # the options of the command line import this module

    try:
        return signal.Signals(number).name
    except ValueError:
        return "unknown here"
