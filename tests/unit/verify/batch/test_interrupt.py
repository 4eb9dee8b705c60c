"""The first signal is noted, and the handlers from before are put back."""

from __future__ import annotations

import os
import signal

import pytest

from verify.batch.interrupt import Interrupts

pytestmark = pytest.mark.skipif(os.name != "posix", reason="the signals are POSIX's")


@pytest.fixture(autouse=True)
def _heard() -> None:
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # a script runs the tests behind it
        signal.signal(signal.SIGINT, signal.default_int_handler)


def test_whoever_sits_at_a_terminal_is_answered_at_once() -> None:
    terminal, stderr = os.openpty()
    before = os.dup(2)
    os.dup2(stderr, 2)
    try:
        with Interrupts():
            os.kill(os.getpid(), signal.SIGTERM)
    finally:
        os.dup2(before, 2)
        os.close(before)
        os.close(stderr)
    told = os.read(terminal, 1_000)
    os.close(terminal)

    assert told == (
        b"\r\nverify: stopping: what is being graded is kept; Ctrl-C again ends at once\r\n"
    )
