"""Each reason is a sentence that says what happened, and a step that says what to do."""

from __future__ import annotations

from verify.batch.bounds import Bounds

_LOOK = "Look at the submission; where the checks need"
_NEXT = "The next run tries it again."
_FAULT = "this is our fault"
_ENDS = "grading this submission ends the process that grades it"


def test_only_what_comes_over_a_network_gets_more_time() -> None:
    bounds = Bounds()

    assert {kind: bounds.slack(kind) for kind in ("folder", "zip", "remote")} == {
        "folder": 0,
        "zip": 0,
        "remote": 150,
    }
