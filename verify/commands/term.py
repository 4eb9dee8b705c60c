"""What commands make of a `term.toml`: a request for each assignment to grade, and the cohort."""

from __future__ import annotations

import os
from argparse import ArgumentTypeError, Namespace
from contextlib import contextmanager
from datetime import datetime, timezone
from typing import TYPE_CHECKING

from pipeline.terminal.display import did_you_mean, listed, visible
from verify.commands.entries import layout_name
from verify.commands.gradebook_command import GRADEBOOK, note
from verify.commands.options import level_and_number
from verify.commands.workers import way_of_others
from verify.course import catalog
from verify.gradebook.keeping import changed_line
from verify.gradebook.reading import GradebookCohort
from verify.gradebook.store import reading
from verify.gradebook.term import TermCohort, scores_of, term_of
from verify.grading.ways import JAIL
from verify.intake.roster import read_roster
from verify.learner.check import UsageError

if TYPE_CHECKING:
    import argparse
    import sqlite3
    from collections.abc import Iterable, Iterator, Sequence

    from pipeline.protocol.problems import Path
    from verify.gradebook.term_file import AssignmentPlan, TermFile

# what the file says, each with its value where the command line does not
_SAID = {
    **dict.fromkeys(("sources", "exercises"), ()),
    **dict.fromkeys(("roster", "decisions", "groups", "layout", "issue", "target"), None),
    **dict.fromkeys(("key", "course", "run"), ""),
    "attempts": "latest",
    "keep_roster": True,
}
_OPTIONS = {"sources": "the collection", "exercises": "--exercise", "keep_roster": "--no-roster"}


def add_term(parser: argparse._ActionsContainer) -> None:
    """Add the options that say what is graded of a term."""
    term = "grade the assignments of the term that this file describes"
    parser.add_argument("--term", metavar="TOML", help=term)
    add_assignments(parser, "with --term: grade only this assignment")


def add_assignments(parser: argparse._ActionsContainer, text: str) -> None:
    """Add the option that chooses assignments of a term, as `assignments`."""
    parser.add_argument(
        "--assignment",
        dest="assignments",
        metavar="NAME",
        action="append",
        default=[],
        type=_assignment,
        help=f"{text}; can be repeated",
    )


def _assignment(text: str) -> str:
    if "=" not in text:
        return text
    raise ArgumentTypeError(
        f"{visible(text)} is not an assignment of a term (for a column in Canvas, use"
        " --canvas-column)"
    )


def chosen(names: Iterable[str], known: Sequence[str], what: str) -> list[str]:
    """Return the names that are asked for, in the order of those known; raises `UsageError`."""
    asked = list(names)
    for name in asked:
        if name not in known:
            near = did_you_mean(name, known)
            expected = f" (expected {listed(known, len(known))})" if known else ""
            raise UsageError(f"{what} has no assignment {visible(name)}{near}{expected}")
    return [name for name in known if name in asked or not asked]


def requests_of(request: Namespace, file: TermFile) -> list[Namespace]:
    """Return what to grade, an assignment each: those asked for, else all that can be.

    Raises `UsageError`, and `Fault` with the place in the file.
    """
    from verify.gradebook.term_file import check_learners

    for name, value in _SAID.items():
        if getattr(request, name) not in (value, []):
            option = _OPTIONS.get(name, f"--{name}")
            raise UsageError(f"the term says what to grade: remove {option}, or --term")
    names = chosen(request.assignments, list(file.term.assignments), visible(file.path, 300))
    if file.term.roster:  # what the file says of learners is of those on its roster
        roster = read_roster(file.beside(file.term.roster), file.term.key)
        check_learners(file, {key for key, *_ in roster.rows()})
    requests = [_request(request, file, name) for name in names]
    if not request.assignments:
        requests = [made for made in requests if all(map(_is_there, made.sources))]
    if not requests:
        needed = listed(
            [text for name in names for text in _texts(file.term.assignments[name].collection)]
        )
        what = f"no assignment has its collection yet (expected {needed}, beside this file)"
        raise UsageError(f"{visible(file.path, 300)}: {what}")
    return requests


def absent_lines(request: Namespace, file: TermFile) -> list[str]:
    """Return a line about the assignments that are not graded, as their collections are absent."""
    absent = [
        f"{name} ({text})"
        for name, assignment in file.term.assignments.items()
        for text in _texts(assignment.collection)
        if not (request.assignments or _is_there(file.beside(text)))
    ]
    return [f"not graded now, without a collection: {listed(absent)}"] if absent else []


def note_untimed(connection: sqlite3.Connection, file: TermFile, name: str, run: int) -> None:
    """Say how many submissions lose nothing because nobody knows when they came."""
    assignment = file.term.assignments[name]
    if assignment.due is None or not file.term.policy(assignment).percent_a_day:
        return
    query = "SELECT count(*), sum(submitted = '') FROM submission WHERE assignment = ? AND seen = ?"
    count, untimed = connection.execute(query, (name, run)).fetchone()
    if untimed:
        what = f"{untimed:,} of {count:,} submissions have no time, so nothing is deducted if late"
        note(f"{visible(name)}: {what}: a manifest can give it (submitted_at)")


def _is_there(source: str) -> bool:
    return "://" in source or os.path.exists(source)


def _request(request: Namespace, file: TermFile, name: str) -> Namespace:
    term, assignment = file.term, file.term.assignments[name]
    path: Path = ("assignments", name)
    course = file.beside(term.course)
    is_chosen = request.gradebook != GRADEBOOK
    above: Path = () if term.layout and not assignment.layout else path
    layout: str | None = assignment.layout or term.layout or None
    try:
        layout = layout and layout_name(layout)
    except ArgumentTypeError as error:
        raise file.fault((*above, "layout"), str(error)) from None
    place = os.path.abspath(course) if course else ""
    exercises = _exercises(file, assignment, path, place)
    made = {
        "assignment": name,
        "sources": [file.beside(text) for text in _texts(assignment.collection)],
        "exercises": exercises,
        "roster": file.beside(term.roster) or None,
        "key": term.key,
        "decisions": file.beside(term.decisions) or None,
        "groups": file.beside(assignment.groups_file) or None,
        "course": course,
        "layout": layout,
        "attempts": "latest" if assignment.attempts == "latest" else "all",
        "gradebook": request.gradebook if is_chosen else file.beside(term.gradebook),
        "run": JAIL if assignment.run else "",
    }
    if assignment.run:
        _check_run(file, (*path, "run"), exercises, place, request.jail)
    return Namespace(**{**vars(request), **made})


def _check_run(
    file: TermFile, path: Path, exercises: Sequence[tuple[str, str]], course: str, jail: str
) -> None:
    try:
        way_of_others(catalog.canonical(exercises, course), course, JAIL, jail)
    except UsageError as error:
        raise file.fault(path, str(error)) from None


def _texts(value: str | list[str]) -> list[str]:
    return [value] if isinstance(value, str) else value


def _exercises(
    file: TermFile, assignment: AssignmentPlan, path: Path, course: str
) -> list[tuple[str, str]]:
    """Return the exercises of an assignment, with those of its levels."""
    found: list[tuple[str, str]] = []
    for number, text in enumerate(assignment.exercises):
        try:
            if "/" in text:
                names: Iterable[str] = catalog.canonical([level_and_number(text)], course)
            else:
                names = [exercise.name for exercise in catalog.level(text, course)]
        except (UsageError, catalog.UnknownExercise) as error:
            raise file.fault((*path, "exercises", number), str(error)) from None
        found += [(level, at) for level, _, at in (name.partition("/") for name in names)]
    return list(dict.fromkeys(found))


def graded_in(request: Namespace, file: TermFile | None) -> set[str]:
    """Return the assignments that a gradebook has results of.

    Raises `UsageError` where the exports of a run would leave out some of them.
    """
    if not os.path.exists(request.gradebook):
        return set()
    with reading(request.gradebook) as connection:
        kept = connection.execute("SELECT path FROM term").fetchone()
        rows = connection.execute("SELECT assignment FROM last_run ORDER BY 1")
        graded = [name for (name,) in rows]
    where = visible(request.gradebook, 300)
    if file is None and kept is not None:
        step = f"use --term {visible(kept[0], 300)}, or a different --gradebook"
        raise UsageError(f"{where} is the gradebook of a term: {step}")
    lost = [name for name in graded if file and name not in file.term.assignments]
    if lost and not request.replace:
        names = listed([name or "a run without a term" for name in lost], len(lost))
        step = "name it in the term" if all(lost) else "use a new gradebook"
        step += ", or add --replace to leave it out of the exports"
        raise UsageError(f"{where} has results of {names}, and the term does not: {step}")
    return {*graded}


@contextmanager
def told_of_scores(gradebook: str, file: TermFile | None) -> Iterator[None]:
    """Name the scores of a term that change meanwhile, also by a time or by the file itself."""
    moment = datetime.now(timezone.utc)
    before = _scores(gradebook, moment) if file else {}
    try:
        yield
    finally:  # also of a run that is interrupted
        after = _scores(gradebook, moment) if before else {}
        rows = [
            (*place, old, new)
            for place, old in before.items()
            if (new := after.get(place, old)) != old
        ]
        if changed := changed_line(rows, "score", "the term"):
            note(changed)


def _scores(gradebook: str, moment: datetime) -> dict[tuple[str, str], str]:
    if not os.path.exists(gradebook):
        return {}
    with reading(gradebook) as connection:
        return scores_of(connection, moment)


def cohort_asked(
    connection: sqlite3.Connection, names: Sequence[str], gradebook: str
) -> TermCohort | GradebookCohort:
    """Return what is exported of a gradebook: all of it, or assignments; raises `UsageError`."""
    term = term_of(connection)
    if term is None:
        chosen(names, [], visible(gradebook, 300))
        return GradebookCohort(connection)
    return TermCohort(connection, term, chosen(names, list(term.assignments), "the term"))
