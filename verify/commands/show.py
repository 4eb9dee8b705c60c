"""`verify show`: what one learner has, as the learner saw it, and how it came about."""

from __future__ import annotations

import os
from argparse import Namespace
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from pipeline.bootstrap import called, from_here
from pipeline.terminal.display import json_document, printed, visible
from pipeline.terminal.exit_codes import PASSED
from pipeline.terminal.streams import deliver
from verify.commands import gradebook_command as common
from verify.commands.term import add_assignments, cohort_asked
from verify.course import catalog
from verify.exports.json_documents import standing_record
from verify.gradebook.columns import NotOurs
from verify.gradebook.reading import LEFT_OUT, GradebookCohort, attempts_of, by_learner
from verify.gradebook.records import score_text
from verify.gradebook.store import reading
from verify.grading.model import PASSED as VERDICT
from verify.grading.model import Check, Exercise, Report, Result
from verify.grading.ways import RUN_WORDS, Ran
from verify.intake.opening import path_of
from verify.learner.request import GradingRequest, option_words, reporter, shown, view_of
from verify.reporters.base import GradedRun
from verify.reporters.table import INDENT, filled
from verify.submissions.files import Unresolved

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pipeline.terminal.arguments import Arguments
    from verify.gradebook.reading import StoredAttempt
    from verify.gradebook.records import Mark, Standing
    from verify.gradebook.term import TermCohort
    from verify.grading.model import CheckInfo, ExerciseInfo
    from verify.reporters.base import View

_EPILOG = """\
examples:
  python3 -m verify show ada@example.org
  python3 -m verify show 'Ada Okafor' --format json

exit codes: 0 shown, 2 wrong usage, or no learner or several are meant
"""


class Shown(NamedTuple):
    """What a gradebook has of one learner."""

    learner: str  #: the key
    standing: Standing | None  #: of the attempt that counts, None for who is not in the last run
    attempts: list[StoredAttempt]  #: the latest last
    by_hand: list[str]  #: a line for each override, also a withdrawn one
    again: dict[str, str]  #: the command that grades each exercise again


def add_options(parser: Arguments) -> None:
    """Add the options of `verify show`."""
    parser.epilog = _EPILOG
    parser.set_defaults(command=show)
    parser.add_argument("learner", metavar="LEARNER", help=common.WHOM)
    forms = "table or json (default: table)"
    parser.add_argument(
        "--format", metavar="F", choices=("table", "json"), default="table", help=forms
    )
    verbose = "show each skipped check and the notes"
    parser.add_argument("-v", "--verbose", action="store_true", help=verbose)
    common.add_gradebook(parser)
    add_assignments(parser, "show only this assignment of a term")


@common.gradebook_command
def show(gradebook: str, **given: Any) -> int:
    """Show what one learner has; return 0, or 2 if it is not clear who is meant."""
    options = Namespace(**given)
    with reading(gradebook) as connection:
        connection.execute("BEGIN")  # all of it is of one moment, also while a batch writes
        key = common.known_learner(connection, options.learner)
        cohort = cohort_asked(connection, options.assignments, gradebook)
        standings = (attempts for attempts in by_learner(cohort) if attempts[0].learner.key == key)
        standing = next(standings, (None,))[-1]
        marks = standing.marks if standing else ()
        asked = {*options.assignments, *(mark.exercise.name for mark in marks)}
        counting = {m.exercise.name: m.attempt for m in marks if m.attempt is not None}
        attempts = [
            _with_reason(attempt, counting)
            for attempt in attempts_of(connection, key)
            if not (asked and attempt.assignment) or attempt.assignment in asked
        ]
        again: dict[str, str] = {}
        for attempt in attempts:
            if not attempt.why_not:
                run = GradebookCohort(connection, assignment=attempt.assignment)
                again |= _commands(run, key, attempt, gradebook)
        found = Shown(key, standing, attempts, common.override_lines(connection, key), again)
    if not cohort.complete:
        common.note("the last run is not finished: the rest of it is not graded yet")
    if options.format == "json":
        deliver(json_document(_record(found, has_roster=cohort.has_roster)))
    else:
        course = cohort.options.get("course") or ""
        request = GradingRequest("", project=os.curdir, verbose=options.verbose, course=course)
        view = view_of(request)._replace(is_past=True)
        deliver(printed(_lines(found, cohort, view)))
    return PASSED


def _with_reason(attempt: StoredAttempt, counting: Mapping[str, str]) -> StoredAttempt:
    """Return an attempt with why it does not count, of those whose term chooses one of several."""
    if attempt.assignment not in counting or attempt.why_not == LEFT_OUT:
        return attempt
    counts = attempt.attempt == counting[attempt.assignment]
    return attempt._replace(why_not="" if counts else "another attempt counts")


def _lines(found: Shown, cohort: TermCohort | GradebookCohort, view: View) -> Iterator[str]:
    yield from filled(_heading(found, cohort), view.width)
    for mark in found.standing.marks if found.standing else ():
        yield ""
        yield from _mark_lines(mark, cohort.options_of(mark.exercise.name), view)
    for title, texts in (
        ("Submissions:", [_attempt_line(attempt) for attempt in found.attempts]),
        ("Set by hand:", found.by_hand),
    ):
        if texts:
            yield from ("", title)
            for text in texts:
                yield from filled(text, view.width, INDENT * 2, first=INDENT)
    if found.again:
        yield from ("", "To grade again:", *(f"{INDENT}{line}" for line in found.again.values()))


def _mark_lines(mark: Mark, options: Mapping[str, Any], view: View) -> Iterator[str]:
    """Yield the table of each exercise, and what else is known of the score."""
    parts = mark.exercise.parts
    has_table = bool(mark.results or mark.reason)
    if parts or not has_table:
        score = score_text(mark.score)
        points = f": {score} of {mark.exercise.points} points" if parts and score else ""
        yield from filled(
            f"{visible(mark.exercise.name)} - {mark.exercise.title}{points}", view.width
        )
    for part in (parts or (mark.exercise,)) if has_table else ():
        results = tuple(result for result in mark.results if result.check in part.checks)
        if results or mark.reason:
            yield from [""] * bool(parts)
            run = GradedRun("", (_report(mark._replace(exercise=part, results=results), options),))
            yield from reporter("table")(run, view).text.rstrip("\n").split("\n")
    for note in mark.notes if parts or mark.override or mark.comment or not has_table else ():
        yield from ("", *filled(visible(note, 2_000), view.width))


def _heading(found: Shown, cohort: TermCohort | GradebookCohort) -> str:
    if found.standing is None:
        return f"{visible(found.learner)}: not in the last run"
    learner = found.standing.learner
    known = [f"key {visible(learner.key)}"] if learner.name else []
    known += [visible(learner.email)] if learner.email else []
    known += ["not on the roster"] if cohort.has_roster and not learner.rostered else []
    about = f" ({', '.join(known)})" if known else ""
    total = score_text(found.standing.total)
    points = f"{total} of {found.standing.points} points" if total else "no total"
    return f"{visible(learner.name or learner.key)}{about}: {points}"


def _attempt_line(attempt: StoredAttempt) -> str:
    parts = [visible(text) for text in (attempt.assignment, attempt.attempt) if text]
    if attempt.submitted and attempt.submitted not in attempt.attempt:
        parts.append(f"submitted {visible(attempt.submitted)}")
    parts += ["late"] if attempt.late else []
    parts += [f"{visible(name)} {visible(result)}" for name, result in attempt.results.items()]
    parts += [visible(attempt.why_not)] if attempt.why_not else []
    _, container, inner = attempt.place
    place = f"{container.rstrip('/')}/{inner}"
    return f"{', '.join(parts) or 'not graded'}, from {visible(place, 300)}"


def _report(mark: Mark, options: Mapping[str, Any]) -> Report:
    """Return a stored mark as the report that the learner saw."""
    exercise = _exercise(mark.exercise, options)
    checks = {check.code: check for check in exercise.checks}
    results = [
        Result(checks[result.check.code], result.verdict, result.waits_for)
        for result in mark.results
    ]
    unresolved = Unresolved(mark.reason, mark.action) if mark.reason else None
    ran = Ran(options["run"]) if options.get("run") else None
    strict = bool(options.get("strict"))
    return Report(exercise, "", tuple(results), strict, None, unresolved, ran)


def _exercise(info: ExerciseInfo, options: Mapping[str, Any]) -> Exercise:
    """Return an exercise as it was graded; no code of an own course is run for it."""
    level, _, number = info.name.partition("/")
    issue = options.get("issue")
    with suppress(catalog.UnknownExercise):
        issue = issue or (None if options.get("course") else catalog.named(info.name).issue)
    try:
        return Exercise(
            level=level,
            number=int(number),
            slug="",
            title=info.title,
            checks=tuple(map(_check, info.checks)),
            issue=issue,
            asks=(("", 0),) if any(check.asks_service for check in info.checks) else (),
        )
    except ValueError:
        raise NotOurs("is not an exercise") from None


def _check(info: CheckInfo) -> Check:
    return Check(
        code=info.code,
        title=info.title,
        run=lambda _: VERDICT,  # it has been run
        hint="",
        points=info.points,
        asks_service=info.asks_service,
    )


def _commands(
    cohort: GradebookCohort, learner: str, attempt: StoredAttempt, gradebook: str
) -> dict[str, str]:
    """Return the command that grades each exercise of an attempt again."""
    return {
        f"{attempt.assignment} {info.name}".strip(): shown(
            _words(info, learner, path_of(*attempt.place), gradebook, cohort)
        )
        for info in cohort.exercises
    }


def _words(
    info: ExerciseInfo, learner: str, path: str, gradebook: str, cohort: GradebookCohort
) -> list[str]:
    """Return the command that grades an exercise again.

    A submission at a path of its own is graded as the learner does it; one within an archive of the
    class, or in a bucket, with its gradebook.
    """
    options = cohort.options
    course, way = _operand(options.get("course") or ""), options.get("run") or ""
    if path:
        exercise = _exercise(info, options)
        request = GradingRequest(
            exercise.level,
            str(exercise.number),
            _operand(from_here(path)),
            options.get("target"),
            options.get("issue"),
            strict=bool(options.get("strict")),
            console=True,
            course=course,
            provenance=bool(options.get("provenance")),
            run=way,
            run_tests=bool(options.get("run_tests")),
        )
        return request.words_for(exercise.level, exercise)
    words = [*called("verify"), "regrade", f"--learner={learner}", "--exercise", info.name]
    words += [f"--assignment={cohort.assignment}"] if cohort.assignment else []
    words += option_words({"--course": course, "--gradebook": _operand(from_here(gradebook))})
    return [*words, *RUN_WORDS[way], *["--run-tests"] * bool(options.get("run_tests"))]


def _operand(path: str) -> str:
    """Return a path that no command takes for an option."""
    return os.path.join(os.curdir, path) if path.startswith("-") else path


def _record(found: Shown, *, has_roster: bool) -> dict[str, Any]:
    """Return the same as a value."""
    standing = found.standing
    return {
        "learner": found.learner,
        "standing": standing and standing_record(standing, has_roster=has_roster),
        "submissions": [attempt._asdict() for attempt in found.attempts],
        "set_by_hand": found.by_hand,
        "grade_again": found.again,
    }
