"""What a task may do to the process that carries it out; a child imports little more than this."""

from __future__ import annotations

import ctypes
import faulthandler
import os
import re
import signal
import time
from typing import TYPE_CHECKING

from verify.child.limits import StopRun

if TYPE_CHECKING:
    from collections.abc import Callable


def segfault() -> None:
    faulthandler.disable()  # the tests' own
    ctypes.string_at(0)


def leave(code: int) -> None:
    raise SystemExit(code)


DEEDS: dict[str, Callable[[], object]] = {
    "killed": lambda: os.kill(os.getpid(), signal.SIGKILL),
    "segfault": segfault,
    "regex": lambda: re.fullmatch("(a|aa)+b", "a" * 80),
    "hog": lambda: [bytearray(1 << 24) for _ in range(1_000)],  # 16 GB, without a limit
    "leave": lambda: os._exit(7),
    "exit": lambda: leave(3),
    "done": lambda: os._exit(0),
    "raise": lambda: dict[str, str]()["no grade"],
}


def carry_out(task: str, again: bool) -> str:  # noqa: FBT001  # as workers call it
    """Do what a task's name says; `once PATH` is killed the first time, `first` unless again."""
    word, _, path = task.partition(" ")
    if word in DEEDS:
        DEEDS[word]()
    if word == "once" and not os.path.lexists(path):
        os.symlink("anywhere", path)  # a worker writes no file
        DEEDS["killed"]()
    if word == "first" and not again:
        DEEDS["killed"]()
    if word == "sleep":
        time.sleep(1_000)
    if word == "stop":
        raise StopRun("the collection was replaced")
    if word == "flood":
        os.write(1, b"\x1b]0;flood\x07" * 1_000)
    if word == "write":
        with open(path, "w", encoding="utf-8") as file:
            return "wrote" if file.write("x") else ""
    return f"{word}, again" if again else word
