"""The whole proof, every part of it over every exercise, and how it is shown."""

from __future__ import annotations

import json
import textwrap
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from tabulate import tabulate

from pipeline.terminal.display import visible
from verify.selftest.course import MUTANTS, Defect, submissions_of
from verify.selftest.fixtures import fixture_defects
from verify.selftest.mutation import mutation_run
from verify.selftest.pages import hint_defects, page_defects, tree_defects

if TYPE_CHECKING:
    from verify.model import Exercise
    from verify.selftest.course import Course, Excuse
    from verify.selftest.mutation import Run

_WIDTH = 100  # of reasons and of what to do; fixed, since the output is quoted in the docs


class Row(NamedTuple):
    """What was looked at for one exercise; `defects` are its own."""

    exercise: str
    checks: int
    submissions: int
    mutants: int
    killed: int
    excused: int
    defects: int


class Proof(NamedTuple):
    """What the self-test found; the course is proven where `defects` is empty."""

    rows: tuple[Row, ...]
    excused: tuple[tuple[Excuse, int], ...]
    defects: tuple[Defect, ...]


def prove(course: Course) -> Proof:
    """Return the proof of a course, the parts that are about the whole only where it is whole."""
    defects = [] if course.only else tree_defects(course)
    excused: Counter[Excuse] = Counter()
    rows, complete = [], True
    for exercise in course.selected:
        run = mutation_run(course, exercise)
        own = [
            *fixture_defects(course, exercise),
            *hint_defects(course, exercise),
            *page_defects(course, exercise),
            *run.defects,
        ]
        rows.append(_row(course, exercise, run, len(own)))
        defects += own
        excused += run.excused
        complete = complete and run.complete
    defects += _stale(course, excused) if complete and not course.only else []
    order = dict.fromkeys((*course.excuses, *excused))
    used = tuple((excuse, excused[excuse]) for excuse in order if excuse in excused)
    return Proof(tuple(rows), used, tuple(defects))


def _row(course: Course, exercise: Exercise, run: Run, defects: int) -> Row:
    return Row(
        exercise=exercise.name,
        checks=len(exercise.checks),
        submissions=len(submissions_of(course, exercise)),
        mutants=run.mutants,
        killed=run.kills,
        excused=run.excused.total(),
        defects=defects,
    )


def _stale(course: Course, excused: Counter[Excuse]) -> list[Defect]:
    """Return the excuses that nothing in the whole course needs."""
    what, to_do = "this excuse is stale: it covers no survivor", "Remove it."
    unused = (excuse for excuse in course.excuses if excuse not in excused)
    return [Defect(MUTANTS, excuse.pattern, what, to_do) for excuse in unused]


def table(proof: Proof) -> str:
    """Return the text of a proof; the same for the same course, whatever the terminal."""
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
    return Row(
        exercise="all",
        checks=sum(row.checks for row in proof.rows),
        submissions=sum(row.submissions for row in proof.rows),
        mutants=sum(row.mutants for row in proof.rows),
        killed=sum(row.killed for row in proof.rows),
        excused=sum(row.excused for row in proof.rows),
        defects=len(proof.defects),
    )


def verdict(proof: Proof) -> str:
    """Return the last line: proven or not, and what was looked at."""
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
    return json.dumps(value, indent=2) + "\n"
