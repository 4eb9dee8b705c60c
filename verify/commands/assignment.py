"""One assignment of `verify batch`: what is asked for, checked, graded and recorded."""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from pipeline.terminal.display import visible
from verify.batch.cohort import other_exercise
from verify.batch.job import Job, prepared, rules_of, with_rules
from verify.batch.run import interrupts
from verify.child.limits import Interrupted
from verify.commands import entries, workers
from verify.commands import gradebook_command as common
from verify.course import catalog
from verify.gradebook.copies import compared_in
from verify.gradebook.keeping import changes, keep_attention, keep_grades, keep_term, loss
from verify.gradebook.reading import Submissions, unresolved_places
from verify.gradebook.recording import RunRecorder
from verify.gradebook.records import Learner
from verify.gradebook.store import transaction, writing
from verify.grading.ways import CONTAINER
from verify.learner.check import UsageError, witness_pem

if TYPE_CHECKING:
    import sqlite3
    from argparse import Namespace
    from collections.abc import Iterator

    from verify.batch.progress import Progress
    from verify.batch.run import GradingRun
    from verify.gradebook.records import FoundSubmission
    from verify.gradebook.term_file import TermFile
    from verify.intake.ledger import Ledger


class BatchSetup(NamedTuple):
    """What is asked for of one assignment, checked."""

    request: Namespace
    job: Job
    intake: entries.Intake  #: the roster and the decisions
    ledger: Ledger  #: the entries of all collections


class GradedAssignment(NamedTuple):
    """An assignment that has been graded."""

    setup: BatchSetup
    run: int  #: its id in the gradebook
    tally: Progress


def job_of(request: Namespace) -> Job:
    """Return what is graded in each submission; refuses what does not exist."""
    course = os.path.abspath(request.course) if request.course else ""
    names = catalog.canonical(request.exercises, course)
    key = witness_pem(request.witness_key)
    way = workers.way_of_others(
        names, course, request.run, request.jail, run_tests=request.run_tests
    )
    job = Job(names, (), course, request.target, request.issue, request.strict)
    job = job._replace(
        provenance=request.provenance or bool(key),
        witness_key=key,
        run=way,
        run_tests=request.run_tests,
        near_copies=request.near_copies,
    )
    job = with_rules(job)
    prepared(job)
    return job


def prepare(request: Namespace, job: Job) -> BatchSetup:
    """Return whose each entry is; refuses a collection that does not fit."""
    intake = entries.Intake(request)
    ledger = intake.ledger()
    entries.refuse_wrong_roster(ledger, intake.roster)
    if request.checks_exercise and (likelier := other_exercise(job, ledger)):
        names = " or ".join(job.exercises)
        what = f"most submissions have artifacts of {likelier}, and none of {names}"
        if request.assignment:
            what = f"{visible(request.assignment)}: {what}"
        step = f"use --exercise {likelier}, also beside the others, or add --no-exercise-check"
        step += " to grade them anyway"
        raise UsageError(f"{what}: {step}; nothing was written")
    return BatchSetup(request, job, intake, ledger)


def grade(setup: BatchSetup, file: TermFile | None) -> GradedAssignment:
    """Grade an assignment into the gradebook; raises `Interrupted`, `StopRun` and `Fault`."""
    request, job = setup.request, setup.job
    with interrupts() as interrupted, writing(request.gradebook) as connection:
        run = workers.run_of(job, request, interrupted)
        with transaction(connection):  # if the collections cannot be listed, there is no run
            if file is not None:
                keep_term(connection, file.path, file.document)
            keep_grades(connection, request.assignment)
            recorder = _begun(setup, connection)
            _record_submissions(setup, connection, recorder, run)
            if not request.replace and (lost := loss(connection)):
                what = f"this run would drop the results of {lost}, or add --replace to drop them"
                raise UsageError(f"{what}; nothing was written")
        rules = list(zip(job.exercises, job.rules, strict=True))
        latest = request.attempts == "latest"
        submissions = Submissions(connection, recorder.run, rules, latest=latest)
        if job.run == CONTAINER and len(submissions) > 1:
            what = f"a container is made for one submission, and there are {len(submissions):,}"
            raise UsageError(f"--jail=container: {what}")
        pending = (
            submission if request.resume else submission._replace(known=())
            for submission, _ in submissions
        )
        try:
            tally = run.carry_out(pending, len(submissions), recorder.record, setup.ledger.stamps)
        finally:  # also of a run that is interrupted
            if changed := changes(connection, request.assignment):
                where = f"{visible(request.assignment)}: " if request.assignment else ""
                common.note(f"{where}{changed}")
        recorder.finish(common.now())
        setup.ledger.unresolve(unresolved_places(connection, recorder.run))
        keep_attention(connection, recorder.run, entries.open_lines(setup.ledger))
    return GradedAssignment(setup, recorder.run, tally)


def _begun(setup: BatchSetup, connection: sqlite3.Connection) -> RunRecorder:
    request, job = setup.request, setup.job
    recorder = RunRecorder(connection, common.user(), request.assignment)
    options = job._asdict() | {"attempts": request.attempts, "naming": request.layout or ""}
    options["platforms"] = setup.ledger.platforms()
    del options["rules"]
    recorder.begin(
        "grade",
        started=common.now(),
        sources=list(setup.ledger.stamps),
        options=options,
        rules=rules_of(job),
        compared=[compared_in(exercise.exercise, job.course) for exercise in prepared(job)],
    )
    return recorder


def _record_submissions(
    setup: BatchSetup, connection: sqlite3.Connection, recorder: RunRecorder, run: GradingRun
) -> None:
    """Record who is in the class, and whose submissions there are; raises `Interrupted`."""
    request, ledger = setup.request, setup.ledger
    setup.intake.store(connection)
    if setup.intake.roster is None:  # a manifest with a missing submission says who is in the class
        recorder.enrol(Learner(key).row for key in ledger.absent())
    setup.intake.tell(ledger)
    compared = partial(
        entries.digests,
        limits=run.limits,
        jobs=run.jobs or 1,
        stopping=lambda: bool(run.interrupted()),
    )

    def rows() -> Iterator[FoundSubmission]:
        for submission in ledger.submissions(compared, attempts_all=request.attempts == "all"):
            if code := run.interrupted():
                raise Interrupted("this run has graded nothing yet", code)
            yield submission

    recorder.add_submissions(rows())
