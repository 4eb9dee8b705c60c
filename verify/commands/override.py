"""`verify override`: sets a score by hand, withdraws one, or lists them."""

from __future__ import annotations

import sys
from argparse import Namespace
from typing import TYPE_CHECKING, Any

from pipeline.terminal.display import inert, visible
from pipeline.terminal.exit_codes import PASSED
from pipeline.terminal.streams import deliver
from verify.commands import gradebook_command as common
from verify.commands.options import level_and_number
from verify.gradebook import recording
from verify.gradebook.reading import holding
from verify.gradebook.records import Override
from verify.gradebook.store import reading, utf8, writing
from verify.learner.check import UsageError

if TYPE_CHECKING:
    import sqlite3

    from pipeline.terminal.arguments import Arguments

_EPILOG = """\
examples:
  python3 -m verify override              list all overrides, including withdrawn ones
  python3 -m verify override zoe --exercise expert/04 --score 4.5 --reason oral
  python3 -m verify override zoe --exercise expert/04 --withdraw
  python3 -m verify override zoe --withdraw          withdraw all overrides of the learner

exit codes: 0 done, 2 wrong usage, or an unknown learner or exercise
"""
_EXERCISES = "SELECT DISTINCT exercise FROM rules ORDER BY exercise"
_POINTS = "SELECT points FROM rules WHERE exercise = ? ORDER BY id DESC LIMIT 1"
_LONGEST = 1_000  # characters of a reason, or of a name
_score = common.number(float, 0, sys.float_info.max, "a score (expected at least 0, such as 4.5)")


def add_options(parser: Arguments) -> None:
    """Add the options of `verify override`."""
    parser.epilog = _EPILOG
    parser.set_defaults(command=override)
    parser.add_argument("learner", metavar="LEARNER", nargs="?", help=common.WHOM)
    exercise = "the exercise, such as expert/04"
    parser.add_argument("--exercise", metavar="LEVEL/NN", type=level_and_number, help=exercise)
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--score", metavar="S", type=_score, help="the score that counts from now on")
    what.add_argument("--withdraw", action="store_true", help="return to the score from the checks")
    parser.add_argument(
        "--reason", metavar="TEXT", help="the reason; shown in every export except Canvas"
    )
    parser.add_argument(
        "--by", metavar="NAME", help="who sets or withdraws the score (default: your user name)"
    )
    common.add_gradebook(parser)


@common.gradebook_command
def override(gradebook: str, **given: Any) -> int:
    """Set, withdraw or list scores set by hand; return 0, or 2 if that is not possible."""
    options = Namespace(**given)
    _refuse_incomplete(options)
    if options.learner is None:
        with reading(gradebook) as connection:
            lines = common.override_lines(connection) or ["No scores have been set by hand."]
            deliver("".join(f"{inert(line)}\n" for line in lines))
        return PASSED
    with writing(gradebook, existing=True) as connection:
        learner = common.known_learner(connection, options.learner)
        names = [name for who, name in holding(connection) if who == learner]
        if options.exercise:
            level, number = options.exercise  # expert/4 is expert/04
            names = [common.known_name(connection, "exercise", _EXERCISES, f"{level}/{number:0>2}")]
        by = utf8(options.by or common.user())[:_LONGEST]
        if options.withdraw:
            texts = [_withdraw(connection, learner, name, by) for name in names or [""]]
            text = "\n".join(texts)
        else:
            reason = utf8(options.reason).strip()[:_LONGEST]
            text = _set(
                connection, learner, names[0], Override(options.score, by, common.now(), reason)
            )
        deliver(inert(text) + "\n")
    return PASSED


def _refuse_incomplete(options: Namespace) -> None:
    """Refuse options that do not say what to do, for whom, or why."""
    is_set = options.score is not None
    if options.learner is None:
        if is_set or options.withdraw or options.exercise or options.reason or options.by:
            raise UsageError("an override needs the key of a learner: verify override LEARNER")
    elif not (options.withdraw or (options.exercise and is_set)):
        raise UsageError("an override needs --exercise LEVEL/NN, and --score S or --withdraw")
    elif is_set != bool((options.reason or "").strip()):
        raise UsageError(f"--{'score needs' if is_set else 'withdraw takes no'} --reason TEXT")


def _withdraw(connection: sqlite3.Connection, learner: str, exercise: str, by: str) -> str:
    whose = f"{visible(learner)} {exercise}".rstrip()
    before = recording.withdraw(connection, "", learner, exercise, by=by, when=common.now())
    if before is None:
        raise UsageError(f"{whose} has no score set by hand, so there is nothing to withdraw")
    return (
        f"{whose}: withdrawn ({common.described(before)}); the score from the checks counts again."
    )


def _set(connection: sqlite3.Connection, learner: str, exercise: str, made: Override) -> str:
    (points,) = connection.execute(_POINTS, (exercise,)).fetchone()
    if made.score is not None and made.score > points:
        common.note(
            f"{made.score:g} is more than the {points} points of {exercise}, but counts in full"
        )
    before = recording.override(connection, learner, exercise, made)
    earlier = f" The earlier override is withdrawn: {common.described(before)}." if before else ""
    return f"{visible(learner)} {exercise}: {common.described(made)}.{earlier}"
