"""Exercises are proven on all processors, as if they were proven one after the other."""

from __future__ import annotations

import subprocess
import sys

import pytest

from verify.selftest.proof import on_all_processors

ONE_THREAD = """
import os, time
from verify.selftest.proof import on_all_processors

def killed():
    os._exit(7)

def refused():
    raise OSError("no such fixture")

def slow():
    time.sleep(0.2)
    return os.getpid()

"""

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="forks are safe on Linux only")


def run(code: str) -> str:
    """Return what code prints in a process that has no other thread."""
    words = [sys.executable, "-c", ONE_THREAD + code]
    return subprocess.run(words, check=False, capture_output=True, text=True).stdout


def test_results_are_in_the_order_of_the_calls_whichever_is_ready_first() -> None:
    code = 'first, second = on_all_processors({"a": slow, "b": lambda: "quick"})\n'

    assert run(f"{code}print(first != os.getpid(), second)") == "True quick\n"


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("killed", "RuntimeError the process that proves expert/02 ended with exit code 7"),
        ("refused", "OSError no such fixture"),
    ],
)
def test_a_process_that_ends_is_named_and_an_exception_is_raised(fault: str, message: str) -> None:
    code = (
        f'try: on_all_processors({{"a": slow, "expert/02": {fault}}})\n'
        "except Exception as error: print(type(error).__name__, error)"
    )

    assert run(code) == f"{message}\n"


def test_beside_other_threads_the_calls_are_made_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("threading.active_count", lambda: 2)
    made: list[int] = []

    assert on_all_processors({"a": lambda: made.append(1), "b": lambda: made.append(2)}) == [
        None,
        None,
    ]
    assert made == [1, 2]
