"""Grades one exercise on one submission: here, or in a process that has limits."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from pipeline.terminal.host import Host
from verify import catalog
from verify.artifacts import Context
from verify.files import NoSubmission, Unresolved
from verify.model import PASSED, Report, Result
from verify.runner import grade
from verify.submission import open_folder, open_submission

if TYPE_CHECKING:
    from collections.abc import Callable

    from verify.batch.limits import Failed
    from verify.levels import Provenance
    from verify.model import Exercise, Verdict
    from verify.submission import Submission


class Task(NamedTuple):
    """What to grade, in plain values: it is sent to another process.

    `is_own` is the learner's own repository, which is its own root. `records` has the records of
    agents' clients looked for, `witness_key` the statements that are signed by this key, in PEM.
    """

    path: str
    level: str
    number: str
    course: str = ""
    target: str | None = None
    issue: str | None = None
    strict: bool = False
    is_own: bool = False
    records: bool = False
    witness_key: str = ""


class Answer(NamedTuple):
    """What came of a task: the check's code, its verdict and what it waits for, check by check.

    `refused` says why there is no submission.
    """

    results: tuple[tuple[str, Verdict, str], ...] = ()
    provenance: Provenance | None = None
    unresolved: Unresolved | None = None
    refused: str = ""


class NotGraded(Exception):
    """The process that graded failed, or took more than it may: `failed` says how."""

    def __init__(self, failed: Failed, course: str = "") -> None:
        super().__init__(failed.reason)
        self.failed, self.course = failed, course


def exercise_of(task: Task) -> Exercise:
    """Return the exercise of a task; raises `UnknownExercise`."""
    return catalog.find(task.level, task.number, task.course, target=task.target, issue=task.issue)


def report_of(task: Task) -> Report:
    """Return the report of a task. Own courses, archives and histories take a process of their own.

    Raises:
        NoSubmission: what the task names is not there, or cannot be opened.
        NotGraded: no report came.
        UnknownExercise, MalformedIssue: as the course says.
    """
    exercise = exercise_of(task)
    catalog.issue_of(exercise, task.course)  # what is wrong with the course is said here
    asks_history = any(check.needs_history for check in exercise.checks)
    answer = None
    here = not (task.course or asks_history)  # an instructor's checks may end the process
    if here and (task.is_own or os.path.isdir(task.path)):
        answer = _answer(task, archives=False)
    if answer is None:
        answer = _answer_of_child(task)
    if answer.refused:
        raise NoSubmission(answer.refused)
    if answer.results and len(answer.results) < len(exercise.checks):
        exercise = exercise.without_history
    checks = {check.code: check for check in exercise.checks}
    results = tuple(
        Result(checks[code], PASSED if verdict == PASSED else verdict, waits_for)
        for code, verdict, waits_for in answer.results
    )
    return Report(exercise, task.path, results, task.strict, answer.provenance, answer.unresolved)


def _answer_of_child(task: Task) -> Answer:
    from verify.batch.limits import Failed, Limits
    from verify.batch.workers import run_one

    answer = run_one(answered, task, Limits())
    if isinstance(answer, Failed):
        raise NotGraded(answer, task.course)
    return answer


def answered(task: Task, again: bool = False) -> Answer:  # noqa: FBT001, FBT002  # as workers call
    """Return what comes of a task, in this process; `again` leaves its history unread."""
    answer = _answer(task, history=not again)
    assert answer is not None  # noqa: S101  # all archives are opened here
    return answer


def _answer(task: Task, *, history: bool = True, archives: bool = True) -> Answer | None:
    """Return what comes of a task, None where an archive was left closed."""
    exercise = exercise_of(task)
    try:
        with (
            open_folder(task.path)
            if task.is_own
            else open_submission(task.path, exercise.paths, history=history, archives=archives)
        ) as submission:
            report = graded(task, exercise, submission)
            if submission.left_closed:
                return None
    except NoSubmission as error:
        return Answer(refused=str(error))
    except Unresolved as error:
        return Answer(unresolved=error)
    results = tuple((each.check.code, each.verdict, each.waits_for) for each in report.results)
    return Answer(results, report.provenance)


def graded(
    task: Task,
    exercise: Exercise,
    submission: Submission,
    door: Callable[[Submission], Submission] = lambda submission: submission,
) -> Report:
    """Return the report on an open submission; `door` may put something before it.

    Raises:
        NoSubmission, Unresolved: it cannot be read (any more).
    """
    context = Context(exercise, door(submission), catalog.issue_of(exercise, task.course), Host())
    report = grade(context, strict=task.strict)
    return report._replace(provenance=_provenance(task, context, report))


def _provenance(task: Task, context: Context, report: Report) -> Provenance | None:
    """Return how far the artifacts can be traced, None where there is nothing to say."""
    looks = task.records or bool(task.witness_key)
    if not looks and not any(check.evidence for check in report.exercise.checks):
        return None  # what most runs do not need is not imported
    from verify.provenance.assessing import assess
    from verify.provenance.look import look_for

    return assess(context, report.results, look_for(records=looks, key=task.witness_key))
