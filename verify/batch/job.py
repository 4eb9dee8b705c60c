"""Grades one submission: a pure function of its files, which any worker may carry out."""

from __future__ import annotations

from functools import lru_cache, partial
from typing import TYPE_CHECKING, NamedTuple

from pipeline.terminal.display import visible
from pipeline.terminal.programs import no_version
from pipeline.terminal.streams import blame
from verify.batch.cache import AccessRecorder, digests_of, rules_digest, unopened_digest
from verify.child.limits import CannotContinue, StopRun
from verify.course import catalog
from verify.gradebook.copies import artifacts_in, fingerprint_of
from verify.gradebook.records import SETTLE, Mark, Results, ungraded
from verify.grading.artifacts import Context
from verify.grading.model import AROUND, Finding, Outcome, Result
from verify.grading.runner import grade
from verify.grading.ways import Ran
from verify.intake.opening import is_gone, open_entry, stamp_for
from verify.intake.zip_collection import CollectionChanged, replaced
from verify.submissions.files import NoSubmission, Unresolved
from verify.submissions.submission import OpenSubmission

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pipeline.protocol.issue import Issue
    from verify.gradebook.records import CacheKey, Pending
    from verify.grading.model import Exercise, ExerciseInfo, Located, Report, Verdict
    from verify.intake.collection import Stamp
    from verify.submissions.submission import Submission

RESUBMIT = "Check that the submission is complete, and submit it again."
_WIDTH = 200  # characters of a line that are kept
_LONGEST = 2_000  # characters of a text that are kept


class Job(NamedTuple):
    """What each submission of a run is graded for."""

    exercises: tuple[str, ...]  #: names such as `expert/04`
    rules: tuple[str, ...]  #: the exercises' digests, in order
    course: str = ""  #: the folder of an instructor's own course, empty for the project's
    target: str | None = None  #: in place of the exercises', as the next one
    issue: str | None = None  #: None for the exercises'
    strict: bool = False  #: an advisory check that does not pass fails
    provenance: bool = False  #: the levels of provenance are asked for
    witness_key: str = ""  #: PEM text of the public key for signed statements, empty for none
    run: str = ""  #: the way in which services are run, empty for not at all
    run_tests: bool = False  #: so are the submissions' own tests
    near_copies: bool = False


class Graded(NamedTuple):
    """The result of one submission."""

    id: int  #: that of the `Pending` submission
    marks: tuple[Mark | None, ...]  #: for each exercise; None for one that is unchanged


class Prepared(NamedTuple):
    """One exercise of a job as it is graded."""

    job: Job
    exercise: Exercise
    info: ExerciseInfo  #: what the gradebook keeps of it
    paths: tuple[str, ...]  #: a submission's root is where one of them is
    compared: tuple[Located, ...]  #: artifacts that are compared with those of others
    issue: Issue | None  #: the course's text, None where it has none
    sketch: Callable[[Context], bytes] | None  #: of what near copies have in common


def grade_submission(job: Job, task: tuple[Pending, Stamp], again: bool) -> Graded:  # noqa: FBT001  # as workers call it
    """Return the result of one submission; the stamp is that of its collection, see `open_entry`.

    `again` says that it has ended its worker before: then no history is read.

    Raises:
        CannotContinue: the collection is gone or was replaced, or the check code or the course is
            not that of the job.
        MemoryError: the submission needs more memory than there is.
    """
    exercises = prepared(job)
    pending, stamp = task
    number, kind, container = pending[:3]
    known = pending.known or (None,) * len(exercises)
    marks: tuple[Mark | None, ...]
    try:
        marks = _marks(exercises, known, pending, stamp, history=not again)
    except Unresolved as error:
        marks = unresolved(exercises, str(error), error.step)
    except CollectionChanged as error:
        raise CannotContinue(str(error)) from None
    except NoSubmission as error:
        if is_gone(kind, container):
            raise CannotContinue(f"{visible(container, 300)} no longer exists") from None
        marks = unresolved(exercises, f"the submission {error}", RESUBMIT)
    except (StopRun, MemoryError):
        raise
    except Exception as error:  # noqa: BLE001  # our fault, and a result like any other
        marks = tuple(broken(exercise.info, error, job.course) for exercise in exercises)
    if stamp and stamp_for(kind, container) != stamp:
        raise CannotContinue(replaced(container))  # it may have been read before or after
    pairs = zip(marks, known, strict=True)
    return Graded(
        number,
        tuple([mark if mark and mark.cache_key != before else None for mark, before in pairs]),
    )


@lru_cache(maxsize=8)
def prepared(job: Job) -> tuple[Prepared, ...]:
    """Return a job's exercises, found once in a process.

    Raises `CannotContinue` and `UnknownExercise`.
    """
    exercises = tuple(_prepared(name, job) for name in job.exercises)
    if job != with_rules(job):
        raise CannotContinue(
            "a worker has different checks, a different course or different package versions"
        )
    return exercises


def _prepared(name: str, job: Job) -> Prepared:
    level, _, number = name.partition("/")
    found = catalog.find(level, number, job.course, target=job.target, issue=job.issue)
    asked = catalog.asking(found, job.course, tests=job.run_tests) if job.run else found
    exercise = asked.for_cohort()
    if job.witness_key:
        from pipeline.signing.keys import public_key

        public_key(job.witness_key.encode())  # no submission is to blame for a wrong one
    return Prepared(
        job,
        exercise,
        exercise.info,
        exercise.paths,
        artifacts_in(exercise),
        catalog.issue_of(exercise, job.course),
        _sketching(exercise, job.course) if job.near_copies else None,
    )


def _sketching(exercise: Exercise, course: str) -> Callable[[Context], bytes]:
    from verify.batch.sketching import folder_of, handed_out, sketch_in  # few runs ask for it

    known = handed_out(course, folder_of(exercise))
    return partial(sketch_in, artifacts_in(exercise), course, known)


def with_rules(job: Job) -> Job:
    """Return a job with the digests that its exercises are graded under here and now."""
    options = repr(job._replace(exercises=(), rules=(), course=""))
    if job.run:
        from verify.running.criteria import versions

        options += versions(job.exercises, job.course)
    return job._replace(rules=tuple(rules_digest(e, options, job.course) for e in job.exercises))


def rules_of(job: Job) -> list[tuple[ExerciseInfo, str]]:
    """Return a job's exercises, each with the digest that it is graded under; as `prepared`."""
    return [
        (exercise.info, digest) for exercise, digest in zip(prepared(job), job.rules, strict=True)
    ]


def _marks(
    exercises: tuple[Prepared, ...],
    known: tuple[CacheKey | None, ...],
    pending: Pending,
    stamp: Stamp,
    *,
    history: bool,
) -> tuple[Mark | None, ...]:
    if pending.conflict:
        raise Unresolved(pending.conflict, SETTLE)
    content = open_entry(*pending[1:4], stamp)
    opened = [OpenSubmission(content, exercise.paths, history=history) for exercise in exercises]
    try:
        return tuple(map(_mark, exercises, opened, known))
    finally:
        for submission in opened:
            submission.close()


def _mark(prepared: Prepared, submission: Submission, known: CacheKey | None) -> Mark | None:
    try:
        if known is not None and digests_of(known.reads, submission) == known.digests:
            return None
        return mark_of(prepared, submission)
    except Unresolved as error:  # another exercise may have a root
        return unresolved((prepared,), str(error), error.step)[0]


def mark_of(prepared: Prepared, submission: Submission) -> Mark:
    """Grade one exercise on one submission; raises `NoSubmission` and `Unresolved`."""
    job, recorder = prepared.job, AccessRecorder(submission)
    owner = partial(catalog.exercises_in, course=job.course)
    context = Context(prepared.exercise, recorder, prepared.issue, no_version, owner)
    if job.run and prepared.exercise.asks:
        from verify.running.criteria import ask, new_seed

        ask(context, job.course, Ran(job.run, new_seed(), job.run_tests))
    report = grade(context, strict=job.strict)
    level = ""
    if job.provenance:
        from verify.grading.provenance import assess

        found = assess(context, report.results, job.witness_key)
        level = "" if found is None else found.level.code
    mark = _mark_of(report, prepared.info, recorder.files)
    is_graded = mark.outcome is not Outcome.ERROR
    sketch = prepared.sketch(context) if prepared.sketch and is_graded else b""  # it reads more
    return mark._replace(
        reads=recorder.reads,
        digests=recorder.digests,
        provenance=level,
        fingerprint=fingerprint_of(context, prepared.compared) if is_graded else b"",
        sketch=sketch,
    )


def _mark_of(report: Report, info: ExerciseInfo, files: Mapping[str, bytes]) -> Mark:
    results = stored_results(report, info, files)
    if crashed := report.crashed:
        crashes = tuple(r.verdict.crash for r in crashed if r.verdict.crash)
        return Mark(info, Outcome.ERROR, None, results, crashes=crashes)
    outcome = Outcome.PASS if report.passed else Outcome.FAIL
    return Mark(info, outcome, _score(report), results)


def _score(report: Report) -> int:
    """Return the score, scaled to all points where checks do not apply, and rounded down."""
    points = report.points
    return report.score * report.exercise.points // points if points else report.score


def unresolved(
    exercises: tuple[Prepared, ...], reason: str, action: str
) -> tuple[Mark | None, ...]:
    """Return the marks of a submission that a person has to look at: they have no score."""
    mark = Mark(
        exercises[0].info,
        Outcome.UNRESOLVED,
        digests=unopened_digest(reason),
        reason=storable(reason),
        action=storable(action),
    )
    return tuple(mark._replace(exercise=exercise.info) for exercise in exercises)


def broken(exercise: ExerciseInfo, error: Exception, course: str = "") -> Mark:
    """Return the mark of a submission that could not be graded: it has no score."""
    import traceback  # a crash is rare, a start is not

    message = f"grading itself failed ({type(error).__name__}): {blame(course)}"
    then = "Look at the log file" if course else "Report this with the log file"
    finding = Finding(message, action=f"{then}, and grade the submission again after the fix.")
    return ungraded(exercise, finding, "".join(traceback.format_exception(error)))


def stored_results(report: Report, info: ExerciseInfo, files: Mapping[str, bytes]) -> Results:
    """Return results as a gradebook keeps them."""
    results = [
        Result(result.check, _stored(result.verdict, files), result.waits_for)
        if result.verdict.findings
        else result
        for result in report.results
    ]
    return Results.of(info.checks, results)


def _stored(verdict: Verdict, files: Mapping[str, bytes]) -> Verdict:
    """Return a verdict with findings to store; the last one says how many were left out."""
    findings = [_finding(finding, files.get(finding.file, b"")) for finding in verdict.findings]
    if verdict.more:
        findings.append(Finding(f"and {verdict.more} more like these"))
    return verdict._replace(findings=tuple(findings), more=0)


def _finding(finding: Finding, data: bytes) -> Finding:
    values = [storable(value) if isinstance(value, str) else value for value in finding]
    return Finding._make(values)._replace(excerpt=_excerpt(data, finding))


def storable(text: str) -> str:
    """Return a text that a database accepts: no lone surrogate, no NUL, not too long."""
    whole = text[:_LONGEST].encode("utf-8", "backslashreplace").decode()
    return whole.replace("\0", "\\x00")


def _excerpt(data: bytes, finding: Finding) -> str:
    """Return the lines around a finding, counted as `pipeline.protocol.problems` counts them."""
    if not finding.line or not data:
        return ""
    lines = data.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    around = lines[finding.first_line - 1 : finding.line + AROUND]
    shown = (text.decode("utf-8", "replace").rstrip("\r")[:_WIDTH] for text in around)
    return "\n".join(map(storable, shown))
