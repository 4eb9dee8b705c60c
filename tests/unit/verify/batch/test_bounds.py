"""Each reason is a sentence that says what happened, and a step that says what to do."""

from __future__ import annotations

import pytest

from verify.batch.bounds import Bounds, Stopped, died, raised, too_big, too_slow, unopened

_LOOK = "Look at the submission; where the checks need"
_NEXT = "The next run tries it again."
_FAULT = "this is our fault"
_ENDS = "grading this submission ends the process that grades it"


@pytest.mark.parametrize(
    ("stopped", "reason", "step"),
    [
        (
            too_slow(Bounds(seconds=2.0)),
            "grading this submission took more than 2 s",
            f"{_LOOK} longer, give a higher --time-limit. {_NEXT}",
        ),
        (
            too_big(Bounds(megabytes=300)),
            "grading this submission needed more than 300 MB of memory",
            f"{_LOOK} more, give a higher --memory-limit. {_NEXT}",
        ),
        (
            died(-11),
            f"{_ENDS} (it died of signal 11, SIGSEGV): {_FAULT}",
            "Report it. The next run tries it again.",
        ),
        (
            died(-199),
            f"{_ENDS} (it died of signal 199, unknown here): {_FAULT}",
            "Report it. The next run tries it again.",
        ),
        (
            died(3),
            f"{_ENDS} (it ended with exit code 3): {_FAULT}",
            "Report it. The next run tries it again.",
        ),
        (
            died(None),
            f"{_ENDS} (nobody knows how): {_FAULT}",
            "Report it. The next run tries it again.",
        ),
        (
            raised("KeyError: 'a'", "Traceback"),
            f"grading this submission failed (KeyError: 'a'): {_FAULT}",
            "Report it with the log file. The next run tries it again.",
        ),
        (unopened("/a is gone"), "/a is gone", ""),
    ],
)
def test_a_reason(stopped: Stopped, reason: str, step: str) -> None:
    assert (stopped.reason, stopped.step) == (reason, step)


def test_only_what_comes_over_a_network_gets_more_time() -> None:
    bounds = Bounds()

    assert {kind: bounds.slack(kind) for kind in ("folder", "zip", "remote")} == {
        "folder": 0,
        "zip": 0,
        "remote": 150,
    }
