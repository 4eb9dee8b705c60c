"""Standard streams that never raise, and how a command ends: Ctrl-C, a closed pipe, a crash."""

from __future__ import annotations

import codecs
import contextlib
import json
import os
import sys
from typing import TYPE_CHECKING, TextIO

from pipeline.terminal.display import inert, visible
from pipeline.terminal.exit_codes import BROKEN, INTERRUPTED, PASSED

if TYPE_CHECKING:
    from collections.abc import Callable


_WIDEST = 200  # columns: longer lines are hard to read


class Undelivered(Exception):
    """The output could not be written; the message says why, and is empty if its reader is gone."""


def printable_streams() -> None:
    """Let stdout and stderr escape what their encoding cannot show instead of raising.

    Python has None for a stream that the caller closed (`>&-`): it becomes one that shows nothing.
    """
    codecs.register_error("json", _as_json)
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115  # until exit
        with contextlib.suppress(AttributeError):  # a test's stream
            getattr(sys, name).reconfigure(errors="json")


def _as_json(error: UnicodeError) -> tuple[str, int]:
    """Return JSON's escapes: a value in quotes may be copied into an artifact."""
    assert isinstance(error, UnicodeEncodeError)  # noqa: S101  # these streams are written to
    return json.dumps(error.object[error.start : error.end])[1:-1], error.end


def columns(stream: TextIO) -> int:
    """Return the width to write for: `COLUMNS`, else the terminal's, else 80; at most 200."""
    wanted = os.environ.get("COLUMNS", "")[:6]
    if wanted.isascii() and wanted.isdecimal() and int(wanted) > 0:
        return min(int(wanted), _WIDEST)
    try:
        return min(os.get_terminal_size(stream.fileno()).columns, _WIDEST) or 80
    except (OSError, ValueError):
        return 80


def can_show(stream: TextIO, text: str) -> bool:
    """Return whether a stream's encoding has all characters of a text."""
    with contextlib.suppress(UnicodeEncodeError, LookupError):
        return bool(text.encode(stream.encoding or "ascii"))
    return False


def deliver(text: str) -> None:
    """Write a text to stdout, all of it; raises `Undelivered` if stdout accepts no more."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except OSError as error:
        reason = "" if isinstance(error, BrokenPipeError) else error.strerror
        raise Undelivered(reason) from None


def tell(line: str) -> None:
    """Write a line to stderr, without effect on GitHub's runner; stderr may be closed."""
    try:
        print(inert(line), file=sys.stderr, flush=True)
    except (OSError, ValueError):
        _silence(sys.stderr)


def agreed(question: str) -> bool | None:
    """Ask a yes-or-no question on a terminal; None without a terminal."""
    if not (sys.stdin and sys.stdin.isatty() and sys.stderr.isatty()):  # None: it was closed
        return None
    sys.stderr.write(inert(f"{question} [y/N] "))
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def guarded(command: Callable[[], int], program: str = "verify") -> int:
    """Run a command and return its exit code, whatever happens.

    After Ctrl-C that is 130. A reader that closed the pipe (`| head -1`) has what it wanted: the
    code is then 0. Where stdout takes no more for another reason (a full disk), one line says so
    and the code is 3. Any other exception is our bug: one line, a log file and 3.
    """
    try:
        return command()
    except Undelivered as error:
        _silence(sys.stdout)
        if not str(error):
            return PASSED
        tell(f"cannot write the output: {error}")
        return BROKEN
    except KeyboardInterrupt:
        tell("interrupted")
        return INTERRUPTED
    except Exception as error:  # noqa: BLE001  # the last resort
        import traceback

        text = "".join(traceback.format_exception(error))
        return broken(f"{program} itself failed ({type(error).__name__})", text, program)


def broken(sentence: str, details: str = "", program: str = "verify", *, course: str = "") -> int:
    """Say in one line on stderr that the harness failed, write the details to a log file."""
    where = f"; {_logged(details, program)}" if details else ""
    tell(f"{program}: {visible(sentence, 500)}: {blame(course)}{where}")
    return BROKEN


def blame(course: str) -> str:
    """Say where to look for a bug: in a course of the instructor's own, else in the harness."""
    return "look at the checks of this course" if course else "this is a bug, not your mistake"


def _logged(details: str, program: str) -> str:
    import tempfile

    try:
        descriptor, path = tempfile.mkstemp(prefix=f"{program}-", suffix=".log")
        with open(descriptor, "w", encoding="utf-8", errors="replace") as file:
            # what it quotes of a submission drives no terminal that shows the log
            file.write("\n".join(visible(line, 2_000) for line in details.split("\n")))
    except OSError as error:
        return f"no log could be written ({error.strerror})"
    return f"the details are in {path}"


def _silence(stream: TextIO) -> None:
    # Python flushes a stream again at exit: give it somewhere to write to.
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
