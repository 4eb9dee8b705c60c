"""Runs the project's commands in forked children: measured, bounded, their output kept."""

from __future__ import annotations

import os
import resource
import signal
import sys
import tempfile
import traceback
from typing import TYPE_CHECKING, Any

from tests.stubs.clock import slowness

if TYPE_CHECKING:
    from collections.abc import Callable

LIMIT = 60  # seconds of the processor until a child is killed: 2 s are the promise
_LONG = 1.0  # seconds of the processor after which it is asked how slow it is
_WAITED = 600  # seconds until a child is killed that waits for something, on however busy a machine
_ADDRESSES = 2 << 30  # bytes: a guard for the machine; what is promised is measured
_SHOWN = 1 << 20  # bytes of output


def run_apart(work: Callable[[], int], folder: str) -> dict[str, Any]:
    """Carry out a command in a child and return what came of it.

    `code` is its exit code, below zero the signal that ended it; `seconds` of the processor and
    `kibibytes` of memory are those of the child and of its own children. `slowness` is that of the
    processor right after a long one.
    """
    with tempfile.TemporaryFile(dir=folder) as out, tempfile.TemporaryFile(dir=folder) as err:
        child = os.fork()
        if not child:
            _be_child(work, folder, out.fileno(), err.fileno())
        _, status, used = os.wait4(child, 0)
        seconds = used.ru_utime + used.ru_stime
        return {
            "code": os.waitstatus_to_exitcode(status),
            "out": _text(out),
            "err": _text(err),
            "seconds": seconds,
            "slowness": slowness() if seconds > _LONG else 1.0,
            "kibibytes": used.ru_maxrss,
        }


def _be_child(work: Callable[[], int], folder: str, out: int, err: int) -> None:
    code = 70
    try:
        os.setsid()
        signal.alarm(_WAITED)
        resource.setrlimit(resource.RLIMIT_CPU, (LIMIT, LIMIT))
        resource.setrlimit(resource.RLIMIT_AS, (_ADDRESSES, _ADDRESSES))
        with open(os.devnull, "rb") as nothing:
            os.dup2(nothing.fileno(), 0)
        os.dup2(out, 1)
        os.dup2(err, 2)
        os.chdir(folder)
        code = work()
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else 71
    except BaseException:  # noqa: BLE001  # what a user would see
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _text(file: Any) -> str:
    file.seek(0)
    return str(file.read(_SHOWN).decode("utf-8", "backslashreplace"))


def drop_privileges(folder: str) -> None:
    """Become nobody, where this is root, with `folder` as the only place to write to."""
    if os.geteuid() == 0:
        os.chown(folder, _NOBODY, _NOBODY)
        os.setgroups([])
        os.setgid(_NOBODY)
        os.setuid(_NOBODY)
    os.environ.update(HOME=folder, TMPDIR=folder, HOSTILE="CANARY-5f2c")
    tempfile.tempdir = folder


_NOBODY = 65534
