"""Carries out a grading request: finds, grades, reports, and returns the exit code."""

from __future__ import annotations

import os
import shlex
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

from pipeline.bootstrap import ROOT, called, from_here
from pipeline.protocol.issue import MalformedIssue
from pipeline.terminal.crash import OURS, OWN_CHECKS, broken, fenced
from pipeline.terminal.display import inert, visible
from pipeline.terminal.exit_codes import BROKEN, FAILED, PASSED, UNUSABLE
from pipeline.terminal.streams import can_show, columns, deliver, guarded, printable_streams, tell
from verify import catalog
from verify.check import NotGraded, Task, exercise_of, graded, report_of
from verify.files import NoSubmission, Unresolved
from verify.reporters.base import Rendered, Run, View
from verify.reporters.registry import reporter
from verify.request import Request, UsageError
from verify.submission import open_folder, open_submission

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from verify.model import Exercise, Report
    from verify.progress import Line
    from verify.submission import Submission
    from verify.watching.keys import Keys
    from verify.watching.notices import Notices
    from verify.watching.screen import Screen


def execute(request: Request) -> int:
    """Carry out a request and return the exit code: 0, 1, 2, 3 or 130 as documented."""
    return carried_out(lambda: _execute(request), request.project)


def carried_out(work: Callable[[], int], project: str | None) -> int:
    """Return the exit code of a command's work; what cannot be done is one line on stderr."""
    printable_streams()
    return guarded(lambda: fenced(lambda: _answered(work, project)))


def _answered(work: Callable[[], int], project: str | None) -> int:
    try:
        return work()
    except (catalog.UnknownExercise, UsageError) as error:
        return _refuse(str(error))
    except NoSubmission as error:
        return _refuse(_no_submission(project, error))
    except MalformedIssue as error:
        return broken(f"the course's own files are damaged: {error}")
    except NotGraded as error:
        return _not_graded(error)


def _not_graded(error: NotGraded) -> int:
    if error.failed.crash:
        blame = OWN_CHECKS if error.course else OURS
        return broken(error.failed.reason, error.failed.crash, blame=blame)
    tell(inert(f"verify: {visible(error.failed.reason, 500)}"))
    return BROKEN


def _no_submission(project: str | None, error: NoSubmission) -> str:
    return f"--project {visible(root_of(project), 300)} {error}"


def _execute(request: Request) -> int:
    if request.watch:
        return _watched(request)
    run = _graded(request)
    _publish(_rendered(request, run))
    if request.number is not None:
        _keep(request, run.reports[0])
    return _exit_code(run, request.course)


def _rendered(request: Request, run: Run) -> Rendered:
    return reporter(request.format)(run, _view(request, run))


def _watched(request: Request) -> int:
    """Grade an exercise again after each change, and the next one where it is asked for."""
    from verify.watching.keys import Keys
    from verify.watching.notices import Notices
    from verify.watching.screen import Screen

    if request.number is None:
        raise UsageError("--watch goes with one exercise: add --exercise NN")
    if request.format != "table":
        raise UsageError("--watch goes with the table: the other formats are for programs")
    with Keys() as keys, Notices(keys) as notices:
        watched: Request | None = request
        screen = Screen()
        while watched is not None:
            run, watched = _watched_one(watched, screen, notices, keys)
    return _exit_code(run, request.course)


def _watched_one(
    request: Request, screen: Screen, notices: Notices, keys: Keys
) -> tuple[Run, Request | None]:
    """Watch one exercise; return its last run, and the request for the next one if it is wanted."""
    from verify.watching.loop import Task as Watched
    from verify.watching.loop import Watching

    task = task_of(request, request.number or "")
    exercise, root = exercise_of(task), _root_to_watch(task)
    following = catalog.following(exercise, request.course)

    def grade(door: Callable[[Submission], Submission]) -> Report:
        with open_folder(root) as submission:
            return graded(task, exercise, submission, door)

    def text(report: Report, hints: int, rows: int) -> str:
        run = Run(request.level, (report,))
        view = _view(replace(request, hint=hints), run)._replace(rows=rows, keys=keys.active)
        return reporter(request.format)(run, view).text

    watched = Watched(
        root=root,
        paths=exercise.paths,
        grade=grade,
        text=text,
        lost=lambda error: _no_submission(request.project, error),
        keep=lambda report: _keep(request, report),
        hints=request.hint,
        following=following is not None,
    )
    report, goes_on = Watching(watched, screen, notices, keys).run()
    run = Run(request.level, (report,))
    if not (goes_on and following):
        return run, None
    following_request = replace(
        request,
        level=following.level,
        number=f"{following.number:02}",
        target=None,
        issue=None,
        hint=0,
    )
    return run, following_request


def _keep(request: Request, report: Report) -> None:
    """Note a run of one exercise, where it is the learner's own."""
    if request.is_own and report.begun and not report.crashed:
        from verify.progress import note_run

        note_run(
            report.exercise.name, passed=report.passed, score=report.score, points=report.points
        )


def _exit_code(run: Run, course: str) -> int:
    crashes = [result.verdict.crash for report in run.reports for result in report.crashed]
    if crashes:
        what = f"{len(crashes)} check{'s' if len(crashes) > 1 else ''} crashed"
        return broken(what, "\n".join(crashes), blame=OWN_CHECKS if course else OURS)
    return PASSED if all(report.passed for report in run.reports) else FAILED


def _graded(request: Request) -> Run:
    if request.hint and request.format != "table":
        raise UsageError("--hint goes with the table: the other formats have hints of their own")
    if request.number is not None:
        return Run(request.level, (report_of(task_of(request, request.number)),))
    if request.target or request.issue or request.hint:
        raise UsageError("--target, --issue and --hint go with one exercise: add --exercise NN")
    levels = [request.level] if request.level else catalog.levels(request.course)
    if request.format != "table" and not request.level:
        raise UsageError("--format goes with one level or exercise: name it")
    tasks = [
        task_of(replace(request, level=level), str(exercise.number))
        for level in levels
        for exercise in catalog.level(level, request.course)
    ]
    return Run(request.level, tuple(map(report_of, tasks)), overview=True)


def task_of(request: Request, number: str) -> Task:
    """Return the task to grade an exercise of a request's level.

    Raises:
        UsageError: the key of a witness cannot be read.
    """
    return Task(
        path=root_of(request.project),
        level=request.level,
        number=number,
        course=request.course,
        target=request.target,
        issue=request.issue,
        strict=request.strict,
        is_own=request.project is None,
        records=request.provenance or bool(request.witness_key),
        witness_key=_key(request.witness_key) if request.witness_key else "",
    )


def _key(path: str) -> str:
    from pipeline.witness.keys import KeyFault, public_pem
    from verify.provenance.look import look_for

    try:
        key = public_pem(path)
        look_for(records=True, key=key)  # raises what is wrong with it
    except KeyFault as fault:
        raise UsageError(str(fault)) from None
    return key


def _root_to_watch(task: Task) -> str:
    """Return the folder that is watched: the root, which is looked for once."""
    if task.is_own:
        return task.path
    if not os.path.isdir(task.path):
        if not os.path.exists(task.path):
            raise NoSubmission("does not exist")
        raise UsageError("--watch goes with a folder: an archive does not change")
    with open_submission(task.path, exercise_of(task).paths) as submission:
        try:
            return os.path.join(task.path, submission.located())
        except Unresolved as error:
            raise UsageError(f"{error.reason}. {error.step}") from None


def root_of(project: str | None) -> str:
    """Return the submission's root: the course's own repository where none is given."""
    return ROOT if project is None else project


def _view(request: Request, run: Run) -> View:
    out = sys.stdout
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    course = ["--course", request.course] if request.course else []
    return View(
        command=lambda *selection: shown(request.words_for(*selection)),
        explain=lambda code: shown([*called("verify"), "explain", code, *course]),
        following=_following(run, request.course),
        width=columns(out),
        colour=out.isatty() and not plain,
        symbols=can_show(out, "✓✗\N{EN DASH}"),
        hints=request.hint,
        verbose=request.verbose,
        provenance=request.verbose or request.provenance or bool(request.witness_key),
        solution=lambda exercise: _of_course(request, exercise.solution),
        prefix=_prefix(request),
        progress=_progress() if run.overview and request.is_own else {},
    )


def shown(words: list[str]) -> str:
    """Return a command line as it may be shown and typed."""
    return inert(visible(shlex.join(words), 2_000))


def _of_course(request: Request, path: str) -> str:
    """Return a path in the course as the reader can open it, empty for none."""
    return from_here(os.path.join(request.course or ROOT, *path.split("/"))) if path else ""


def _progress() -> Mapping[str, Line]:
    from verify.progress import known

    return known()


def _following(run: Run, course: str) -> Exercise | None:
    """Return the exercise to go on to: the next level's only after a pass."""
    last = run.reports[-1]
    following = catalog.following(last.exercise, course)
    same_level = following and following.level == last.exercise.level
    return following if same_level or last.passed else None


def _prefix(request: Request) -> str:
    """Return what leads from the workspace to the submission, empty where it is elsewhere."""
    workspace = os.environ.get("GITHUB_WORKSPACE") or os.curdir
    try:
        relative = os.path.relpath(root_of(request.project), workspace).replace(os.sep, "/")
    except (OSError, ValueError):  # the working directory is gone, or is on another drive
        return ""
    return "" if relative == "." or relative.startswith("..") else f"{relative}/"


def _publish(rendered: Rendered) -> None:
    deliver(rendered.text)
    if not rendered.summary:
        return
    path = os.environ.get("GITHUB_STEP_SUMMARY")
    if not path:
        deliver(rendered.summary)
        return
    try:
        with open(path, "a", encoding="utf-8") as page:
            page.write(rendered.summary)
    except OSError as error:
        reason = (error.strerror or "unknown reason").lower()
        raise UsageError(f"GITHUB_STEP_SUMMARY cannot be written: {reason}") from None


def _refuse(sentence: str) -> int:
    tell(inert(f"verify: {sentence}"))
    return UNUSABLE
