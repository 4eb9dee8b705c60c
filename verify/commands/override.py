"""`verify override`: sets scores, excuses and comments by hand, withdraws them, or lists them."""

from __future__ import annotations

import sys
from argparse import Namespace
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

from pipeline.terminal.display import counted, printed, visible
from pipeline.terminal.exit_codes import PASSED
from pipeline.terminal.streams import deliver
from verify.commands import gradebook_command as common
from verify.commands.options import level_and_number, number
from verify.gradebook import recording
from verify.gradebook.records import COMMENTS, DECISIONS, Override
from verify.gradebook.store import reading, utf8, writing
from verify.intake.overrides import RowOverride, read_overrides
from verify.intake.roster import roster_in
from verify.learner.check import UsageError

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator

    from pipeline.terminal.arguments import Arguments

_EPILOG = """\
examples:
  python3 -m verify override              list all overrides, including withdrawn ones
  python3 -m verify override zoe --exercise expert/04 --score 4.5 --reason oral
  python3 -m verify override zoe --exercise expert/04 --excused --reason ill
  python3 -m verify override zoe --exercise expert/04 --comment 'see me on Monday'
  python3 -m verify override --from decided.csv --dry-run
  python3 -m verify override zoe --withdraw          withdraw all overrides of the learner

exit codes: 0 done, 2 wrong usage, or an unknown learner or exercise
"""
_ASSIGNMENTS = "SELECT DISTINCT assignment FROM run WHERE assignment <> '' ORDER BY 1"
_EXERCISES = "SELECT DISTINCT exercise FROM rules ORDER BY exercise"
_PLACES = (
    "SELECT DISTINCT assignment FROM run JOIN run_exercise e ON e.run = run.id"
    " JOIN rules ON rules.id = e.rules WHERE exercise = ? ORDER BY 1"
)
_POINTS_OF_ALL = (
    "SELECT coalesce(json_extract(document, '$.assignments.\"' || ? || '\".points'), (SELECT"
    " sum(points) FROM last_run l JOIN run_exercise e ON e.run = l.run"
    " JOIN rules ON rules.id = e.rules WHERE l.assignment = ?)) FROM term"
)
_IN_EFFECT = (
    "SELECT 1 FROM override WHERE assignment = ? AND exercise = ? AND learner = ? AND kind = ?"
    " AND score IS ? AND reason = ? AND withdrawn IS NULL"
)
_POINTS = "SELECT points FROM rules WHERE exercise = ? ORDER BY id DESC LIMIT 1"
_HELD = (
    "SELECT DISTINCT assignment, exercise FROM override WHERE withdrawn IS NULL AND learner = ?"
    " AND ? IN ('', assignment) AND ? IN ('', exercise) ORDER BY 1, 2"
)
_LONGEST = 1_000  # characters of a reason, or of a name
_score = number(float, 0, sys.float_info.max, "a score (expected at least 0, such as 4.5)")


def add_options(parser: Arguments) -> None:
    """Add the options of `verify override`."""
    parser.epilog = _EPILOG
    parser.set_defaults(command=override)
    parser.add_argument("learner", metavar="LEARNER", nargs="?", help=common.WHOM)
    exercise = "the exercise, such as expert/04"
    parser.add_argument("--exercise", metavar="LEVEL/NN", type=level_and_number, help=exercise)
    assignment = "the assignment of a term; without --exercise, the whole assignment"
    parser.add_argument("--assignment", metavar="NAME", default="", help=assignment)
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--score", metavar="S", type=_score, help="the score that counts from now on")
    excused = "leave it out of the total and of the points"
    what.add_argument("--excused", action="store_true", help=excused)
    what.add_argument("--withdraw", action="store_true", help="return to the score from the checks")
    table = (
        "what each row of a table decides; nothing if a row is wrong (columns: learner, email or"
    )
    table += " another that identifies, exercise, assignment, score, excused, reason, comment)"
    what.add_argument("--from", dest="table", metavar="CSV", help=table)
    comment = "a comment for the learner, with or without a score"
    parser.add_argument("--comment", metavar="TEXT", default="", help=comment)
    reason = "the reason; shown in every export except Canvas"
    parser.add_argument("--reason", metavar="TEXT", default="", help=reason)
    by = "who decides (default: your user name)"
    parser.add_argument("--by", metavar="NAME", default="", help=by)
    dry_run = "show what would change, and write nothing"
    parser.add_argument("--dry-run", action="store_true", help=dry_run)
    common.add_gradebook(parser)


@common.gradebook_command
def override(gradebook: str, **given: Any) -> int:
    """Set, withdraw or list what people decide; return 0, or 2 if that is not possible."""
    options = Namespace(**given)
    _refuse_incomplete(options)
    if options.learner is None and not options.table:
        with reading(gradebook) as connection:
            lines = common.override_lines(connection) or ["No scores have been set by hand."]
    else:
        with writing(gradebook, existing=True) as connection:
            connection.execute("BEGIN IMMEDIATE")  # all of it, or nothing
            lines = list(_carried_out(connection, options))
            lines += ["Nothing was written."] if options.dry_run else []
            connection.execute("ROLLBACK" if options.dry_run else "COMMIT")
    deliver(printed(lines))
    return PASSED


def _refuse_incomplete(options: Namespace) -> None:
    """Refuse options that do not say what to do, for whom, or why."""
    decides = options.score is not None or options.excused
    about = options.exercise or options.assignment
    if options.table:
        if options.learner or about or options.comment:
            raise UsageError("--from takes no LEARNER, --exercise or --comment: the table has them")
    elif options.learner is None:
        if decides or options.withdraw or about or options.comment or options.reason or options.by:
            raise UsageError("an override needs the key of a learner: verify override LEARNER")
    elif not (options.withdraw or (about and (decides or options.comment.strip()))):
        what = "--score S, --excused, --comment TEXT or --withdraw"
        raise UsageError(f"an override needs --exercise LEVEL/NN, and {what}")
    elif options.withdraw and options.comment:
        raise UsageError("--withdraw takes no --comment TEXT")
    elif decides != bool(options.reason.strip()):
        which = "excused" if options.excused else "score" if decides else "withdraw"
        which = which if decides or options.withdraw else "comment"
        raise UsageError(f"--{which} {'needs' if decides else 'takes no'} --reason TEXT")


def _carried_out(connection: sqlite3.Connection, options: Namespace) -> Iterator[str]:
    """Do what is asked for, and yield a line for each change."""
    by, when = utf8(options.by or common.user())[:_LONGEST], common.now()
    if options.table:
        find = lru_cache(None)(partial(_place, connection))
        roster = roster_in(connection, everybody=True)
        rows = read_overrides(options.table, roster, find, options.reason.strip())
        changes = [line for row in rows if (line := _set(connection, row, by, when))]
        yield from changes
        same = f", {len(rows) - len(changes):,} unchanged" if len(changes) < len(rows) else ""
        yield f"{counted(len(changes), 'override')} set{same}"
        return
    learner = common.known_learner(connection, options.learner)
    exercise = "/".join(options.exercise or ())
    if options.withdraw:
        about = exercise or options.assignment
        place = _place(connection, options.assignment, exercise) if about else ("", "")
        yield from _withdrawn(connection, learner, place, by=by, when=when)
        return
    place, rows = _place(connection, options.assignment, exercise), []
    if options.excused or options.score is not None:
        kind = "excused" if options.excused else "score"
        rows.append(RowOverride(learner, place, kind, options.score, options.reason.strip()))
    if options.comment.strip():
        rows.append(RowOverride(learner, place, "comment", None, options.comment.strip()))
    for row in rows:
        yield _set(connection, row, by, when) or f"{_whose(learner, place)}: this is so already."


def _place(connection: sqlite3.Connection, assignment: str, exercise: str) -> tuple[str, str]:
    """Return the assignment, empty without a term, and the exercise, empty for all of it."""
    if "/" in assignment and not exercise:  # without a term, a table may call an exercise so
        assignment, exercise = "", assignment
    if assignment:
        assignment = common.known_name(connection, "assignment", _ASSIGNMENTS, assignment)
    if not exercise:
        if assignment:
            return assignment, ""
        week = connection.execute(_ASSIGNMENTS).fetchone()
        what, such = ("assignment", visible(*week)) if week else ("exercise", "expert/04")
        raise UsageError(f"names no {what} (expected one, such as {such})")
    level, _, number = exercise.partition("/")  # expert/4 is expert/04
    exercise = common.known_name(connection, "exercise", _EXERCISES, f"{level}/{number:0>2}")
    places = [where for (where,) in connection.execute(_PLACES, (exercise,))]
    if assignment and assignment not in places:
        raise UsageError(f"{visible(assignment)} does not have the exercise {exercise}")
    if len(places) > 1 and not assignment:
        where = " and ".join(visible(name) for name in places)
        raise UsageError(f"{exercise} belongs to {where}: name the assignment")
    return assignment or places[0], exercise


def _set(connection: sqlite3.Connection, row: RowOverride, by: str, when: str) -> str:
    """Keep what is decided; return a line about it, empty if that is in effect already."""
    assignment, exercise = row.place
    made = Override(row.score, by, when, utf8(row.text)[:_LONGEST], row.kind)
    same = (assignment, exercise, row.learner, made.kind, made.score, made.reason)
    if connection.execute(_IN_EFFECT, same).fetchone():
        return ""
    of_all = (_POINTS, (exercise,)) if exercise else (_POINTS_OF_ALL, (assignment, assignment))
    points = connection.execute(*of_all).fetchone()
    if points and made.score is not None and made.score > (points[0] or made.score):
        what = f"{made.score:g} is more than the {points[0]} points of {exercise or assignment}"
        common.note(f"{what}, but counts in full")
    before = recording.override(connection, row.learner, exercise, made, assignment)
    earlier = f" The earlier override is withdrawn: {common.described(before)}." if before else ""
    return f"{_whose(row.learner, row.place)}: {common.described(made)}.{earlier}"


def _whose(learner: str, place: tuple[str, str]) -> str:
    return " ".join(visible(text) for text in (learner, *place) if text)


def _withdrawn(
    connection: sqlite3.Connection, learner: str, about: tuple[str, str], *, by: str, when: str
) -> Iterator[str]:
    """Withdraw what is in effect for an exercise, or for all of them; yield a line for each."""
    places = connection.execute(_HELD, (learner, *about)).fetchall()
    if not places:
        whose = _whose(learner, about)
        raise UsageError(f"{whose} has no score set by hand, so there is nothing to withdraw")
    for place in places:
        for kinds in (DECISIONS, COMMENTS):
            assignment, exercise = place
            before = recording.withdraw(
                connection, assignment, learner, exercise, kinds, by=by, when=when
            )
            if before is not None:
                counts = "; the score from the checks counts again" if kinds == DECISIONS else ""
                what = f"withdrawn ({common.described(before)})"
                yield f"{_whose(learner, place)}: {what}{counts}."
