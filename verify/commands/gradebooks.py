"""What commands on a gradebook share: options, exit codes and messages."""

from __future__ import annotations

import argparse
import os
import re
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar

from pipeline.protocol.issue import MalformedIssue
from pipeline.terminal.display import listed, visible
from pipeline.terminal.fault import Fault
from pipeline.terminal.streams import ReaderGone, Undelivered, broken, tell
from verify.batch.limits import MEGABYTES, SECONDS, StopRun
from verify.check import UsageError, command
from verify.gradebook.records import NotOurs
from verify.gradebook.store import damage_of, displayed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

N = TypeVar("N", int, float)

GRADEBOOK = "gradebook.db"
_FEW = 12  # names: so many are all listed


def gradebook_command(work: Callable[..., int]) -> Callable[..., int]:
    """Decorate a command on a gradebook: a failure is one line on stderr.

    A failure because another program changed the gradebook is not a fault of ours.
    """

    @command
    @wraps(work)
    def refusing(**options: Any) -> int:
        gradebook = options.get("gradebook", "")
        try:
            return work(**options)
        except StopRun as error:
            return broken(f"{error}; the results so far are kept")
        except NotOurs as error:
            what = f"{displayed(gradebook)} has a value that {error}, so another program changed it"
            raise UsageError(f"{what}: restore a backup") from None
        except (Fault, ReaderGone, Undelivered, MalformedIssue):
            raise
        except Exception:
            fault = damage_of(gradebook)
            if fault:
                raise UsageError(fault) from None
            raise

    return refusing


def note(line: str) -> None:
    """Write a line on stderr."""
    tell(f"verify: {line}")


def unknown_name(what: str, name: str, names: Iterable[str]) -> UsageError:
    """Return the error for an unknown name, with similar names."""
    from difflib import get_close_matches

    known = list(names)
    near = get_close_matches(name, known, n=3) or (known if len(known) <= _FEW else [])
    expected = f" (expected one of {listed(near)})" if near else ""
    return UsageError(f"no {what} {visible(name)} in this gradebook{expected}")


def now() -> str:
    """Return the current second, ISO 8601, UTC. Do not sort by it: a clock may go back."""
    import time

    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def user() -> str:
    """Return the name of the user, or the number of a user without a name."""
    if not hasattr(os, "getuid"):  # Windows
        return os.environ.get("USERNAME") or "unknown"
    import pwd

    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:  # a container's user without an account
        return f"uid {os.getuid()}"


def add_gradebook(parser: argparse._ActionsContainer) -> None:
    """Add the option that names the gradebook."""
    parser.add_argument(
        "--gradebook",
        metavar="FILE",
        default=GRADEBOOK,
        help=f"the file with the results (default: {GRADEBOOK})",
    )


def add_limits(parser: argparse._ActionsContainer) -> None:
    """Add the options that limit what grading one submission may take."""
    parser.add_argument(
        "--time-limit",
        metavar="SECONDS",
        type=_seconds,
        default=SECONDS,
        help=f"CPU time allowed for grading one submission (default: {SECONDS:g})",
    )
    parser.add_argument(
        "--memory-limit",
        metavar="MB",
        type=_megabytes,
        default=MEGABYTES,
        help="memory allowed for grading one submission, beyond the worker's own"
        f" (default: {MEGABYTES})",
    )


def _number(
    read: Callable[[str], N], digits: str, least: float, most: float, what: str
) -> Callable[[str], N]:
    """Return a function that reads a number from an option; argparse reports anything else."""

    def number(text: str) -> N:
        if re.fullmatch(digits, text) and least <= read(text) <= most:
            return read(text)
        raise argparse.ArgumentTypeError(f"{visible(text)} is not {what}")

    return number


job_count = _number(int, "[0-9]{1,6}", 1, 1_024, "a number of processes (expected 1 to 1024)")
_decimal = r"[0-9]{1,5}(\.[0-9]{1,3})?"
_seconds = _number(float, _decimal, 0.1, 100_000, "a time limit (expected 0.1 to 99999 seconds)")
_megabytes = _number(
    int, "[0-9]{1,6}", 30, 999_999, "a memory limit (expected 30 to 999999 megabytes)"
)
