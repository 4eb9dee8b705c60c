"""The proof of a course: what was checked for each exercise, its excuses and its defects.

Exercises are proven on all processors: each in a fork, which has the course that cannot be sent.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
import textwrap
import threading
from collections import Counter
from functools import partial
from multiprocessing.connection import wait
from multiprocessing.pool import ExceptionWithTraceback  # type: ignore[attr-defined]  # not in typeshed
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from tabulate import tabulate

from pipeline.terminal.display import json_document, visible
from verify.selftest.course import Defect, submissions_of
from verify.selftest.fixtures import fixture_defects, hint_defects, page_defects, tree_defects
from verify.selftest.mutants import mutation_run

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from multiprocessing.connection import Connection

    from verify.grading.model import Exercise
    from verify.selftest.course import Excuse, ProvenCourse

_WIDTH = 100  # of reasons and of what to do; fixed, since the output is quoted in the docs
T = TypeVar("T")


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


def on_all_processors(calls: Mapping[str, Callable[[], T]]) -> list[T]:
    """Return what calls return, in their order; each has a name for the message if it breaks.

    Where a fork is not safe, beside other threads, they are made one after the other.

    Raises:
        RuntimeError: the process of a call has ended without a result.
        Exception: as a call did.
    """
    if sys.platform != "linux" or threading.active_count() > 1:
        return [call() for call in calls.values()]
    context: Any = multiprocessing.get_context("fork")
    left = iter(calls.items())
    under_way: dict[Any, tuple[str, Any]] = {}  # by what becomes ready
    found: dict[str, T] = {}
    while len(found) < len(calls):
        while len(under_way) < (os.cpu_count() or 1) and (following := next(left, None)):
            name, call = following
            answer, there = context.Pipe(duplex=False)
            process = context.Process(target=_answer, args=(there, call), daemon=True)
            process.start()
            there.close()
            under_way[answer] = name, process
        for answer in wait([*under_way]):
            name, process = under_way.pop(answer)
            found[name] = _received(name, answer, process)
    return [found[name] for name in calls]


def _answer(there: Connection, call: Callable[[], T]) -> None:
    """Send what a call returns or raises, in a fork."""
    try:
        there.send((call(), None))
    except Exception as error:  # noqa: BLE001  # whoever waits for the result raises it
        there.send((None, ExceptionWithTraceback(error, error.__traceback__)))


def _received(name: str, answer: Any, process: Any) -> Any:
    with answer:
        try:
            result, error = answer.recv()
        except EOFError:
            process.join()
            why = f"the process that proves {name} ended with exit code {process.exitcode}"
            raise RuntimeError(why) from None
    process.join()
    if error is not None:
        raise error
    return result
