"""The proof of a course: what was checked for each exercise, its excuses and its defects."""

from __future__ import annotations

import textwrap
from collections import Counter
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from tabulate import tabulate

from pipeline.terminal.display import json_document, visible
from verify.selftest.course import Defect, submissions_of
from verify.selftest.fixtures import fixture_defects, hint_defects, page_defects, tree_defects
from verify.selftest.forks import on_all_processors
from verify.selftest.mutants import mutation_run

if TYPE_CHECKING:
    from verify.grading.model import Exercise
    from verify.selftest.course import Excuse, ProvenCourse

_WIDTH = 100  # of reasons and of what to do; fixed, since the output is quoted in the docs


class Row(NamedTuple):
    """What was checked for one exercise."""

    exercise: str
    checks: int
    submissions: int
    mutants: int
    killed: int  #: mutants that a check refuses
    excused: int  #: mutants that may survive
    defects: int  #: its own


class Proof(NamedTuple):
    """What the self-test found; the course is proven if there are no defects."""

    rows: tuple[Row, ...]
    excused: tuple[tuple[Excuse, int], ...]  #: and how many mutants each covers
    defects: tuple[Defect, ...]


class _ExerciseProof(NamedTuple):
    """The proof of one exercise."""

    row: Row
    excused: Counter[Excuse]
    defects: list[Defect]
    complete: bool  #: all of its mutants were made


def prove(course: ProvenCourse) -> Proof:
    """Return the proof of a course; defects of the whole course only if no exercise is selected."""
    defects = [] if course.only else list(tree_defects(course))
    excused: Counter[Excuse] = Counter()
    calls = {exercise.name: partial(_proof_of, course, exercise) for exercise in course.selected}
    proofs = on_all_processors(calls)
    for proof in proofs:
        defects += proof.defects
        excused += proof.excused
    if not course.only and all(proof.complete for proof in proofs):
        what, to_do = "this excuse is stale: it covers no survivor", "Remove it."
        stale = (excuse for excuse in course.excuses if excuse not in excused)
        defects += (Defect("mutants", excuse.pattern, what, to_do) for excuse in stale)
    order = dict.fromkeys((*course.excuses, *excused))
    used = tuple((excuse, excused[excuse]) for excuse in order if excuse in excused)
    return Proof(tuple(proof.row for proof in proofs), used, tuple(defects))


def _proof_of(course: ProvenCourse, exercise: Exercise) -> _ExerciseProof:
    run = mutation_run(course, exercise)
    defects = [
        *fixture_defects(course, exercise),
        *hint_defects(exercise),
        *page_defects(course, exercise),
        *run.defects,
    ]
    checks, submissions = len(exercise.checks), len(submissions_of(course, exercise))
    counts = (run.mutants, run.kills, run.excused.total(), len(defects))
    row = Row(exercise.name, checks, submissions, *counts)
    return _ExerciseProof(row, run.excused, defects, run.complete)


def table(proof: Proof) -> str:
    """Return the text of a proof; the same for the same course, on any terminal."""
    names = Row._fields
    total = Row("all", *(sum(getattr(row, name) for row in proof.rows) for name in names[1:]))
    total = total._replace(defects=len(proof.defects))  # including those of no exercise
    grid = tabulate(
        [list(row) for row in (*proof.rows, total)],
        headers=list(names),
        tablefmt="simple",
        disable_numparse=True,
        colalign=("left", *["right"] * (len(names) - 1)),
    )
    counts = (
        f"{total.checks} checks, {total.submissions} submissions, {total.mutants} mutants: "
        f"{total.killed} killed, {total.excused} excused"
    )
    defects = f"{total.defects} defect{'s' * (total.defects != 1)}"
    verdict = f"NOT PROVEN  {defects}  {counts}" if proof.defects else f"PROVEN  {counts}"
    return "\n\n".join([grid, *_excuses(proof), *map(_shown, proof.defects), verdict]) + "\n"


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
