"""`verify self-test`: proves every exercise, reports, and returns the exit code."""

from __future__ import annotations

import textwrap
import time
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from tabulate import tabulate

from pipeline.terminal.display import json_document, visible
from pipeline.terminal.exit_codes import FAILED, PASSED
from pipeline.terminal.fault import unusable
from pipeline.terminal.streams import deliver, tell
from verify.selftest.course import MUTANTS, Defect, own_course, submissions_of
from verify.selftest.fixtures import (
    fixture_defects,
    hint_defects,
    page_defects,
    tree_defects,
    updated,
)
from verify.selftest.mutants import mutation_run
from verify.selftest.shipped import the_course

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verify.selftest.course import Course, Excuse

_WIDTH = 100  # of reasons and of what to do; fixed, since the output is quoted in the docs


class Row(NamedTuple):
    """What was checked for one exercise; `defects` are its own."""

    exercise: str
    checks: int
    submissions: int
    mutants: int
    killed: int
    excused: int
    defects: int


class Proof(NamedTuple):
    """What the self-test found; the course is proven if `defects` is empty."""

    rows: tuple[Row, ...]
    excused: tuple[tuple[Excuse, int], ...]
    defects: tuple[Defect, ...]


def self_test(
    exercises: Sequence[tuple[str, str]], format_: str, course: str = "", *, update: bool = False
) -> int:
    """Prove the exercises that are named, the whole course by default.

    `course` is the folder of an instructor's own course, empty for this project's. With `update`
    the expectations of its fixtures are written first, and the differences are shown.

    Returns 0 if the course is proven, 1 if it has a defect.

    Raises:
        UnknownExercise: a name fits no exercise, or the course cannot be loaded.
        MalformedIssue: one of the course's issues is damaged.
        Fault: the course has no fixtures, or a file of it cannot be read or written.
    """
    begun = time.perf_counter()
    try:
        tested = own_course(course, exercises) if course else the_course(exercises)
        if update:
            _update(tested)
        proof = prove(tested)
    except OSError as error:
        raise unusable(visible(str(error), 1_000)) from None
    deliver(record(proof) if format_ == "json" else table(proof))
    tell(f"verify: self-test took {time.perf_counter() - begun:.1f} seconds")
    return FAILED if proof.defects else PASSED


def _update(course: Course) -> None:
    """Write the expectations of the fixtures; what was changed goes to stderr."""
    changed = [each for exercise in course.selected for each in updated(course, exercise)]
    for line in "\n".join(changed).splitlines():
        tell(visible(line, 1_000))
    tell(f"verify: {len(changed)} expectation{'s' * (len(changed) != 1)} changed")


def prove(course: Course) -> Proof:
    """Return the proof of a course; what is about the whole course only if all of it is proven."""
    defects = [] if course.only else tree_defects(course)
    excused: Counter[Excuse] = Counter()
    rows, complete = [], not course.only
    for exercise in course.selected:
        run = mutation_run(course, exercise)
        own = [
            *fixture_defects(course, exercise),
            *hint_defects(exercise),
            *page_defects(course, exercise),
            *run.defects,
        ]
        checks, submissions = len(exercise.checks), len(submissions_of(course, exercise))
        counts = (run.mutants, run.kills, run.excused.total(), len(own))
        rows.append(Row(exercise.name, checks, submissions, *counts))
        defects += own
        excused += run.excused
        complete = complete and run.complete
    if complete:
        what, to_do = "this excuse is stale: it covers no survivor", "Remove it."
        stale = (excuse for excuse in course.excuses if excuse not in excused)
        defects += (Defect(MUTANTS, excuse.pattern, what, to_do) for excuse in stale)
    order = dict.fromkeys((*course.excuses, *excused))
    used = tuple((excuse, excused[excuse]) for excuse in order if excuse in excused)
    return Proof(tuple(rows), used, tuple(defects))


def table(proof: Proof) -> str:
    """Return the text of a proof; the same for the same course, on any terminal."""
    rows = [*proof.rows, total(proof)]
    grid = tabulate(
        [list(row) for row in rows],
        headers=list(Row._fields),
        tablefmt="simple",
        disable_numparse=True,
        colalign=("left", *["right"] * (len(Row._fields) - 1)),
    )
    parts = [grid, *_excuses(proof), *map(_shown, proof.defects), verdict(proof)]
    return "\n\n".join(parts) + "\n"


def total(proof: Proof) -> Row:
    """Return the sums of the rows; the defects are all, those of no exercise too."""
    sums = {name: sum(getattr(row, name) for row in proof.rows) for name in Row._fields[1:]}
    return Row("all", **sums)._replace(defects=len(proof.defects))


def verdict(proof: Proof) -> str:
    """Return the last line: proven or not, and what was checked."""
    row = total(proof)
    counts = (
        f"{row.checks} checks, {row.submissions} submissions, {row.mutants} mutants: "
        f"{row.killed} killed, {row.excused} excused"
    )
    if not proof.defects:
        return f"PROVEN  {counts}"
    return f"NOT PROVEN  {row.defects} defect{'s' * (row.defects != 1)}  {counts}"


def _excuses(proof: Proof) -> list[str]:
    reasons: Counter[str] = Counter()
    for excuse, mutants in proof.excused:
        reasons[excuse.reason] += mutants
    paragraphs = [
        textwrap.fill(reason, _WIDTH, initial_indent=f"{mutants:6}  ", subsequent_indent=" " * 8)
        for reason, mutants in reasons.items()
    ]
    return ["\n".join(["Mutants that may survive:", *paragraphs])] if paragraphs else []


def _shown(defect: Defect) -> str:
    texts = (textwrap.fill(visible(text, 1_000), _WIDTH) for text in (defect.what, defect.to_do))
    head = visible(f"{defect.area}: {defect.where}", 300)
    return "\n".join([head, *(textwrap.indent(text, "  ") for text in texts)])


def record(proof: Proof) -> str:
    """Return the proof as JSON in ASCII: rows, excuses with their mutants, defects."""
    value = {
        "schema": "urn:issue-pipeline:self-test:1",
        "version": 1,
        "proven": not proof.defects,
        "exercises": [row._asdict() for row in proof.rows],
        "excuses": [{**excuse._asdict(), "mutants": n} for excuse, n in proof.excused],
        "defects": [defect._asdict() for defect in proof.defects],
    }
    return json_document(value)
