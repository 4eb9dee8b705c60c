"""A process ends together with all that it has started."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

from pipeline.drivers import groups

if TYPE_CHECKING:
    from collections.abc import Callable

DEAF = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)"
WAIT = "print('there', flush=True); import time; time.sleep(60)"


def started(code: str) -> subprocess.Popen[str]:
    """Start Python code as the leader of a group, and wait until it is there."""
    words = [sys.executable, "-c", code]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True, start_new_session=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "there\n"
    return process


def child(more: str, code: str = WAIT) -> str:
    """Return code that starts a child with an input that ends with the parent, and waits."""
    return f"import subprocess, sys; subprocess.run([sys.executable, '-c', {code!r}]{more})"


def ended(process: subprocess.Popen[str], end: Callable[[], None]) -> bool:
    """Tell whether nothing holds the output of a process any more, once `end` has been called."""
    end()
    try:
        process.communicate(timeout=10)
    except subprocess.TimeoutExpired:
        return False
    return True


def test_a_process_that_does_not_listen_is_killed() -> None:
    process = started(f"{DEAF}; {WAIT}")

    assert ended(process, lambda: groups.kill(process.pid))


def test_what_a_process_has_started_is_killed_with_it() -> None:
    process = started(child(""))

    assert ended(process, lambda: groups.kill(process.pid))


def test_what_has_a_group_of_its_own_is_killed_with_it_too() -> None:
    process = started(child(", start_new_session=True"))

    assert ended(process, lambda: groups.kill(process.pid))


def test_a_process_that_listens_ends_when_it_is_asked_to() -> None:
    process = started(WAIT)

    assert ended(process, lambda: groups.ask_to_end(process.pid))


def test_a_process_that_is_gone_is_no_fault() -> None:
    process = started(f"print('there', flush=True); {DEAF}")
    process.communicate()

    groups.ask_to_end(process.pid)
    groups.kill(process.pid)
