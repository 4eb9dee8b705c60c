"""`verify batch`: collections in, grades into the gradebook, exports and a table out."""

from __future__ import annotations

import os
from argparse import Namespace
from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING, Any

from pipeline.terminal.display import counted, inert, visible
from pipeline.terminal.exit_codes import FAILED, PASSED
from pipeline.terminal.streams import deliver
from verify.batch.progress import UNCHANGED, error_lines, table
from verify.commands import entries, options, workers
from verify.commands import gradebook_command as common
from verify.commands.assignment import grade, job_of, prepare
from verify.commands.exporting import add_exports, check_exports, repeated, write_exports
from verify.commands.term import (
    absent_lines,
    add_term,
    graded_in,
    note_untimed,
    requests_of,
    told_of_scores,
)
from verify.gradebook.reading import GradebookCohort
from verify.gradebook.store import reading, writing
from verify.gradebook.term import TermCohort
from verify.grading.model import Outcome
from verify.intake.ledger import UNMATCHED, UNRESOLVED
from verify.learner.check import UsageError

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence

    from pipeline.terminal.arguments import Arguments
    from verify.commands.assignment import GradedAssignment
    from verify.commands.exporting import Export
    from verify.gradebook.reading import Cohort, Counts
    from verify.gradebook.term_file import TermFile


_EPILOG = """\
examples:
  python3 -m verify batch submissions/ --exercise expert/04
  python3 -m verify batch download.zip --exercise expert/04 --roster students.csv --out results
  python3 -m verify batch --term term.toml --out results
  python3 -m verify batch s3://course/spring --exercise expert/03 --exercise expert/04 --html report

Run the same command again to continue after an interruption or to grade only what has changed.

exit codes: 0 all passed, 1 something failed, is missing, unresolved or unmatched, 2 wrong
usage or nothing to grade, 3 something could not be graded, 130 interrupted
"""
# what a new instructor needs, at most twelve
_COMMON = ("--help", "--exercise", "--term", "--roster", "--gradebook", "--out")


def add_options(parser: Arguments) -> None:
    """Add the options of `verify batch`."""
    parser.epilog = _EPILOG
    parser.common = _COMMON
    parser.set_defaults(command=batch)
    sources = "the submissions: a folder, a .zip, a manifest .csv or a URL such as s3://…"
    parser.add_argument("sources", metavar="COLLECTION", nargs="*", help=sources)
    _add_what(parser)
    _add_how(parser)
    add_exports(parser)


def _add_what(parser: Arguments) -> None:
    what = parser.add_argument_group("what to grade")
    add_term(what)
    options.add_exercises(what, "an exercise, such as expert/04")
    roster = entries.add_roster(what)
    no_roster = "remove the roster of an earlier run from the gradebook"
    roster.add_argument("--no-roster", dest="keep_roster", action="store_false", help=no_roster)
    attempts = "which of a learner's submissions to grade (default: latest)"
    what.add_argument("--attempts", choices=("latest", "all"), default="latest", help=attempts)
    options.add_subject(what)
    options.add_strict(what)
    options.add_course(what)
    options.add_provenance(what)
    options.add_run(what, own=False)
    near = "also compare artifacts and changed sources for near copies, which the report lists"
    what.add_argument("--near-copies", action="store_true", help=near)


def _add_how(parser: Arguments) -> None:
    how = parser.add_argument_group("how to grade")
    common.add_gradebook(how)
    again = "grade unchanged submissions again, too"
    how.add_argument("--no-resume", dest="resume", action="store_false", help=again)
    replace = "drop the results of other exercises and learners from the exports"
    how.add_argument("--replace", action="store_true", help=replace)
    how.add_argument(
        "--no-exercise-check",
        dest="checks_exercise",
        action="store_false",
        help="grade even if most submissions have artifacts of a different exercise",
    )
    workers.add_workers(how)


@common.gradebook_command
def batch(**given: Any) -> int:
    """Grade a cohort and return the exit code: 0, 1, 2, 3 or 130 as documented, 143 for SIGTERM."""
    request = Namespace(**given, assignment="")
    file = _term_of(request)
    requests = [request] if file is None else requests_of(request, file)
    request.gradebook = requests[0].gradebook
    jobs = list(map(job_of, requests))
    if os.path.exists(request.gradebook):
        with writing(request.gradebook):  # completes one that a kill left empty
            pass
    exports = _exports(request, requests, file, jobs[0].exercises)
    with ExitStack() as opened:
        setups = []
        for asked, job in zip(requests, jobs, strict=True):
            setups.append(prepare(asked, job))
            opened.callback(setups[-1].ledger.close)
        with told_of_scores(request.gradebook, file):
            graded = [grade(setup, file) for setup in setups]
        return _reported(graded, exports, file)


def _term_of(request: Namespace) -> TermFile | None:
    """Return the term that is asked for, None for one assignment; raises `UsageError`."""
    if request.term is None:
        if request.assignments:
            raise UsageError("--assignment names an assignment of a term: add --term TOML")
        if not (request.sources and request.exercises):
            needed = "a COLLECTION and --exercise LEVEL/NN, or --term TOML"
            raise UsageError(f"verify batch needs {needed}")
        return None
    from verify.gradebook.term_file import read_term  # pydantic, which no other batch needs

    return read_term(request.term)


def _exports(
    request: Namespace,
    requests: Sequence[Namespace],
    file: TermFile | None,
    names: Sequence[str],
) -> tuple[Export, ...]:
    """Return the exports that are asked for, if they are possible; `names` are the exercises."""
    known = graded_in(request, file)
    if file is not None:
        known |= {asked.assignment for asked in requests}
        names = tuple(name for name in file.term.assignments if name in known)
    inputs = [path for asked in requests for path in entries.inputs_of(asked)]
    return check_exports(
        request.exports,
        exercises=names,
        inputs=[*inputs, request.term or ""],
        beside=[("entries", request.entries)] if request.entries else [],
    )


def _reported(
    graded: Sequence[GradedAssignment], exports: Sequence[Export], file: TermFile | None
) -> int:
    """Write exports, show the summary and the errors, and return the exit code."""
    request = graded[0].setup.request
    with reading(request.gradebook) as connection:
        whole: Cohort
        cohort: TermCohort | GradebookCohort
        if file is None:
            whole = cohort = GradebookCohort(connection, run=graded[0].run)
        else:  # all that is known is exported, and what was graded now is shown
            whole = TermCohort(connection, file.term)
            names = [run.setup.request.assignment for run in graded]
            cohort = TermCohort(connection, file.term, names)
        ledgers = [setup.ledger for setup, *_ in graded]
        counts = cohort.counts()
        written = write_exports(
            whole,
            exports,
            request.gradebook,
            again=repeated(whole),
            attention=common.attention_lines(connection),
            platforms=sorted({name for ledger in ledgers for name in ledger.platforms()}),
            entries=partial(entries.write_entries, ledgers),
        )
        text = [
            _summary(cohort, counts),
            *(_graded_lines(run) for run in graded),
            *(absent_lines(request, file) if file else ()),
            _closing(graded, counts, written),
        ]
        if request.entries:
            entries.write_entries(ledgers, request.entries)
        deliver(inert("\n".join(text)))
        unclaimed = _noted(connection, graded, file)
        errors = sum(count.outcomes[Outcome.ERROR] for count in counts.exercises)
        if errors:
            return _with_errors(graded, cohort, errors)
    passed = all(
        count.outcomes[Outcome.PASS] + count.outcomes[Outcome.EXCUSED] == counts.standings
        for count in counts.exercises
    )
    open_entries = any(
        setup.ledger.counts().keys() & {UNMATCHED, UNRESOLVED} for setup, *_ in graded
    )
    return PASSED if passed and not (open_entries or unclaimed) else FAILED


def _summary(cohort: TermCohort | GradebookCohort, counts: Counts) -> str:
    """Return the table of a cohort, a row for each exercise, or for each assignment of a term."""
    points = [info.points for info in cohort.exercises]
    rostered, attempts = cohort.has_roster, cohort.attempts_all
    return table(counts, points, rostered=rostered, attempts=attempts, of=cohort.unit)


def _noted(
    connection: sqlite3.Connection, graded: Sequence[GradedAssignment], file: TermFile | None
) -> bool:
    """Say what a person must look at; return whether anything belongs to nobody any more."""
    for setup, *_ in graded:
        name = setup.request.assignment
        where = f"{visible(name)}: " if name else ""
        for line in entries.entry_lines(setup.ledger, rostered=setup.intake.roster is not None):
            common.note(f"{where}{line}")
    if file is not None:
        for setup, run, _ in graded:
            note_untimed(connection, file, setup.request.assignment, run)
    unclaimed = common.note_unclaimed(connection)
    common.note_mixed(connection)
    return unclaimed


def _with_errors(graded: Sequence[GradedAssignment], cohort: Cohort, errors: int) -> int:
    for line in error_lines(cohort, errors):
        common.note(line)
    what = f"{errors:,} result{'s are errors' if errors > 1 else ' is an error'}"
    what += "; an error never counts as a zero"
    crashes = [crash for assignment in graded for crash in assignment.tally.crashes]
    return common.ended_by_errors(what, crashes, graded[0].setup.request.course)


def _graded_lines(graded: GradedAssignment) -> str:
    """Return how many submissions of an assignment were graded, and what its entries are."""
    unchanged = graded.tally.counts[UNCHANGED]
    line = f"{counted(graded.tally.counts.total() - unchanged, 'submission')} graded"
    if unchanged:
        line += f", {unchanged:,} unchanged since an earlier run"
    lines = [line, entries.counts_line(graded.setup.ledger)]
    if name := graded.setup.request.assignment:
        lines = [f"{visible(name)}: {text}" for text in lines]
    return "\n".join(lines)


def _closing(graded: Sequence[GradedAssignment], counts: Counts, written: Sequence[str]) -> str:
    request = graded[0].setup.request
    lines = []
    if counts.late:
        what = "see --csv or --html"
        deducted = "" if request.assignment else ": no points are deducted"
        lines.append(f"{counts.late:,} late ({what}){deducted}")
    lines.append(f"gradebook: {visible(request.gradebook, 300)}")
    lines += [f"written: {visible(path, 300)}" for path in written]
    return "\n".join(lines) + "\n"
