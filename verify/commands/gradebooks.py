"""What commands on a gradebook have in common: how they end, and how they name what they lack."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipeline.protocol.issue import MalformedIssue
from pipeline.terminal.crash import broken
from pipeline.terminal.display import inert, listed, visible
from pipeline.terminal.streams import ReaderGone, Undelivered, tell
from verify import check
from verify.batch.limits import StopRun
from verify.catalog import UnknownExercise
from verify.check import UsageError
from verify.exports.base import UnusableExport
from verify.gradebook.opening import UnusableGradebook, damage_of, shown
from verify.gradebook.reading import NothingGraded
from verify.gradebook.stored import NotOurs
from verify.intake.collection import UnusableCollection

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_REFUSED = (
    *(UnusableGradebook, NothingGraded, UsageError, UnusableExport, UnusableCollection),
    UnknownExercise,
)


def carried_out(work: Callable[[], int], gradebook: str) -> int:
    """Return the exit code of a command's work; what cannot be done is one line on stderr.

    A command that fails because somebody changed the gradebook is refused: it is not our fault.
    """
    return check.carried_out(lambda: _answered(work, gradebook))


def _answered(work: Callable[[], int], gradebook: str) -> int:
    try:
        return work()
    except _REFUSED as error:
        raise UsageError(visible(str(error), 1_000)) from None
    except StopRun as error:
        return broken(f"{error}; what was graded is kept")
    except NotOurs as error:
        told = f"{shown(gradebook)} has a value that {error}: somebody changed it"
        raise UsageError(f"{told}; put a copy of it back") from None
    except (ReaderGone, Undelivered, MalformedIssue):
        raise
    except Exception:
        fault = damage_of(gradebook)
        if fault:
            raise UsageError(fault) from None
        raise


def told(line: str) -> None:
    """Tell a line of a command of ours on stderr."""
    tell(inert(f"verify: {line}"))


def not_among(what: str, name: str, names: Iterable[str]) -> UsageError:
    """Return the refusal of a name that is not among others: it says which are near."""
    from difflib import get_close_matches

    known = list(names)
    near = get_close_matches(name, known, n=3) or (known if len(known) <= 12 else [])  # noqa: PLR2004  # few
    expected = f" (expected one of {listed(near)})" if near else ""
    return UsageError(f"no {what} {visible(name)} in this gradebook{expected}")
