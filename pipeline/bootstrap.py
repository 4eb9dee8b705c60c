"""Finds the project's dependencies for a script that a bare `python3` runs by path.

Imports nothing beyond the standard library, and little of that: it runs before everything else.
"""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from importlib.machinery import PathFinder
from typing import TYPE_CHECKING, NoReturn

from pipeline.terminal.exit_codes import INTERRUPTED

if TYPE_CHECKING:
    from types import FrameType

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_NEEDED = ("pydantic", "pydantic_core", "tabulate", "jsonschema", "watchfiles", "filelock")
_REEXECUTED = "ISSUE_PIPELINE_REEXECUTED"  # stops a broken environment from calling itself for ever


def use_project_environment() -> None:
    """Return once the dependencies can be imported, of this Python or of the repository's `.venv`.

    A `.venv` that another Python made has its own, which takes over. Without a working `.venv`, say
    on stderr how to set it up, and exit with 2.
    """
    end_at_once_on_interrupt()
    if not _has_all():
        _borrow_packages()
        if not _has_all():
            _continue_in(environment_python(ROOT))


def _has_all() -> bool:
    # The packages are only looked for, because each command imports what it needs.
    return all(PathFinder.find_spec(name) for name in _NEEDED)


def _borrow_packages() -> None:
    """Replace the packages of this Python by those of a `.venv` that was made with it.

    The `.venv`'s own Python would find the same, but a learner would wait for a second start.
    """
    if os.path.realpath(environment_python(ROOT)) != os.path.realpath(sys.executable):
        return  # its packages may be for another version, or another system
    version = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    standard = [path for path in sys.path if not path.endswith(("site-packages", "dist-packages"))]
    sys.path[:] = [*standard, os.path.join(ROOT, ".venv", "lib", version, "site-packages")]


def environment_python(root: str) -> str:
    """Return the path of the interpreter in the environment of `root`, which may not exist."""
    parts = ("Scripts", "python.exe") if os.name == "nt" else ("bin", "python")
    return os.path.join(root, ".venv", *parts)


def _continue_in(python: str) -> NoReturn:
    if os.path.isfile(python) and not os.environ.get(_REEXECUTED):
        os.environ[_REEXECUTED] = "1"
        arguments = [python, *sys.orig_argv[1:]]
        with suppress(OSError):  # copied from another system, or not executable
            if os.name == "nt":  # exec on Windows returns to the shell before the work is done
                import subprocess

                raise SystemExit(subprocess.run(arguments, check=False).returncode)  # noqa: S603  # ourselves
            os.execv(python, arguments)  # noqa: S606  # the same command line
    start = from_here(os.path.join(ROOT, "start.py"))
    shown = f'"{start}"' if " " in start else start
    sys.stderr.write(
        f"The course's dependencies are not installed for this Python ({sys.executable}).\n"
        f"Install them once with: python3 {shown} setup\n"
    )
    raise SystemExit(2)


def from_here(path: str) -> str:
    """Return a path relative to the working directory, or unchanged if that is impossible."""
    try:
        return os.path.relpath(path)
    except (OSError, ValueError):  # the working directory is gone, or is on another drive
        return path


def called_as(package: str) -> str:
    """Return the words of `called` as one line for a shell."""
    import shlex  # few runs name a command

    return shlex.join(called(package))


def called(package: str) -> list[str]:
    """Return the words that call a package's command from the working directory.

    Use its name if the shell finds it, `python3 -m` in the project's root, otherwise its path.
    """
    for folder in os.environ.get("PATH", "").split(os.pathsep):
        place = os.path.join(folder, package)
        if os.path.isfile(place) and os.access(place, os.X_OK):
            return [package]
    installed = os.path.join(os.path.dirname(environment_python(ROOT)), package)
    if from_here(ROOT) != os.curdir and os.path.isfile(installed):
        return [from_here(installed)]
    return ["python3", "-m", package]


def end_at_once_on_interrupt() -> None:
    """Let Ctrl-C end the process with one word and 130, from now on and inside any import.

    An exception could print a trace in the middle of an import, make an extension panic, or be
    swallowed. A command that has to clean up calls `interruptible` to get the exception.
    """
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:  # a shell's background job ignores it
        signal.signal(signal.SIGINT, _end_at_once)


def interruptible() -> None:
    """Let Ctrl-C, SIGTERM and SIGHUP raise KeyboardInterrupt, for work that has to clean up."""
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        number = getattr(signal, name, signal.SIGINT)  # Windows has no SIGHUP
        if signal.getsignal(number) in (_end_at_once, signal.SIG_DFL):
            signal.signal(number, signal.default_int_handler)


def _end_at_once(number: int, frame: FrameType | None) -> NoReturn:  # noqa: ARG001  # as the system calls it
    with suppress(OSError):
        os.write(2, b"interrupted\n")
    os._exit(INTERRUPTED)
