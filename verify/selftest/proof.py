"""The whole proof: every part of it over every exercise, as one value."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from verify.selftest.course import submissions_of
from verify.selftest.defects import MUTANTS, Defect
from verify.selftest.fixtures import fixture_defects
from verify.selftest.judging import donors_of, judged
from verify.selftest.pages import hint_defects, page_defects
from verify.selftest.tree import tree_defects

if TYPE_CHECKING:
    from verify.model import Exercise
    from verify.selftest.course import Course
    from verify.selftest.excuses import Excuse
    from verify.selftest.herd import Herd


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
    donors = donors_of(course)
    defects = [] if course.only else tree_defects(course)
    excused: Counter[Excuse] = Counter()
    rows, complete = [], True
    for exercise in course.selected:
        herd = judged(course, exercise, donors)
        own = [
            *fixture_defects(course, exercise),
            *hint_defects(course, exercise),
            *page_defects(course, exercise),
            *herd.defects,
        ]
        rows.append(_row(course, exercise, herd, len(own)))
        defects += own
        excused += herd.excused
        complete = complete and herd.complete
    defects += _stale(course, excused) if complete else []
    order = dict.fromkeys((*course.excuses, *excused))
    used = tuple((excuse, excused[excuse]) for excuse in order if excuse in excused)
    return Proof(tuple(rows), used, tuple(defects))


def _row(course: Course, exercise: Exercise, herd: Herd, defects: int) -> Row:
    return Row(
        exercise=exercise.name,
        checks=len(exercise.checks),
        submissions=len(submissions_of(course, exercise)),
        mutants=herd.mutants,
        killed=herd.kills,
        excused=herd.excused.total(),
        defects=defects,
    )


def _stale(course: Course, excused: Counter[Excuse]) -> list[Defect]:
    """Return the excuses that nothing needs; of a part of the course, only those about it."""
    names = tuple(f"{exercise.name} " for exercise in course.selected)
    return [
        Defect(MUTANTS, excuse.pattern, "this excuse is stale: it covers no survivor", "Remove it.")
        for excuse in course.excuses
        if excuse not in excused and (not course.only or excuse.pattern.startswith(names))
    ]
