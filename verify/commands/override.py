"""Carries out `verify override`: sets a score by hand, withdraws one, or lists them."""

from __future__ import annotations

import argparse
import math
from typing import TYPE_CHECKING, NamedTuple

from pipeline.terminal.display import inert, visible
from pipeline.terminal.exit_codes import PASSED
from pipeline.terminal.streams import deliver
from verify.check import UsageError
from verify.commands.gradebooks import add_gradebook, carried_out, exercise_name, not_among, told
from verify.gradebook import overrides
from verify.gradebook.opening import changing, reading
from verify.gradebook.records import Override
from verify.gradebook.stamp import now, user
from verify.gradebook.texts import whole

if TYPE_CHECKING:
    import sqlite3

    from pipeline.terminal.arguments import Arguments

_LEARNERS = "SELECT key FROM learner UNION SELECT learner FROM submission"
_EXERCISES = "SELECT DISTINCT exercise FROM rules ORDER BY exercise"
_POINTS = "SELECT points FROM rules WHERE exercise = ? ORDER BY id DESC LIMIT 1"
_LONGEST = 1_000  # characters of a reason, or of a name


class Wanted(NamedTuple):
    """What is asked for: `score` None and no `withdraw` is neither."""

    learner: str | None
    exercise: str | None
    score: float | None
    withdraw: bool
    reason: str | None
    by: str | None


_EPILOG = """\
examples:
  python3 -m verify override                                         list them, withdrawn ones too
  python3 -m verify override zoe --exercise expert/04 --score 4.5 --reason 'oral exam'
  python3 -m verify override zoe --exercise expert/04 --withdraw

exit codes: 0 done, 2 wrong usage, or nobody and nothing of that name
"""


def add_options(parser: Arguments) -> None:
    """Add the options of `verify override`."""
    parser.epilog = _EPILOG
    parser.set_defaults(command=override)
    parser.add_argument("learner", metavar="LEARNER", nargs="?", help="as the gradebook has them")
    parser.add_argument(
        "--exercise", metavar="LEVEL/NN", type=exercise_name, help="such as expert/04"
    )
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--score", metavar="S", type=_score, help="the score that counts from now on")
    what.add_argument(
        "--withdraw", action="store_true", help="let the score that the checks gave count again"
    )
    parser.add_argument("--reason", metavar="TEXT", help="why; it shows in every export")
    parser.add_argument("--by", metavar="NAME", help="who (default: the user of this system)")
    add_gradebook(parser)


def _score(text: str) -> float:
    try:
        score = float(text) if len(text) < 20 else math.nan  # noqa: PLR2004  # digits of a score
    except ValueError:
        score = math.nan
    if math.isfinite(score) and score >= 0:
        return score
    raise argparse.ArgumentTypeError(
        f"{visible(text)} is no score (expected a number from 0 on, such as 4.5)"
    )


def override(  # noqa: PLR0913  # an option each
    gradebook: str,
    learner: str | None,
    exercise: str | None,
    *,
    score: float | None,
    withdraw: bool,
    reason: str | None,
    by: str | None,
) -> int:
    """Set, withdraw or list scores set by hand; return 0, or 2 where that is impossible."""
    wanted = Wanted(learner, exercise, score, withdraw, reason, by)
    return carried_out(lambda: _override(gradebook, wanted), gradebook)


def _override(gradebook: str, wanted: Wanted) -> int:
    _refuse_half(wanted)
    if wanted.learner is None:
        with reading(gradebook) as connection:
            deliver(_listed(connection))
        return PASSED
    with changing(gradebook) as connection:
        deliver(_changed(connection, wanted))
    return PASSED


def _refuse_half(wanted: Wanted) -> None:
    """Refuse what says neither what to do nor to whom, nor why."""
    asks = wanted.score is not None or wanted.withdraw
    if wanted.learner is None:
        if asks or wanted.exercise or wanted.reason or wanted.by:
            raise UsageError("whose score? Name the learner, such as verify override zoe ...")
        return
    if not asks:
        raise UsageError("what is to be done? Add --score S with --reason TEXT, or --withdraw")
    if not wanted.exercise:
        raise UsageError("which exercise? Add --exercise LEVEL/NN")
    if wanted.withdraw and wanted.reason:
        raise UsageError("--reason goes with --score: a withdrawal says who and when")
    if not wanted.withdraw and not (wanted.reason or "").strip():
        raise UsageError("why? A score that is set by hand needs a --reason TEXT")


def _changed(connection: sqlite3.Connection, wanted: Wanted) -> str:
    learner = _known(connection, "learner", _LEARNERS, wanted.learner or "")
    exercise = _known(connection, "exercise", _EXERCISES, _padded(wanted.exercise or ""))
    by, when = whole(wanted.by or user())[:_LONGEST], now()
    whose = f"{visible(learner)} {exercise}"
    if wanted.withdraw:
        before = overrides.withdraw(connection, learner, exercise, by=by, when=when)
        if before is None:
            raise UsageError(f"no score of {whose} is set by hand: there is nothing to withdraw")
        return f"{whose}: withdrawn, {_said(before)}; what the checks gave counts again.\n"
    score, reason = wanted.score or 0.0, whole(wanted.reason or "").strip()[:_LONGEST]
    made = Override(score, by, when, reason)
    (points,) = connection.execute(_POINTS, (exercise,)).fetchone()
    if score > points:
        told(f"{score:g} is more than the {points} points of {exercise}: it counts as it is")
    before = overrides.override(connection, learner, exercise, made)
    earlier = f" The earlier one is withdrawn: {_said(before)}." if before else ""
    return inert(f"{whose}: {_said(made)}.{earlier}") + "\n"


def _padded(exercise: str) -> str:
    """Return an exercise's name with two digits: `expert/4` is `expert/04`."""
    level, _, number = exercise.partition("/")
    return f"{level}/{number:0>2}"


def _known(connection: sqlite3.Connection, what: str, query: str, name: str) -> str:
    """Return a name that the gradebook has."""
    name = whole(name)
    among = f"WITH known(name) AS ({query}) SELECT 1 FROM known WHERE name = ?"  # noqa: S608  # our own words
    found = connection.execute(among, (name,))
    if found.fetchone() is None:
        raise not_among(what, name, (each for (each,) in connection.execute(query)))
    return name


def _said(made: Override) -> str:
    return f"{made.score:g} by {visible(made.by)}, {made.made}, {visible(made.reason, 300)}"


def _listed(connection: sqlite3.Connection) -> str:
    lines = []
    for learner, exercise, made, withdrawn, who in overrides.history(connection):
        end = f" (withdrawn by {visible(who)}, {withdrawn})" if withdrawn else ""
        lines.append(f"{visible(learner)} {exercise}: {_said(made)}{end}")
    return "".join(f"{inert(line)}\n" for line in lines) or "No score is set by hand.\n"
