"""Carries out `verify regrade`: grades again, tells the impact, writes it where it is asked to."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, NamedTuple

from pipeline.terminal.display import visible
from pipeline.terminal.exit_codes import BROKEN, FAILED, PASSED, UNUSABLE
from pipeline.terminal.streams import deliver
from verify.batch.kernel import Job
from verify.batch.limits import limits_of
from verify.batch.progress import Progress, Tally
from verify.batch.regrading import Regrading
from verify.batch.run import Interrupts, canonical, engine_for, infos_of, with_rules
from verify.check import UsageError
from verify.commands.gradebooks import (
    add_gradebook,
    add_limits,
    carried_out,
    exercise_name,
    job_count,
    not_among,
    told,
)
from verify.commands.options import add_format
from verify.commands.regrade_views import View, as_json, as_table
from verify.gradebook.book import Book
from verify.gradebook.current import Results
from verify.gradebook.opening import changing, reading
from verify.gradebook.overrides import history
from verify.gradebook.reading import GradebookCohort
from verify.gradebook.rules import Rules
from verify.gradebook.stamp import now, user

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence

    from pipeline.terminal.arguments import Arguments
    from verify.batch.kernel import Graded


class Wanted(NamedTuple):
    """What is asked of a regrading."""

    exercises: Sequence[str]
    apply: bool
    jobs: int | None
    format_: str
    quiet: bool
    course: str
    time_limit: float
    memory_limit: int


_EPILOG = """\
examples:
  python3 -m verify regrade                          what today's checks would change
  python3 -m verify regrade --exercise expert/04     for one exercise only
  python3 -m verify regrade --apply                  and write it into the gradebook

exit codes: 0 nothing changes, or it was written, 1 something would change, 2 wrong usage or
nothing to grade again, 3 something could not be graded again, 130 interrupted
"""


def add_options(parser: Arguments) -> None:
    """Add the options of `verify regrade`."""
    parser.epilog = _EPILOG
    parser.set_defaults(command=regrade)
    _add_what(parser)
    _add_how(parser)


def _add_what(parser: Arguments) -> None:
    parser.add_argument(
        "--exercise",
        dest="exercises",
        metavar="LEVEL/NN",
        type=exercise_name,
        action="append",
        default=[],
        help="grade this exercise only; may be given several times (default: all of the last run)",
    )
    parser.add_argument(
        "--apply", action="store_true", help="write the new results; without it nothing is written"
    )
    parser.add_argument(
        "--course",
        metavar="DIR",
        default="",
        help="the folder of your own course that the cohort was graded with",
    )
    add_gradebook(parser)


def _add_how(parser: Arguments) -> None:
    parser.add_argument(
        "--jobs",
        metavar="N",
        type=job_count,
        help="worker processes (default: one a processor)",
    )
    add_limits(parser)
    add_format(parser)
    parser.add_argument("--quiet", action="store_true", help="show no progress")


def regrade(gradebook: str, **options: Any) -> int:
    """Grade the cohort of a gradebook again; return 0, 1, 2, 3 or 130 as documented.

    `options` are the fields of `Wanted`.
    """
    wanted = Wanted(**options)
    return carried_out(lambda: _opened(gradebook, wanted), gradebook)


def _opened(gradebook: str, wanted: Wanted) -> int:
    with (changing if wanted.apply else reading)(gradebook) as connection:
        cohort = GradebookCohort(connection)
        job = with_rules(_job(cohort, wanted.exercises, _course(cohort, wanted.course)))
        latest = cohort.options.get("attempts") != "all"
        results = Results(connection, Rules(connection), cohort.run, job.exercises, latest=latest)
        return _regraded(connection, results, job, cohort, wanted)


def _course(cohort: GradebookCohort, named: str) -> str:
    """Return the folder of the course that the cohort was graded with.

    Its files are run, so whoever regrades names it: a gradebook may come from somebody else.

    Raises:
        UsageError: another one is named, or none where there was one.
    """
    course = cohort.options.get("course") or ""
    if named and not course:
        raise UsageError("this cohort was graded with the project's own course: leave --course out")
    if course and (not named or os.path.realpath(named) != os.path.realpath(course)):
        shown = visible(course, 300)
        raise UsageError(
            f"this cohort was graded with the course in {shown}, whose files are run:"
            f" if you trust it, add --course {shown}"
        )
    return str(course)


def _job(cohort: GradebookCohort, names: Sequence[str], course: str) -> Job:
    """Return what was asked of every submission, to be asked again under today's rules."""
    options = cohort.options
    known = tuple(exercise.name for exercise in cohort.exercises)
    chosen = canonical(names, course) or known
    for name in chosen:
        if name not in known:
            raise not_among("exercise", name, known)
    return Job(
        chosen,
        (),
        course,
        target=options.get("target"),
        issue=options.get("issue"),
        strict=bool(options.get("strict")),
        provenance=bool(options.get("provenance")),
        witness_key=str(options.get("witness_key") or ""),
    )


def _regraded(
    connection: sqlite3.Connection,
    results: Results,
    job: Job,
    cohort: GradebookCohort,
    wanted: Wanted,
) -> int:
    infos = infos_of(job)
    book = _begun(connection, cohort, job) if wanted.apply else None
    regrading = Regrading(results, job, infos, book=book)
    interrupted = _interrupted(regrading, len(results), wanted)
    if interrupted is not None:
        told(_INTERRUPTED_APPLY if book else _INTERRUPTED)
        return interrupted
    if book is not None:
        book.finish(now())
    held = [each for each in history(connection, all_=False) if each.exercise in job.exercises]
    view = View(regrading, held, 0 if book is None else book.run)
    deliver(as_json(view) if wanted.format_ == "json" else as_table(view))
    return _exit_code(regrading, applied=wanted.apply)


def _interrupted(regrading: Regrading, total: int, wanted: Wanted) -> int | None:
    """Grade everything again; return the exit code of an interrupt, None where there was none."""
    tally, progress = Tally(), Progress(total, quiet=wanted.quiet)

    def graded(batch: Sequence[Graded]) -> None:
        tally.add(batch)
        progress.update(tally.submissions, tally)

    limits = limits_of(wanted.time_limit, wanted.memory_limit)
    with Interrupts() as interrupts, engine_for(wanted.jobs, None, total) as engine:
        try:
            regrading.run(engine, limits, stopping=interrupts.stopping, graded=graded)
        finally:
            progress.finish(tally)
        return interrupts.exit_code if interrupts.stopping() else None


_INTERRUPTED = "interrupted: nothing was written"
_INTERRUPTED_APPLY = (
    "interrupted: what was graded again is written, the rest stands as it was; run the command"
    " again to go on"
)


def _begun(connection: sqlite3.Connection, cohort: GradebookCohort, job: Job) -> Book:
    book = Book(connection)
    options = {**cohort.options, "exercises": list(job.exercises)}
    rules = list(zip(infos_of(job), job.rules, strict=True))
    book.begin("regrade", started=now(), by=user(), sources=[], options=options, rules=rules)
    return book


def _exit_code(regrading: Regrading, *, applied: bool) -> int:
    if regrading.failed:
        told(f"{len(regrading.failed):,} results could not be graded again and stay as they were")
        return BROKEN
    if regrading.kept and not regrading.compared:
        told("nothing could be graded again: are the submissions where they were?")
        return UNUSABLE
    return FAILED if regrading.changes and not applied else PASSED
