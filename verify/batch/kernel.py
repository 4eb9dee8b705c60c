"""Grades one submission: a pure function of its files, which any worker may carry out."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from pipeline.terminal.crash import OURS, OWN_CHECKS
from pipeline.terminal.display import visible
from verify import catalog
from verify.artifacts import Context
from verify.batch.findings import kept, rows_of
from verify.batch.flawless import NO_HOST, flawless
from verify.batch.flawless import record_of as at_once
from verify.batch.limits import StopRun, Unfit
from verify.batch.rules import RulesDiffer, digest_of
from verify.batch.witness import UNOPENED, Witness, answers_to, unopened_answer
from verify.files import NoSubmission, Unresolved
from verify.fingerprint import fingerprint_of
from verify.gradebook.records import FindingRow, Record
from verify.gradebook.stored import WORDS
from verify.intake.collection import CollectionChanged, replaced
from verify.intake.opening import is_gone, open_entry, stamp_for
from verify.model import Outcome
from verify.runner import grade
from verify.submission import Rooted

if TYPE_CHECKING:
    from pipeline.protocol.issue import Issue
    from verify.batch.flawless import Flawless
    from verify.model import Exercise, Report
    from verify.provenance.look import Look
    from verify.submission import Submission

RESUBMIT = "Submit it again, whole."
SETTLE = "Give --decisions a CSV file with the columns entry and learner."
_LETTERS = {Outcome(word): letter for letter, word in WORDS.items()}


class Job(NamedTuple):
    """What is asked of every submission of a run; `rules` are the exercises' digests, in order.

    `exercises` are names such as `expert/04`; `course` is the folder of an instructor's own
    course, empty for the one that comes with the project. `provenance` asks for the levels of
    provenance; with it `witness_key` is the PEM text of the public key that signed statements are
    checked with, empty for none.
    """

    exercises: tuple[str, ...]
    rules: tuple[str, ...]
    course: str = ""
    target: str | None = None
    issue: str | None = None
    strict: bool = False
    provenance: bool = False
    witness_key: str = ""


class Item(NamedTuple):
    """One submission: its id in the gradebook, and where it is (see `open_entry`).

    `known` has the questions and answers of each exercise that was graded before under the same
    rules, None for any other; it is empty if nothing is known of any. One with a `conflict` is not
    opened.
    """

    id: int
    kind: str
    container: str
    inner: str
    stamp: tuple[int, ...] = ()
    known: tuple[tuple[str, bytes] | None, ...] = ()
    conflict: str = ""


class Graded(NamedTuple):
    """What came of one submission: one record an exercise, None if it is known and unchanged."""

    id: int
    records: tuple[Record | None, ...]


class Asked(NamedTuple):
    """One exercise of a job, as it is graded; `look` is None where no level is asked for."""

    exercise: Exercise
    paths: tuple[str, ...]
    issue: Issue | None
    strict: bool
    right: Flawless
    look: Look | None


def grade_item(job: Job, item: Item, *, again: bool = False) -> Graded:
    """Return what came of a submission; `again`: it ended its worker, and no history is read.

    Raises:
        RulesDiffer: the check code or the course is not that of the job.
        Unfit: the collection is gone, or was replaced.
        MemoryError: the submission needs more memory than there is.
    """
    asked = asked_of(job)
    records: tuple[Record | None, ...]
    try:
        records = _records(asked, item, again=again)
    except Unresolved as error:
        records = _unresolved(asked, item, unresolved(str(error), error.step))
    except CollectionChanged as error:
        raise Unfit(str(error)) from None
    except NoSubmission as error:
        if is_gone(item.kind, item.container):
            raise Unfit(f"{visible(item.container, 300)} is not there any more") from None
        records = _unresolved(asked, item, unresolved(f"the submission {error}", RESUBMIT))
    except (StopRun, MemoryError):
        raise
    except Exception as error:  # noqa: BLE001  # what is raised here is our fault: a result
        records = tuple(broken(each, error, job.course) for each in asked)
    if item.stamp and stamp_for(item.kind, item.container) != item.stamp:
        raise Unfit(replaced(item.container))  # what was read may be of either
    return Graded(item.id, records)


_Row = tuple[int, list[tuple[Any, ...] | None]]


def grade_row(job: Job, item: tuple[Any, ...], again: bool) -> _Row:  # noqa: FBT001  # as workers call it
    """Return what `grade_item` returns, as plain tuples.

    A named tuple is pickled with its class, one by one: that costs more than grading it.
    """
    graded = grade_item(job, Item._make(item), again=again)
    return graded.id, [record and tuple(record) for record in graded.records]


@lru_cache(maxsize=8)
def asked_of(job: Job) -> tuple[Asked, ...]:
    """Return a job's exercises, found once in a process.

    Raises:
        RulesDiffer: as `grade_item`.
        UnknownExercise, MalformedIssue: the course does not have them.
    """
    asked = tuple(_asked(name, job) for name in job.exercises)
    digests = tuple(digest_of(each.exercise.name, options_of(job), job.course) for each in asked)
    if job.rules != digests:
        raise RulesDiffer("a worker has other checks, another course or other versions installed")
    return asked


def _asked(name: str, job: Job) -> Asked:
    level, _, number = name.partition("/")
    found = catalog.find(level, number, job.course, target=job.target, issue=job.issue)
    exercise = found.for_cohort()
    look = None
    if job.provenance:
        from verify.provenance.look import look_for

        look = look_for(records=True, key=job.witness_key)
    issue = catalog.issue_of(exercise, job.course)
    return Asked(exercise, exercise.paths, issue, job.strict, flawless(exercise), look)


def options_of(job: Job) -> dict[str, str | bool | None]:
    """Return the options of a job that decide a grade."""
    return {
        "target": job.target,
        "issue": job.issue,
        "strict": job.strict,
        "provenance": job.provenance,
        "witness_key": job.witness_key,
    }


def _records(asked: tuple[Asked, ...], item: Item, *, again: bool) -> tuple[Record | None, ...]:
    if item.conflict:
        raise Unresolved(item.conflict, SETTLE)
    content = open_entry(item.kind, item.container, item.inner, item.stamp)
    doors = [Rooted(content, each.paths, history=not again) for each in asked]
    try:
        return tuple(
            None
            if before is not None and answers_to(before[0], door) == before[1]
            else record_of(each, door)
            for each, door, before in zip(
                asked, doors, item.known or (None,) * len(asked), strict=True
            )
        )
    finally:
        for door in doors:
            door.close()


def _unresolved(asked: tuple[Asked, ...], item: Item, record: Record) -> tuple[Record | None, ...]:
    same = (record.questions, record.answers)
    known = item.known or (None,) * len(asked)
    return tuple(None if before == same else record for before in known)


def record_of(asked: Asked, door: Submission) -> Record:
    """Grade one exercise on one submission.

    Raises:
        NoSubmission: it cannot be opened.
    """
    exercise, _, issue, strict, right, look = asked
    record = at_once(right, exercise, issue, door) if look is None else None
    if record is not None:
        return record
    witness = Witness(door)
    context = Context(exercise, witness, issue, NO_HOST)
    report = grade(context, strict=strict)
    level = "" if look is None else _level(context, report, look)
    fingerprint = b"" if report.crashed else fingerprint_of(context, right.compared)
    return _recorded(report, witness, level)._replace(fingerprint=fingerprint)


def _level(context: Context, report: Report, look: Look) -> str:
    """Return the level of provenance; what is read for it is among what was asked."""
    from verify.provenance.assessing import assess

    found = assess(context, report.results, look)
    return "" if found is None else found.level.code


def _recorded(report: Report, witness: Witness, level: str) -> Record:
    crashed = report.crashed
    outcome = "error" if crashed else "pass" if report.passed else "fail"
    return Record(
        outcome,
        None if crashed else _score(report),
        "".join(_LETTERS[result.outcome] for result in report.results),
        witness.questions,
        witness.answers,
        rows_of(report, witness.held),
        "\n".join(result.verdict.crash for result in crashed),
        level,
    )


def _score(report: Report) -> int:
    """Return the score out of the exercise's points, which are the same for everybody.

    Where checks were not asked, what was earned of the others is scaled, and rounded down.
    """
    if not report.points:
        return report.score
    return report.score * report.exercise.points // report.points


def unresolved(reason: str, next_step: str) -> Record:
    """Return the record of a submission that a person has to look at; it has no score."""
    finding = FindingRow(0, 0, kept(reason), next_step=kept(next_step))
    return Record("unresolved", None, "", UNOPENED, unopened_answer(reason), (finding,))


def broken(asked: Asked, error: Exception, course: str = "") -> Record:
    """Return the record of a submission that could not be graded: it has no score."""
    import traceback  # a crash is rare, a start is not

    message = f"grading itself failed ({type(error).__name__}): {OWN_CHECKS if course else OURS}"
    then = "Look at the log file" if course else "Report it with the log file"
    step = f"{then}; grade it again once it is fixed."
    finding = FindingRow(0, 0, message, next_step=step)
    crash = "".join(traceback.format_exception(error))
    outcomes = "e" * len(asked.exercise.checks)
    return Record("error", None, outcomes, UNOPENED, b"", (finding,), crash)
