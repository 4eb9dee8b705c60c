"""What commands on a gradebook share: options, exit codes and messages."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any

from pipeline.terminal.display import listed, visible
from pipeline.terminal.exit_codes import BROKEN
from pipeline.terminal.fault import Fault
from pipeline.terminal.streams import Undelivered, broken, tell
from verify.child.limits import Interrupted, StopRun
from verify.gradebook.columns import NotOurs
from verify.gradebook.keeping import mixed
from verify.gradebook.records import Override
from verify.gradebook.store import damage_of, utf8
from verify.intake.roster import roster_in
from verify.learner.check import UsageError, command

if TYPE_CHECKING:
    import argparse
    import sqlite3
    from collections.abc import Callable, Iterable, Sequence


GRADEBOOK = "gradebook.db"
WHOM = "the learner: the key, a login, a number, an e-mail address or the full name"
_CONTINUE = "the gradebook keeps the results so far; to continue, run the same command again"
_UNCLAIMED = {  # what to do about it
    "override": "set the score for the new key, if any, then verify override KEY --withdraw",
    "decision": "decide again with --decisions, or verify match --forget ENTRY",
}
_HISTORY = (
    "SELECT learner, assignment, exercise, withdrawn, withdrawn_by, score, by, made, reason, kind"
    " FROM override WHERE learner = ? OR ? IS NULL ORDER BY learner, assignment, exercise, id"
)
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
        except (Interrupted, StopRun) as error:
            what = "interrupted: " if isinstance(error, Interrupted) else ""
            is_kept = options.get("apply", bool(gradebook) and "forget" not in options)
            kept = _CONTINUE if is_kept else "nothing was written"
            note(f"{what}{visible(str(error), 500)}; {kept}")
            return error.code
        except NotOurs as error:
            what = f"{visible(gradebook, 300)} has a value that {error}"
            raise UsageError(f"{what}, so another program changed it: restore a backup") from None
        except (Fault, Undelivered):
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


def moved_line(moved: Sequence[tuple[str, str]]) -> str:
    """Return a line about learners with new keys, each with the one before."""
    keys = [f"{before} is {now}" for now, before in moved]
    return f"new keys, with all that was theirs: {listed(keys, _FEW)}"


def unclaimed_lines(connection: sqlite3.Connection) -> list[str]:
    """Return a line for each override or decision without a learner."""
    found = connection.execute("SELECT kind, text FROM unclaimed ORDER BY kind, text")
    gone = "the learner has left, or has a new key"
    return [f"{kind} {visible(text, 300)}: {gone}: {_UNCLAIMED[kind]}" for kind, text in found]


def attention_lines(connection: sqlite3.Connection) -> list[str]:
    """Return a line for all that a person has to look at: entries, then what belongs to nobody."""
    query = "SELECT assignment, line FROM attention ORDER BY assignment, line"
    lines = [f"{name}: {line}" if name else line for name, line in connection.execute(query)]
    return lines + unclaimed_lines(connection)


def note_mixed(connection: sqlite3.Connection) -> None:
    """Say where scores cannot be compared because only some submissions were run."""
    if found := mixed(connection):
        step = "grade all of them in the same way: run verify batch again"
        note(f"only some submissions were run ({found}): {step}")


def note_unclaimed(connection: sqlite3.Connection) -> bool:
    """Name the overrides and decisions without a learner; return whether there are any."""
    lines = unclaimed_lines(connection)
    for line in lines:
        note(line)
    return bool(lines)


def unknown_name(what: str, name: str, names: Iterable[str]) -> UsageError:
    """Return the error for an unknown name, with similar names."""
    from difflib import get_close_matches

    known = list(names)
    near = get_close_matches(name, known, n=3)
    near = near or [text for text in known if name.casefold() in text.casefold()][:3]
    near = near or (known if len(known) <= _FEW else [])
    expected = f" (expected {'one of ' * (len(near) > 1)}{listed(near)})" if near else ""
    return UsageError(f"this gradebook has no {what} {visible(name)}{expected}")


def known_name(connection: sqlite3.Connection, what: str, query: str, name: str) -> str:
    """Return a name that a query finds in the gradebook; raises `UsageError` for any other."""
    name, names = utf8(name), [known for (known,) in connection.execute(query)]
    if name not in names:
        raise unknown_name(what, name, names)
    return name


def known_learner(connection: sqlite3.Connection, text: str) -> str:
    """Return the key of the learner whom a person means; raises `UsageError`."""
    roster = roster_in(connection, everybody=True)
    found = roster.called(text)
    if len(found) == 1:
        return found[0]
    people = {key: (name, email) for key, name, email, _ in roster.rows()}
    if not found:
        names = [*people, *(name for name, _ in people.values() if name)]
        raise unknown_name("learner", text, names)
    about = [
        f"{visible(key)} ({', '.join(visible(known) for known in people[key] if known)})"
        for key in found[:_FEW]
    ]
    what = f"{visible(text)} may be {len(found)} learners"
    raise UsageError(f"{what} (expected the key of one: {'; '.join(about)})")


def override_lines(connection: sqlite3.Connection, learner: str | None = None) -> list[str]:
    """Return a line for each override, also a withdrawn one; None for those of everybody."""
    lines = []
    for *whole, withdrawn, who, score, by, made, why, kind in connection.execute(
        _HISTORY, (learner, learner)
    ):
        whose = " ".join(visible(text) for text in (whole[1:] if learner else whole) if text)
        end = (
            f" (withdrawn by {visible(who or 'nobody')}, {visible(withdrawn)})" if withdrawn else ""
        )
        lines.append(f"{whose}: {described(Override(score, by, made, why, kind))}{end}")
    return lines


def described(made: Override) -> str:
    """Return an override in words: the score, by whom, when and why."""
    return f"{made.word} by {visible(made.by)}, {visible(made.made)}, {visible(made.reason, 300)}"


def ended_by_errors(what: str, crashes: Sequence[str], course: str) -> int:
    """Say that results are errors, with a log of what crashed if anything did; return 3."""
    if not crashes:  # each line says what to do
        note(what)
        return BROKEN
    return broken(f"{what}; grading itself failed", "\n".join(crashes), course=course)


def now() -> str:
    """Return the current second, ISO 8601, UTC. Do not sort by it: a clock may go back."""
    import time

    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def user() -> str:
    """Return the name of the user."""
    import getpass

    try:
        return getpass.getuser()
    except (ImportError, KeyError, OSError):  # a container's user without an account
        return "unknown"


def add_gradebook(parser: argparse._ActionsContainer) -> None:
    """Add the option that names the gradebook."""
    gradebook = f"the file with the results (default: {GRADEBOOK})"
    parser.add_argument("--gradebook", metavar="FILE", default=GRADEBOOK, help=gradebook)
