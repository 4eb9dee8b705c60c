"""`verify regrade`: grades a cohort again, shows what changes, and writes it with `--apply`."""

from __future__ import annotations

import os
from argparse import Namespace
from collections import Counter
from typing import TYPE_CHECKING, Any

from pipeline.terminal.display import counted, inert, listed, printed, visible
from pipeline.terminal.exit_codes import BROKEN, FAILED, PASSED, UNUSABLE
from pipeline.terminal.streams import deliver
from verify.batch.job import Job, rules_of, with_rules
from verify.batch.regrade import DOWN, LEVEL, UP, Regrading
from verify.batch.run import interrupts
from verify.commands import gradebook_command as common
from verify.commands import workers
from verify.commands.options import add_course, add_exercises, add_run
from verify.commands.term import add_assignments, chosen
from verify.course import catalog
from verify.gradebook.reading import GradebookCohort, Submissions, holding
from verify.gradebook.recording import RunRecorder
from verify.gradebook.records import DECISIONS
from verify.gradebook.store import reading, writing
from verify.gradebook.term import term_of
from verify.grading.ways import JAIL
from verify.learner.check import UsageError
from verify.reporters.table import grid

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Mapping, Sequence

    from pipeline.terminal.arguments import Arguments
    from verify.batch.job import Graded
    from verify.batch.progress import Progress
    from verify.batch.regrade import Flip, GradeChange
    from verify.gradebook.records import Override

_EPILOG = """\
examples:
  python3 -m verify regrade                          what the current checks would change
  python3 -m verify regrade --exercise expert/04     for one exercise only
  python3 -m verify regrade --apply                  also write the changes to the gradebook

exit codes: 0 nothing changes, or the changes were written, 1 something would change, 2 wrong
usage or nothing to grade again, 3 something could not be graded again, 130 interrupted
"""
# options of the last run
_KEPT = ("target", "issue", "strict", "provenance", "witness_key", "near_copies")
_MOST = 4  # checks of a result that are named


def add_options(parser: Arguments) -> None:
    """Add the options of `verify regrade`."""
    parser.epilog = _EPILOG
    parser.set_defaults(command=regrade)
    add_exercises(parser, "grade only this exercise (default: all exercises of the last run)")
    add_assignments(parser, "grade only this assignment of a term")
    only = f"grade only this learner's submissions; {common.WHOM}"
    parser.add_argument("--learner", metavar="LEARNER", default="", help=only)
    parser.add_argument(
        "--apply", action="store_true", help="write the new results (default: only show them)"
    )
    add_course(parser)
    add_run(parser, own=False)
    common.add_gradebook(parser)
    workers.add_workers(parser)


@common.gradebook_command
def regrade(gradebook: str, **given: Any) -> int:
    """Grade the cohort of a gradebook again; return 0, 1, 2, 3 or 130 as documented."""
    options = Namespace(**given)
    with writing(gradebook, existing=True) if options.apply else reading(gradebook) as connection:
        term = term_of(connection)
        known = [] if term is None else [*term.assignments]
        names = chosen(options.assignments, known, visible(gradebook, 300))
        graded = {name for (name,) in connection.execute("SELECT assignment FROM last_run")}
        codes = []
        names = [name for name in names if name in graded]
        if not options.assignments:
            names = [name for name in names if _has(connection, name, options.exercises)] or names
        for name in names:
            deliver(f"{inert(visible(name))}:\n")
            codes.append(_regraded(connection, name, options))
        if term is None:
            codes.append(_regraded(connection, None, options))
    if not codes:
        raise UsageError("nothing of this term has been graded: run verify batch first")
    return max(codes, key=(PASSED, FAILED, UNUSABLE, BROKEN).index)


def _has(connection: sqlite3.Connection, name: str, asked: Sequence[tuple[str, str]]) -> bool:
    """Return whether an assignment has one of the exercises that are asked for, if any are."""
    names = {exercise.name for exercise in GradebookCohort(connection, assignment=name).exercises}
    return not asked or not names.isdisjoint(f"{level}/{number:0>2}" for level, number in asked)


def _regraded(connection: sqlite3.Connection, assignment: str | None, options: Namespace) -> int:
    """Grade the cohort of an assignment again, of the last run without one; return the code."""
    cohort = GradebookCohort(connection, assignment=assignment)
    job = _job(cohort, options.exercises, _course(cohort, options.course))
    run = options.run if assignment is None else _run_in_term(cohort, options)
    way = workers.way_of_others(job.exercises, job.course, run, options.jail if run else "")
    for name, is_given in (("run", way), ("run_tests", way and options.run_tests)):
        if cohort.options.get(name) and not is_given:  # not because a gradebook says so
            option = f"--{name.replace('_', '-')}"
            raise UsageError(f"this cohort was graded with {option}: add {option}")
    job = with_rules(job._replace(run=way, run_tests=options.run_tests))
    recorder = _begun(connection, cohort, job) if options.apply else None
    regrading, tally = _graded(connection, cohort, job, options, recorder)
    common.note_unclaimed(connection)
    common.note_mixed(connection)
    held = {
        key: made
        for key, (made, *_) in holding(connection, cohort.assignment).items()
        if key[1] in job.exercises and made.kind in DECISIONS
    }
    deliver(as_table(regrading, held, None if recorder is None else recorder.run))
    if regrading.failed:
        results = counted(len(regrading.failed), "result")
        what = f"{results} could not be graded again and did not change"
        return common.ended_by_errors(what, tally.crashes, job.course)
    if regrading.kept and not regrading.compared:
        common.note(
            'nothing could be graded again, for the reasons listed under "Not graded again"'
        )
        return UNUSABLE
    return FAILED if regrading.changes and not options.apply else PASSED


def _run_in_term(cohort: GradebookCohort, options: Namespace) -> str:
    """Return how an assignment is run: as it was, because the term says so and not the command."""
    kept = cohort.options.get("run")
    if options.run and not kept:
        step = "remove --run, or add run = true to the term and run verify batch"
        raise UsageError(f"{visible(cohort.assignment)} was graded without --run: {step}")
    return JAIL if kept == JAIL else options.run


def _course(cohort: GradebookCohort, option: str) -> str:
    """Return the folder of the course that the cohort was graded with.

    Its files are run, so the instructor has to name it: the gradebook may come from elsewhere.

    Raises:
        UsageError: the option names another course, or is missing.
    """
    course: str = cohort.options.get("course") or ""
    if option and not course:
        raise UsageError("this cohort was graded with the course of this project: remove --course")
    if course and (not option or os.path.realpath(option) != os.path.realpath(course)):
        place = visible(course, 300)
        raise UsageError(
            f"this cohort was graded with the course in {place}:"
            f" if you trust its code, use --course {place}"
        )
    return course


def _job(cohort: GradebookCohort, names: Sequence[tuple[str, str]], course: str) -> Job:
    """Return what to grade in each submission, under today's rules."""
    known = tuple(exercise.name for exercise in cohort.exercises)
    chosen = catalog.canonical(names, course) or known
    for name in chosen:
        if name not in known:
            raise common.unknown_name("results from the last verify batch for", name, known)
    kept = {name: cohort.options[name] for name in _KEPT if name in cohort.options}
    return Job(chosen, (), course, **kept)


def _begun(connection: sqlite3.Connection, cohort: GradebookCohort, job: Job) -> RunRecorder:
    recorder = RunRecorder(connection, common.user(), cohort.assignment)
    options = {**cohort.options, "exercises": list(job.exercises), "run": job.run}
    options["run_tests"] = job.run_tests
    recorder.begin("regrade", started=common.now(), options=options, rules=rules_of(job))
    return recorder


def _graded(
    connection: sqlite3.Connection,
    cohort: GradebookCohort,
    job: Job,
    options: Namespace,
    recorder: RunRecorder | None,
) -> tuple[Regrading, Progress]:
    rules = list(zip(job.exercises, job.rules, strict=True))
    learner = options.learner and common.known_learner(connection, options.learner)
    latest = not cohort.attempts_all
    submissions = Submissions(connection, cohort.run, rules, latest=latest, learner=learner)
    regrading = Regrading(submissions, [info for info, _ in rules_of(job)])

    def take(results: list[Graded]) -> None:
        written = regrading.taken(results)
        if recorder is not None:
            recorder.record(written)

    with interrupts() as interrupted:
        run = workers.run_of(job, options, interrupted)
        tally = run.carry_out(regrading.pending(), len(submissions), take)
    if recorder is not None:
        recorder.finish(common.now())
    return regrading, tally


def as_table(
    regrading: Regrading, overrides: Mapping[tuple[str, str], Override], run: int | None
) -> str:
    """Return the text for people: a row for each change, then the sums."""
    changes = sorted(regrading.changes)
    with_files = [change for change in changes if change.files]
    sum_ = f"{len(changes):,} of {regrading.compared:,} results change"
    lines = [*_table(changes), f"{sum_}: {_ways(changes)}" if changes else sum_]
    causes = Counter(
        flip for change in changes if not change.files for flip in _causing(change.checks)
    )
    lines += [f"  {flip}: {number:,}" for flip, number in causes.most_common()]
    if with_files:
        lines.append(f"  results with changed files: {len(with_files):,} ({_ways(with_files)})")
    by_hand = [
        f"{visible(learner)} {exercise}: {made.word} ({visible(made.by)}, "
        f"{visible(made.reason, 200)})"
        for (learner, exercise), made in overrides.items()
    ]
    lines += _unchanged("Not graded again", sorted(regrading.kept))
    lines += _unchanged("Could not be graded", sorted(regrading.failed))
    lines += _unchanged("Set by hand", by_hand)
    end = f"Written as run {run}; the gradebook keeps the earlier results."
    if run is None:
        end = "Nothing was written" + (": add --apply to write the changes." if changes else ".")
    return printed([*lines, end])


def _table(changes: Sequence[GradeChange]) -> list[str]:
    if not changes:
        return []
    rows = [
        (
            visible(f"{change.learner} {change.attempt}".strip()),
            change.exercise,
            f"{change.before} -> {change.after}",
            _flips(change.checks),
            listed(change.files, 2) if change.files else "",
        )
        for change in changes
    ]
    headers = ("learner", "exercise", "score", "checks", "changed files")
    return [*grid(headers, rows), ""]


def _flips(flips: Sequence[Flip]) -> str:
    """Return what differs in one result; checks that only wait for others are only counted."""
    shown = _causing(flips)[:_MOST]
    text = ", ".join(map(str, shown))
    return f"{text} and {len(flips) - len(shown)} more" if len(flips) > len(shown) else text


def _causing(flips: Sequence[Flip]) -> Sequence[Flip]:
    """Return the checks that differ, without those that only begin or stop waiting for others."""
    return [flip for flip in flips if "skip" not in flip] or flips


def _ways(changes: Sequence[GradeChange]) -> str:
    counts = Counter(change.way for change in changes)
    return ", ".join(f"{counts[way]:,} {way}" for way in (UP, DOWN, LEVEL) if counts[way])


def _unchanged(what: str, items: Sequence[str]) -> list[str]:
    lines = [f"  {item}" for item in items]
    return [f"{what}, unchanged: {len(lines):,}", *lines] if lines else []
