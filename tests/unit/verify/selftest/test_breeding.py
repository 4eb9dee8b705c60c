"""The course's mutants differ from their solutions and from each other, always the same ones."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from verify.selftest.breeding import OPERATORS, mutants_of
from verify.selftest.course import HOST, solutions_of
from verify.selftest.judging import donors_of
from verify.selftest.mutants import Fault, Scene
from verify.selftest.operators.fields import TABLES
from verify.selftest.overlay import files_below
from verify.selftest.real import the_course
from verify.selftest.subjects import COMPLETED, FIELDS, Subject

if TYPE_CHECKING:
    from verify.model import Exercise
    from verify.selftest.mutants import Mutant

COURSE = the_course()
DONORS = donors_of(COURSE)
PAIRS = [
    (exercise, name) for exercise in COURSE.exercises for name in solutions_of(COURSE, exercise)
]


def files_of(exercise: Exercise, solution: str) -> dict[str, bytes]:
    return files_below(os.path.join(COURSE.folder_of(exercise), solution))


def bred(exercise: Exercise, solution: str) -> list[Mutant]:
    files = files_of(exercise, solution)
    subjects = COURSE.subjects[exercise.name]
    return list(mutants_of(exercise, solution, [Scene(files, s, DONORS) for s in subjects]))


@pytest.mark.parametrize(
    ("exercise", "solution"), PAIRS, ids=[f"{e.name} {solution}" for e, solution in PAIRS]
)
def test_a_mutant_has_a_name_of_its_own_and_a_fault(exercise: Exercise, solution: str) -> None:
    files, mutants = files_of(exercise, solution), bred(exercise, solution)
    same = [
        mutant.name
        for mutant in mutants
        if all(files.get(path) == data for path, data in mutant.files.items())
        and all(HOST[program] == version for program, version in mutant.programs.items())
    ]

    assert same == []
    assert len({mutant.name for mutant in mutants}) == len(mutants)
    assert bred(exercise, solution) == mutants


def test_there_are_operators_for_every_kind_with_a_table_of_fields() -> None:
    assert TABLES.keys() <= OPERATORS.keys()


def test_the_first_concern_that_the_exercise_has_a_check_for_counts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    exercise = COURSE.exercises[0]
    faults = [Fault("a", ("x", COMPLETED, FIELDS), {"f": b"1"}), Fault("b", ("x",), {"f": b"2"})]
    again = Fault("c", (FIELDS,), {"f": b"1"})
    monkeypatch.setitem(
        OPERATORS, "toy", OPERATORS["folder"]._replace(scenes=(lambda _: iter([*faults, again]),))
    )
    subject = Subject("a/b/f", "toy", {FIELDS: 3, COMPLETED: 4})
    mutants = list(mutants_of(exercise, "solved", [Scene({}, subject, ())]))

    assert [(m.name, m.concern, m.check) for m in mutants] == [
        ("foundation/01 solved: b/f a", COMPLETED, "F01.4"),
        ("foundation/01 solved: b/f b", "x", ""),
    ]
