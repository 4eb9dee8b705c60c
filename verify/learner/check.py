"""Grades one submission: a request becomes a report, the report a text and an exit code."""

from __future__ import annotations

import os
from functools import partial, wraps
from typing import TYPE_CHECKING, Any, NamedTuple

from pipeline.bootstrap import ROOT
from pipeline.files import reason_of
from pipeline.protocol.issue import MalformedIssue
from pipeline.terminal.display import visible
from pipeline.terminal.exit_codes import BROKEN, FAILED, PASSED, UNUSABLE
from pipeline.terminal.fault import Fault
from pipeline.terminal.programs import installed_version
from pipeline.terminal.streams import broken, deliver, guarded, tell
from verify.course import catalog
from verify.grading.artifacts import Context
from verify.grading.model import Report, Result
from verify.grading.runner import grade
from verify.grading.ways import JAIL, Ran
from verify.learner.request import rendered
from verify.reporters.base import GradedRun
from verify.submissions.files import NoSubmission, Unresolved
from verify.submissions.submission import OpenSubmission, open_content

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from verify.child.limits import Failed
    from verify.grading.levels import Provenance
    from verify.grading.model import Exercise, Verdict
    from verify.learner.request import GradingRequest
    from verify.reporters.base import Rendered
    from verify.submissions.submission import Submission


class UsageError(Fault):
    """A request that cannot be carried out; the message says what is expected."""


class NotGraded(Exception):
    """The process that graded failed, or took more than it may: `failed` says how."""

    def __init__(self, failed: Failed, course: str) -> None:
        super().__init__(failed.reason)
        self.failed, self.course = failed, course


def command(work: Callable[..., int]) -> Callable[..., int]:
    """Decorate the work of a command, which is called with its options: see `carried_out`."""

    @wraps(work)
    def carried(**options: Any) -> int:
        return carried_out(lambda: work(**options), options.get("project"))

    return carried


def carried_out(work: Callable[[], int], project: str | None = None) -> int:
    """Return the exit code of a command's work; what cannot be done is one line on stderr."""
    return guarded(lambda: _exit_code_of(work, project))


def _exit_code_of(work: Callable[[], int], project: str | None) -> int:
    try:
        return work()
    except MalformedIssue as error:
        return broken(f"the course's own files are damaged: {error}")
    except Fault as fault:
        lines = fault.lines
    except NoSubmission as error:
        lines = (f"--project {visible(ROOT if project is None else project, 300)} {error}",)
    except Unresolved as error:
        lines = (f"{error.reason}. {error.step}",)
    except NotGraded as error:
        failed = error.failed
        if failed.crash:
            return broken(failed.reason, failed.crash, course=error.course)
        tell(f"verify: {visible(failed.reason, 500)}")
        return BROKEN
    for line in (f"verify: {lines[0]}", *lines[1:]):
        tell(visible(line, 2_000))
    return UNUSABLE


def execute(request: GradingRequest) -> int:
    """Carry out a request and return the exit code: 0, 1, 2, 3 or 130 as documented."""

    def work() -> int:
        run = _graded(request)
        _publish(rendered(request, run))
        if request.number is not None:
            keep(request, run.reports[0])
        code = exit_code(run, request.course)
        return PASSED if code == FAILED and run.overview and request.console else code

    return carried_out(work, request.project)


def _graded(request: GradingRequest) -> GradedRun:
    if request.hint and request.format != "table":
        raise UsageError("--hint works only with the table: the other formats always show hints")
    if request.number is not None:
        return GradedRun(request.level, tuple(reports_of([request])))
    if request.target or request.issue or request.hint:
        raise UsageError("--target, --issue and --hint need one exercise: add --exercise NN")
    if request.format != "table" and not request.level:
        raise UsageError(f"--format needs a level, such as {catalog.levels(request.course)[0]}")
    requests = [
        request._replace(level=level, number=str(exercise.number))
        for level in ([request.level] if request.level else catalog.levels(request.course))
        for exercise in catalog.level(level, request.course)
    ]
    return GradedRun(request.level, tuple(reports_of(requests)), overview=True)


class Answer(NamedTuple):
    """The results of a request, as they are sent between processes: a check itself cannot be."""

    results: tuple[tuple[str, Verdict, str], ...] = ()  #: the check's code, its verdict, and what
    #: it waits for, in order
    provenance: Provenance | None = None
    unresolved: Unresolved | None = None
    refused: str = ""  #: why nothing was graded
    ran: Ran | None = None


def report_of(request: GradingRequest) -> Report:
    """Return the report on one exercise; see `reports_of`."""
    [report] = reports_of([request])
    return report


def reports_of(requests: Sequence[GradingRequest]) -> list[Report]:
    """Return the report on each exercise; the requests differ in nothing else.

    Own courses, archives and histories are graded in a separate process, which serves several: an
    instructor's checks may end the process, and hostile files may make it endless. Raises
    `NoSubmission` and `NotGraded`.
    """
    seeded = [_checked(request) for request in requests]
    reports = [_report_here(request) for request in seeded]
    pairs = zip(seeded, reports, strict=True)
    answers = _answers_elsewhere([request for request, report in pairs if report is None])
    return [
        _report_of(request, next(answers)) if report is None else report
        for request, report in zip(seeded, reports, strict=True)
    ]


def _checked(request: GradingRequest) -> GradingRequest:
    """Return a request with its seed; a damaged course or a wrong key is refused here."""
    exercise = request.exercise()
    catalog.issue_of(exercise, request.course)
    _witness_key(request)
    return with_seed(request, exercise)


def _report_here(request: GradingRequest) -> Report | None:
    """Return the report on what may be graded in this process, None on anything else."""
    compares_git = any(check.compares_git for check in request.exercise().checks)
    if request.course or compares_git:
        return None
    is_folder = request.project is None or os.path.isdir(request.root)
    return _report(request, archives=False) if is_folder else None


def _report_of(request: GradingRequest, answer: Answer) -> Report:
    exercise = request.exercise()
    if answer.refused:
        raise NoSubmission(answer.refused)
    if answer.results and len(answer.results) < len(exercise.checks):
        exercise = exercise.without_history
    checks = {check.code: check for check in exercise.checks}
    results = tuple(
        Result(checks[code], verdict, waits_for) for code, verdict, waits_for in answer.results
    )
    return Report(
        exercise,
        request.root,
        results,
        request.strict,
        answer.provenance,
        answer.unresolved,
        answer.ran,
    )


def _answers_elsewhere(requests: Sequence[GradingRequest]) -> Iterator[Answer]:
    if not requests:
        return
    from verify.child.limits import Failed, Limits
    from verify.child.workers import run_few

    limits = Limits()
    if requests[0].run:
        from verify.running.service import BESIDE_GRADING

        limits = limits.extended(*BESIDE_GRADING)
    for request, answer in zip(requests, run_few(answer_of, requests, limits), strict=True):
        if not isinstance(answer, Failed):
            yield answer
        elif answer.is_large and not request.course:
            yield Answer(unresolved=Unresolved(answer.reason, answer.step))
        else:
            raise NotGraded(answer, request.course)


def answer_of(request: GradingRequest, again: bool = False) -> Answer:  # noqa: FBT001, FBT002  # as workers call
    """Return a request's results, graded in this process; `again` leaves its history unread."""
    try:
        report = _report(request, history=not again)
    except NoSubmission as error:
        return Answer(refused=str(error))
    assert report is not None  # noqa: S101  # all archives are opened here
    results = tuple(
        (result.check.code, result.verdict, result.waits_for) for result in report.results
    )
    return Answer(results, report.provenance, report.unresolved, ran=report.ran)


def _report(
    request: GradingRequest, *, history: bool = True, archives: bool = True
) -> Report | None:
    """Return the report on one exercise, None where an archive was left closed."""
    exercise = request.exercise()
    paths = () if request.project is None else exercise.paths  # the course is its own root
    try:
        content = open_content(request.root)
        with OpenSubmission(content, paths, history=history, archives=archives) as submission:
            if request.run and submission.located() and submission.left_closed:
                return None  # before anything is started
            report = graded(request, exercise, submission)
            return None if submission.left_closed else report
    except Unresolved as error:
        return Report(exercise, request.root, (), request.strict, unresolved=error)


def graded(request: GradingRequest, exercise: Exercise, submission: Submission) -> Report:
    """Return the report on an open submission; raises `NoSubmission`, `Unresolved`."""
    issue = catalog.issue_of(exercise, request.course)
    owner = partial(catalog.exercises_in, course=request.course)
    context = Context(exercise, submission, issue, installed_version, exercises_in=owner)
    if request.run:
        from verify.running.criteria import ask

        ask(context, request.course, request.ran)
    report = grade(context, strict=request.strict)
    report = report._replace(ran=request.ran if request.run else None)
    key = _witness_key(request)
    if key is None and not any(check.compares_git for check in report.exercise.checks):
        return report  # what most runs do not need is not imported
    from verify.grading.provenance import assess

    return report._replace(provenance=assess(context, report.results, key))


def with_seed(request: GradingRequest, exercise: Exercise) -> GradingRequest:
    """Return a request with the seed of its run, if it has one.

    Raises `UsageError`: the options do not fit, or the machine lacks what a run needs.
    """
    if not (request.run or request.jail or request.run_tests or request.seed is not None):
        return request
    from verify.running.criteria import lacking, new_seed

    if (request.jail and request.run != JAIL) or not request.run:
        raise UsageError("--jail, --seed and --run-tests need --run")
    if line := lacking(exercise, request.course, request.ran.way):
        raise UsageError(f"the service cannot be run: {line}")
    return request._replace(seed=new_seed()) if request.seed is None else request


def _witness_key(request: GradingRequest) -> str | None:
    """Return the key for `assess`; raises `Fault`."""
    is_asked = request.provenance or request.witness_key
    return witness_pem(request.witness_key) if is_asked else None


def witness_pem(path: str) -> str:
    """Return the text of the key that a run was witnessed by, empty for no path; raises `Fault`."""
    if not path:
        return ""
    from pipeline.signing.keys import public_pem

    return public_pem(path)


def keep(request: GradingRequest, report: Report) -> None:
    """Record a run of one exercise, if it is about the learner's own work."""
    if request.is_own and report.begun and not report.crashed:
        from verify.learner.progress import note_run

        note_run(
            report.exercise.name, passed=report.passed, score=report.score, points=report.points
        )


def exit_code(run: GradedRun, course: str) -> int:
    """Return the exit code of a run; checks that crashed are reported on stderr."""
    crashed = [result for report in run.reports for result in report.crashed]
    crashes = [result.verdict.crash for result in crashed if result.verdict.crash]
    if crashed and not crashes:
        tell(f"verify: {visible(crashed[0].findings[0].message, 500)}")
        return BROKEN
    if crashes:
        what = f"{len(crashes)} check{'s' if len(crashes) > 1 else ''} crashed"
        return broken(what, "\n".join(crashes), course=course)
    return PASSED if all(report.passed for report in run.reports) else FAILED


def _publish(rendered: Rendered) -> None:
    deliver(rendered.text)
    path = os.environ.get("GITHUB_STEP_SUMMARY")
    if not (rendered.summary and path):
        deliver(rendered.summary)
        return
    try:
        with open(path, "a", encoding="utf-8") as page:
            page.write(rendered.summary)
    except OSError as error:
        raise UsageError(f"GITHUB_STEP_SUMMARY cannot be written: {reason_of(error)}") from None
