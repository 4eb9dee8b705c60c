"""`verify regrade`: grades a cohort again, shows what changes, and writes it with `--apply`."""

from __future__ import annotations

import os
from argparse import Namespace
from collections import Counter
from dataclasses import asdict
from itertools import starmap
from typing import TYPE_CHECKING, Any

from pipeline.terminal.display import inert, json_document, listed, visible
from pipeline.terminal.exit_codes import FAILED, PASSED, UNUSABLE
from pipeline.terminal.streams import broken, deliver
from verify.batch.kernel import Job
from verify.batch.limits import limits_of
from verify.batch.progress import Progress, Tally
from verify.batch.regrade import DOWN, LEVEL, UP, Regrading
from verify.batch.run import Interrupts, canonical, engine_for, infos_of, with_rules
from verify.check import UsageError
from verify.commands.gradebooks import (
    add_gradebook,
    add_limits,
    gradebook_command,
    job_count,
    note,
    now,
    unknown_name,
    user,
)
from verify.commands.options import add_exercises, add_format
from verify.gradebook.reading import GradebookCohort, Submissions, holding
from verify.gradebook.recording import Book
from verify.gradebook.store import reading, writing

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Mapping, Sequence

    from pipeline.terminal.arguments import Arguments
    from verify.batch.regrade import Change, Flip, Kept, Side
    from verify.gradebook.records import Override

_EPILOG = """\
examples:
  python3 -m verify regrade                          what the current checks would change
  python3 -m verify regrade --exercise expert/04     for one exercise only
  python3 -m verify regrade --apply                  and write the changes to the gradebook

exit codes: 0 nothing changes, or it was written, 1 something would change, 2 wrong usage or
nothing to grade again, 3 something could not be graded again, 130 interrupted
"""
_INTERRUPTED = "interrupted: nothing was written"
_INTERRUPTED_APPLY = (
    "interrupted: the new results so far are written, the rest is unchanged; run the command"
    " again to continue"
)
_KEPT = ("target", "issue", "strict", "provenance", "witness_key")  # options of the last run
_MOST = 4  # checks of a result that are named
_WAYS = {UP: "up", DOWN: "down", LEVEL: "with the same score"}


def add_options(parser: Arguments) -> None:
    """Add the options of `verify regrade`."""
    parser.epilog = _EPILOG
    parser.set_defaults(command=regrade)
    add_exercises(parser, "grade this exercise only (default: all of the last run)")
    parser.add_argument(
        "--apply", action="store_true", help="write the new results (default: only show them)"
    )
    parser.add_argument(
        "--course",
        metavar="DIR",
        default="",
        help="the folder of your own course that the cohort was graded with",
    )
    add_gradebook(parser)
    parser.add_argument(
        "--jobs", metavar="N", type=job_count, help="worker processes (default: one per processor)"
    )
    add_limits(parser)
    add_format(parser)
    parser.add_argument("--quiet", action="store_true", help="show no progress")


@gradebook_command
def regrade(gradebook: str, **given: Any) -> int:
    """Grade the cohort of a gradebook again; return 0, 1, 2, 3 or 130 as documented."""
    options = Namespace(**given)
    opened = writing(gradebook, existing=True) if options.apply else reading(gradebook)
    with opened as connection:
        cohort = GradebookCohort(connection)
        job = with_rules(_job(cohort, options.exercises, _course(cohort, options.course)))
        rules = list(zip(job.exercises, job.rules, strict=True))
        submissions = Submissions(connection, cohort.run, rules, latest=not cohort.attempts_all)
        book = _begin(connection, cohort, job) if options.apply else None
        regrading = Regrading(submissions, job, infos_of(job), book=book)
        tally = Tally()
        interrupted = _run(regrading, tally, len(submissions), options)
        if interrupted is not None:
            note(_INTERRUPTED_APPLY if book else _INTERRUPTED)
            return interrupted
        if book is not None:
            book.finish(now())
        held = holding(connection).items()
    overrides = {key: override for key, override in held if key[1] in job.exercises}
    text = as_json if options.format_ == "json" else as_table
    deliver(text(regrading, overrides, None if book is None else book.run))
    if regrading.failed:
        what = f"{len(regrading.failed):,} results could not be graded again and are unchanged"
        return broken(what, "\n".join(tally.crashes), course=job.course)
    if regrading.kept and not regrading.compared:
        note("nothing could be graded again: were the submissions moved?")
        return UNUSABLE
    return FAILED if regrading.changes and not options.apply else PASSED


def _course(cohort: GradebookCohort, option: str) -> str:
    """Return the folder of the course that the cohort was graded with.

    Its files are run, so the instructor has to name it: the gradebook may come from elsewhere.

    Raises:
        UsageError: the option names another course, or is missing.
    """
    course = cohort.options.get("course") or ""
    if option and not course:
        raise UsageError("this cohort was graded with the project's own course: remove --course")
    if course and (not option or os.path.realpath(option) != os.path.realpath(course)):
        place = visible(course, 300)
        raise UsageError(
            f"this cohort was graded with the course in {place}, whose code regrade runs:"
            f" if you trust it, add --course {place}"
        )
    return str(course)


def _job(cohort: GradebookCohort, names: Sequence[tuple[str, str]], course: str) -> Job:
    """Return what to grade in each submission, under today's rules."""
    known = tuple(exercise.name for exercise in cohort.exercises)
    chosen = canonical(names, course) or known
    for name in chosen:
        if name not in known:
            raise unknown_name("exercise", name, known)
    kept = {name: cohort.options[name] for name in _KEPT if name in cohort.options}
    return Job(chosen, (), course, **kept)


def _begin(connection: sqlite3.Connection, cohort: GradebookCohort, job: Job) -> Book:
    book = Book(connection)
    options = {**cohort.options, "exercises": list(job.exercises)}
    rules = list(zip(infos_of(job), job.rules, strict=True))
    book.begin("regrade", started=now(), by=user(), sources=[], options=options, rules=rules)
    return book


def _run(regrading: Regrading, tally: Tally, total: int, options: Namespace) -> int | None:
    """Grade everything again; return the exit code of an interrupt, None without one."""
    progress = Progress(total, quiet=options.quiet)
    limits = limits_of(options.time_limit, options.memory_limit)
    with Interrupts() as interrupts, engine_for(options.jobs, None, total) as engine:
        try:
            for results in regrading.graded(engine, limits, interrupts.stopping):
                tally.add(results)
                progress.update(tally.submissions, tally)
        finally:
            progress.finish(tally)
        return interrupts.exit_code if interrupts.stopping() else None


def as_table(
    regrading: Regrading, overrides: Mapping[tuple[str, str], Override], run: int | None
) -> str:
    """Return the text for people: a row for each change, then the sums."""
    changes = sorted(regrading.changes)
    others = [change for change in changes if change.files]
    sum_ = f"{len(changes):,} of {regrading.compared:,} change"
    lines = [*_table(changes), f"{sum_}: {_ways(changes)}" if changes else sum_]
    causes = Counter(
        f"{flip.code} {_flip(flip)}"
        for change in changes
        for flip in _causing(change.checks)
        if not change.files
    )
    lines += [f"  {what}: {number:,}" for what, number in causes.most_common()]
    if others:
        lines.append(f"  files changed since they were graded: {len(others):,} ({_ways(others)})")
    lines += _unchanged("Not graded again", map(_reason, sorted(regrading.kept)))
    lines += _unchanged("Could not be graded", map(_reason, sorted(regrading.failed)))
    lines += _unchanged("Set by hand", starmap(_by_hand, overrides.items()))
    end = f"Written as run {run}; the gradebook keeps the earlier results."
    if run is None:
        end = "Nothing was written" + (": add --apply to write it." if changes else ".")
    return "".join(f"{inert(line)}\n" for line in (*lines, end))


def _table(changes: Sequence[Change]) -> list[str]:
    if not changes:
        return []
    from tabulate import tabulate

    rows = [
        (
            visible(" ".join(filter(None, (change.learner, change.attempt)))),
            change.exercise,
            " -> ".join(_score(side) for side in (change.before, change.after)),
            _flips(change.checks),
            f"files: {listed(change.files, 2)}" if change.files else "",
        )
        for change in changes
    ]
    headers = ("learner", "exercise", "score", "checks", "changed since")
    text = tabulate(rows, headers=headers, tablefmt="simple", disable_numparse=True)
    return [*(line.rstrip() for line in text.splitlines()), ""]


def _score(side: Side) -> str:
    return side.outcome if side.score is None else str(side.score)


def _flips(flips: Sequence[Flip]) -> str:
    """Return what differs in one result; checks that only wait for others are only counted."""
    shown = _causing(flips)[:_MOST]
    text = ", ".join(f"{flip.code} {_flip(flip)}" for flip in shown)
    return f"{text} and {len(flips) - len(shown)} more" if len(flips) > len(shown) else text


def _causing(flips: Sequence[Flip]) -> Sequence[Flip]:
    """Return the checks that differ, without those that only begin or stop waiting for others."""
    return [flip for flip in flips if "skip" not in (flip.before, flip.after)] or flips


def _flip(flip: Flip) -> str:
    before, after = flip.before or "new", flip.after or "removed"
    if before == after:
        return f"worth {flip.points[0]} -> {flip.points[1]}"
    return f"{before} -> {after}"


def _ways(changes: Sequence[Change]) -> str:
    counts = Counter(change.way for change in changes)
    return ", ".join(f"{counts[way]:,} {word}" for way, word in _WAYS.items() if counts[way])


def _unchanged(what: str, items: Iterable[str]) -> list[str]:
    lines = [f"  {item}" for item in items]
    return [f"{what}, unchanged: {len(lines):,}", *lines] if lines else []


def _reason(kept: Kept) -> str:
    learner = visible(f"{kept.learner} {kept.attempt}".strip())
    return f"{learner} {kept.exercise}: {visible(kept.reason, 300)}"


def _by_hand(key: tuple[str, str], override: Override) -> str:
    learner, exercise = key
    by = f"{visible(override.by)}, {visible(override.reason, 200)}"
    return f"{visible(learner)} {exercise}: {override.score:g} ({by})"


def as_json(
    regrading: Regrading, overrides: Mapping[tuple[str, str], Override], run: int | None
) -> str:
    """Return the JSON document for programs."""
    counts = Counter(change.way for change in regrading.changes)
    document: dict[str, Any] = {
        "version": 1,
        "run": run,
        "compared": regrading.compared,
        "changed": len(regrading.changes),
        **{way: counts[way] for way in _WAYS},
        "changes": list(map(asdict, sorted(regrading.changes))),
        "kept": list(map(asdict, sorted(regrading.kept))),
        "failed": list(map(asdict, sorted(regrading.failed))),
        "overrides": [
            {"learner": learner, "exercise": exercise, **override._asdict()}
            for (learner, exercise), override in overrides.items()
        ],
    }
    return json_document(document)
